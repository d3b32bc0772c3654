import Events

/// The latest workouts of the caller and, depending on the rules, of friends or of followed users.
public struct GetFriendActivity: Query {
  /// The input of `GetFriendActivity`.
  public struct Input: UseCaseInput {
    /// The maximum number of rows: 1 to 50; nil returns all rows.
    public var limit: Int?
    /// The number of rows to skip at the start of the list; by default 0.
    public var offset: Int?
    /// The cursor of the previous page's last row; nil for the first page.
    public var after: PageCursor?

    /// Creates the input.
    public init(limit: Int? = nil, offset: Int? = nil, after: PageCursor? = nil) {
      (self.limit, self.offset, self.after) = (limit, offset, after)
    }

    public static var placeholder: Input { Input() }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.optional(
        "limit",
        "The maximum number of rows: 1 to 50, by default all. Less counts as 1, more as 50.", &limit
      )
      try fields.offset(&offset)
      try fields.after(
        "Only rows after this one: the last row's date, a comma, and its workout.", &after)
    }
  }

  /// The maximum number of the caller's own workouts, and of workouts of each other user.
  package static let (own, each) = (10, 3)

  public static let about = About(
    "GetFriendActivity", .workouts,
    "Show the caller's last 10 workouts, and the last 3 of each friend or followed user",
    result: "feed items, the latest date first", errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  /// - Complexity: O(friends or followed users), and some microseconds for each returned item.
  public static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [FeedItem] {
    let viewer = try model.signedIn(caller)
    let owners = model.circle(of: viewer).map {
      (owner: $0, each: $0 == viewer ? Self.own : Self.each)
    }
    return model.feed(
      of: owners, for: viewer, limit: input.limit.map { clamped($0) } ?? .max,
      offset: input.offset, after: input.after)
  }
}
