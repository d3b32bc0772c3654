import Events
import Projections

/// A workout, to its owner and the owner's friends.
public struct GetWorkout: Query {
  public static let about = About(
    "GetWorkout", .workouts, "Show a workout", result: "the workout",
    errors: ["workoutNotFound", "notVisible"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: WorkoutReferenceInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Workout {
    Workout(try model.visible(input.workout, to: caller), model.names)
  }
}

public typealias RefreshWorkout = Refresh<GetWorkout>

/// A workout with its intervals, to its owner and the owner's friends.
public struct GetWorkoutDetail: Query {
  public static let about = About(
    "GetWorkoutDetail", .workouts, "Show a workout with its intervals",
    result: "the workout, with intervals, image, ocrConfidence and wasManuallyEdited",
    errors: ["workoutNotFound", "notVisible"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: WorkoutReferenceInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> WorkoutDetail {
    let shared = try model.visible(input.workout, to: caller)
    return WorkoutDetail(
      Workout(shared, model.names), model.views.workouts.detail(of: shared.workout))
  }
}

public typealias RefreshWorkoutDetail = Refresh<GetWorkoutDetail>

/// What friends did lately.
public struct GetFriendActivity: Query {
  /// Of the caller's own workouts, and of each friend's.
  private static let (own, each) = (10, 3)

  public static let about = About(
    "GetFriendActivity", .workouts, "Show one's last 10 workouts and each friend's last 3",
    result: "feed items, the latest date first", errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: NoInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [FeedItem] {
    let viewer = try model.viewer(caller)
    let friends = model.views.relationships.friends(of: viewer)
    let owners = [(owner: viewer, each: Self.own)] + friends.map { ($0, Self.each) }
    let latest = model.views.workouts.latest(of: owners)
    var items: [FeedItem] = []
    items.reserveCapacity(latest.count)
    for id in latest {
      guard let workout = model.views.workouts[id] else { continue }
      items.append(FeedItem(workout, for: viewer, in: model))
    }
    return items
  }
}

public typealias RefreshFriendActivity = Refresh<GetFriendActivity>

/// The caller's and their friends' workouts, page by page.
public struct GetFeed: Query {
  public struct Input: UseCaseInput {
    public var limit: Int?
    public var offset: Int?
    public var owner: String?
    public var workoutType: String?
    public var from: DateOrTime?
    public var to: DateOrTime?

    public init(
      limit: Int? = nil, offset: Int? = nil, owner: String? = nil, workoutType: String? = nil,
      from: DateOrTime? = nil, to: DateOrTime? = nil
    ) {
      self.limit = limit
      self.offset = offset
      self.owner = owner
      self.workoutType = workoutType
      self.from = from
      self.to = to
    }

    public init(from fields: inout Fields) throws(InputError) {
      limit = try fields.limit()
      offset = try fields.offset()
      owner = try fields.optional("owner", "Only this user's.")
      workoutType = try fields.optional("workoutType", "Only of this type.")
      from = try fields.optional("from", "Not before this day, or date and time.")
      to = try fields.optional("to", "Not after this day, or date and time.")
    }
  }

  public static let about = About(
    "GetFeed", .workouts, "Show one's own and one's friends' workouts",
    result: "feed items, the latest date first", errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [FeedItem] {
    let viewer = try model.viewer(caller)
    var owners = [viewer] + Array(model.views.relationships.friends(of: viewer))
    if let owner = input.owner {
      owners = owners.filter { model.names[$0] == owner }
    }
    let end = input.to.map { Timestamp(milliseconds: $0.last.milliseconds + 1) }
    let limit = clamped(input.limit)
    var toSkip = max(input.offset ?? 0, 0)
    var items: [FeedItem] = []
    model.views.workouts.visitNewest(of: owners, before: end) { workout in
      if let from = input.from, workout.date.instant < from.first { return false }
      if let type = input.workoutType, workout.workoutType != type { return true }
      if toSkip > 0 {
        toSkip -= 1
        return true
      }
      items.append(FeedItem(workout, for: viewer, in: model))
      return items.count < limit
    }
    return items
  }
}

public typealias RefreshFeed = Refresh<GetFeed>

/// Who moved furthest in a week or a month.
public struct GetLeaderboard: Query {
  public struct Input: UseCaseInput {
    public var period: Leaderboard.Span
    public var containing: CalendarDate
    public var friendsOnly: Bool?

    public init(
      period: Leaderboard.Span, containing: CalendarDate, friendsOnly: Bool? = nil
    ) {
      self.period = period
      self.containing = containing
      self.friendsOnly = friendsOnly
    }

    public init(from fields: inout Fields) throws(InputError) {
      period = try fields.required("period", "A week from Monday on, or a month, in UTC.")
      containing = try fields.required("containing", "A day in it.")
      friendsOnly = try fields.optional(
        "friendsOnly", "Whether only oneself and friends are ranked; false by default.")
    }
  }

  public struct Row: Answer {
    public var user: String
    public var handle: String
    public var meters: Int64
    /// 1 is the best; equal metres share a rank, and the next one is skipped.
    public var rank: Int

    public var json: JSONValue {
      .object([
        "user": .string(user), "handle": .string(handle), "meters": .int(meters),
        "rank": .int(rank),
      ])
    }
  }

  public static let about = About(
    "GetLeaderboard", .workouts, "Rank users by the metres of a week or a month",
    result: "user, handle, meters and rank, the most metres first, then by handle",
    errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [Row] {
    let all = model.views.leaderboard.meters(in: input.period, containing: input.containing.start)
    let profiles = model.views.profiles
    var scores = all
    if input.friendsOnly ?? false {
      let viewer = try model.viewer(caller)
      scores = [:]
      for user in [viewer] + Array(model.views.relationships.friends(of: viewer)) {
        scores[user] = all[user]
      }
    }
    scores = scores.filter { profiles.card(of: $0.key) != nil }
    return Leaderboard.ranking(scores, profiles, model.names).map {
      Row(
        user: model.names[$0.user], handle: profiles.card(of: $0.user)?.handle ?? "",
        meters: $0.meters, rank: $0.rank)
    }
  }
}

public typealias RefreshLeaderboard = Refresh<GetLeaderboard>
