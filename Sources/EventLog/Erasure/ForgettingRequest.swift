import Events

/// The people and items to erase from a log.
public struct ForgettingRequest: Sendable {
  /// The ids of the people whose names and texts are erased.
  public var people: [String]
  /// The items whose texts are erased, but which stay in the log.
  public var items: [Item]
  /// Whether erased people's names are also replaced in other people's texts.
  public var changesMentions = false
  /// The operator's reason, which the ledger records. It must not name any of the people.
  public var reason = ""
  /// Keyed hashes of the people and items, which the ledger records.
  public var marks: [String] = []
  /// The app's own event types, with the names of their personal fields, which are erased.
  public var appEvents: AppEventTypes = []

  /// An item with texts. It is written as the kind of its stream and its id, like `comment/c1`.
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

  /// The people and items as texts, such as `person/ann` and `comment/c1`. The keyed hashes in
  /// `marks` are computed from these texts.
  public var subjects: [String] { people.map(Self.subject) + items.map(\.description) }

  static func subject(_ person: String) -> String { "person/\(person)" }
}

extension IDKind {
  /// The word before the slash in a written item, such as `comment`; for a user it is `profile`.
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
