import Events

/// The people and items to erase from a log.
public struct ForgettingRequest: Sendable {
  /// The ids of people whose names and texts are erased.
  public var people: [String]
  /// Items that stay, but lose their texts.
  public var items: [Item]
  /// Whether other people's texts that name the erased people are changed.
  public var changesMentions = false
  /// The reason, for the ledger; it must name none of the people.
  public var reason = ""
  /// A keyed mark of each person and item, for the ledger.
  public var marks: [String] = []
  /// The app's own event types whose personal members are erased.
  public var appEvents: AppEventTypes = []

  /// An item with texts, written as the kind of its stream and its id: `comment/c1`.
  public struct Item: Hashable, Sendable, CustomStringConvertible {
    /// The kind of the item; `.user` means the profile.
    public var kind: IDKind
    /// The item's id.
    public var id: String

    /// Creates an item.
    public init(_ kind: IDKind, _ id: String) { (self.kind, self.id) = (kind, id) }

    /// Parses `profile/ann`, `workout/w1`, `comment/c1`, `group/g1`, `message/m1` or `report/r1`;
    /// nil for any other text.
    public init?(_ text: String) {
      let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let kind = IDKind.allCases.first(where: { $0.itemName == parts[0] }),
        isValidID(parts[1].utf8)
      else { return nil }
      self.init(kind, String(parts[1]))
    }

    public var description: String { "\(kind.itemName)/\(id)" }
  }

  /// Creates a request for the ids of people, and for items.
  public init(people: [String] = [], items: [Item] = []) {
    (self.people, self.items) = (people, items)
  }

  /// The texts that marks are computed from, such as `person/ann` and `comment/c1`.
  public var subjects: [String] { people.map(Self.subject) + items.map(\.description) }

  static func subject(_ person: String) -> String { "person/\(person)" }
}

extension IDKind {
  /// The word before an item's id; a user's item is the profile.
  public var itemName: String {
    switch self {
    case .user: "profile"
    case .workout: "workout"
    case .comment: "comment"
    case .group: "group"
    case .message: "message"
    case .report: "report"
    }
  }
}
