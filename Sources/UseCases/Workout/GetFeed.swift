import Events
import Projections

/// The workouts of the caller and of their circle, page by page.
public struct GetFeed: Query {
  public struct Input: UseCaseInput {
    public var limit: Int?
    public var offset: Int?
    public var after: PageCursor?
    public var owner: String?
    public var workoutType: String?
    public var from: DateOrTime?
    public var to: DateOrTime?

    public init(
      limit: Int? = nil, offset: Int? = nil, owner: String? = nil, workoutType: String? = nil,
      from: DateOrTime? = nil, to: DateOrTime? = nil, after: PageCursor? = nil
    ) {
      self.limit = limit
      self.offset = offset
      self.after = after
      self.owner = owner
      self.workoutType = workoutType
      self.from = from
      self.to = to
    }

    public init(from fields: inout Fields) throws(InputError) {
      limit = try fields.limit()
      offset = try fields.offset()
      after = try fields.after(
        "Only rows behind this one: the last row's date, a comma, and its workout.")
      owner = try fields.optional("owner", "Only this user's.")
      workoutType = try fields.optional("workoutType", "Only of this type.")
      from = try fields.optional("from", "Not before this day, or date and time.")
      to = try fields.optional("to", "Not after this day, or date and time.")
    }
  }

  public static let about = About(
    "GetFeed", .workouts, "Show one's own workouts and those of one's circle",
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
