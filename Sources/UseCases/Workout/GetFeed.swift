import Events
import Projections

/// The workouts of the caller and, depending on the rules, of friends or of followed users.
public struct GetFeed: Query {
  /// The input of `GetFeed`.
  public struct Input: UseCaseInput {
    /// The maximum number of rows: 1 to 50, by default 20.
    public var limit: Int?
    /// The number of rows to skip at the start of the list; by default 0.
    public var offset: Int?
    /// The cursor of the previous page's last row; nil for the first page.
    public var after: PageCursor?
    /// The id of a user, to return only that user's workouts; nil for all users in the feed.
    public var owner: String?
    /// A workout type, to return only workouts of this type; nil for all types.
    public var workoutType: String?
    /// Returns only workouts on or after this day, or this date and time; nil for no lower bound.
    public var from: DateOrTime?
    /// Returns only workouts on or before this day, or this date and time; nil for no upper bound.
    public var to: DateOrTime?

    /// Creates the input.
    public init(
      limit: Int? = nil, offset: Int? = nil, owner: String? = nil, workoutType: String? = nil,
      from: DateOrTime? = nil, to: DateOrTime? = nil, after: PageCursor? = nil
    ) {
      (self.limit, self.offset, self.after, self.owner) = (limit, offset, after, owner)
      (self.workoutType, self.from, self.to) = (workoutType, from, to)
    }

    public static var placeholder: Input { Input() }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.limit(&limit)
      try fields.offset(&offset)
      try fields.after(
        "Only rows after this one: the last row's date, a comma, and its workout.", &after)
      try fields.optional("owner", "Only workouts of this user.", &owner)
      try fields.optional("workoutType", "Only workouts of this type.", &workoutType)
      try fields.optional("from", "Only workouts from this day, or date and time, on.", &from)
      try fields.optional("to", "Only workouts up to this day, or date and time.", &to)
    }
  }

  public static let about = About(
    "GetFeed", .workouts,
    "Show the caller's workouts, and those of friends or followed users as the rules say",
    result: "feed items, the latest date first", errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [FeedItem] {
    let viewer = try model.signedIn(caller)
    var owners = model.circle(of: viewer)
    if let owner = input.owner {
      let wanted = model.views.find(user: owner, in: model.names)
      owners = owners.filter { $0 == wanted }
    }
    return model.feed(
      of: owners.map { ($0, .max) }, for: viewer, limit: clamped(input.limit),
      offset: input.offset, after: input.after, from: input.from, to: input.to
    ) { input.workoutType == nil || $0.workoutType == input.workoutType }
  }
}
