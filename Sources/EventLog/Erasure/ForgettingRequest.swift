import Events

/// The people and items that a log is to forget.
public struct ForgettingRequest: Sendable {
  /// The ids of people whose names and texts go.
  public var people: [String]
  /// Items of which only the texts go.
  public var items: [Item]
  /// Whether other people's texts that name the forgotten are changed.
  public var changesMentions = false
  /// For the ledger; it must name nobody.
  public var reason = ""
  /// For the ledger: a keyed mark of each person and item.
  public var marks: [String] = []
  /// The app's own types of events whose personal members are to go.
  public var appEvents: AppEventTypes = []

  /// Something with texts, named by the kind of its stream and its id: `comment/c1`.
  public struct Item: Hashable, Sendable, CustomStringConvertible {
    public var kind: IDKind
    public var id: String

    public init(_ kind: IDKind, _ id: String) { (self.kind, self.id) = (kind, id) }

    /// - Parameter text: `profile/ann`, `workout/w1`, `comment/c1`, `group/g1`, `message/m1`,
    ///   `report/r1`.
    /// - Returns: nil for anything else.
    public init?(_ text: String) {
      let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let kind = IDKind.allCases.first(where: { $0.itemName == parts[0] }),
        isValidID(parts[1].utf8)
      else { return nil }
      self.init(kind, String(parts[1]))
    }

    public var description: String { "\(kind.itemName)/\(id)" }
  }

  public init(people: [String] = [], items: [Item] = []) {
    (self.people, self.items) = (people, items)
  }

  /// The texts that marks are computed from: `person/ann`, `comment/c1`.
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
