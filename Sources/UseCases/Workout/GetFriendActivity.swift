import Events

/// The latest workouts of the caller's circle, and the caller's own.
public struct GetFriendActivity: Query {
  public struct Input: UseCaseInput {
    public var limit: Int?
    public var offset: Int?
    public var after: PageCursor?

    public init(limit: Int? = nil, offset: Int? = nil, after: PageCursor? = nil) {
      (self.limit, self.offset, self.after) = (limit, offset, after)
    }

    public init(from fields: inout Fields) throws(InputError) {
      limit = try fields.optional(
        "limit", "At most so many: 1 to 50; all of them by default. Less counts as 1, more as 50.")
      offset = try fields.offset()
      after = try fields.after(
        "Only rows behind this one: the last row's date, a comma, and its workout.")
    }
  }

  /// How many of the caller's own workouts, and of each other's.
  private static let (own, each) = (10, 3)

  public static let about = About(
    "GetFriendActivity", .workouts,
    "Show one's last 10 workouts, and the last 3 of each in one's circle",
    result: "feed items, the latest date first", errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  /// - Complexity: O(circle), and some microseconds for each item answered.
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
