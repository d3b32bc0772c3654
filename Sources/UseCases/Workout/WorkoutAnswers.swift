import Events

/// A shared workout.
public struct Workout: Answer {
  public var workout: String
  public var owner: String
  public var localID: String
  public var date: DateTime
  public var workoutType: String
  public var totalTime: String
  public var totalDistance: Int64
  public var averageSplit: String
  public var intensityZone: String?
  public var isErgTest: Bool
  public var text: String?
  public var session: String?
  public var climb: String?

  init(_ shared: WorkoutShared, _ names: Names) {
    workout = names[shared.workout]
    owner = names[shared.owner]
    localID = shared.localID
    date = shared.date
    workoutType = shared.workoutType
    totalTime = shared.totalTime
    totalDistance = shared.totalDistance
    averageSplit = shared.averageSplit
    intensityZone = shared.intensityZone
    isErgTest = shared.isErgTest
    text = shared.text
    session = shared.session
    climb = shared.climb
  }

  public var json: JSONValue { .object(members) }

  var members: [JSONValue.Member] {
    [
      .init("workout", .string(workout)), .init("owner", .string(owner)),
      .init("localID", .string(localID)), .init("date", .string(date.text)),
      .init("workoutType", .string(workoutType)), .init("totalTime", .string(totalTime)),
      .init("totalDistance", .int(totalDistance)), .init("averageSplit", .string(averageSplit)),
      .init("intensityZone", .optional(intensityZone)), .init("isErgTest", .bool(isErgTest)),
      .init("text", .optional(text)), .init("session", .optional(session)),
      .init("climb", .optional(climb)),
    ]
  }
}

/// A workout with what is attached to it.
public struct WorkoutDetail: Answer {
  public var workout: Workout
  /// Nil where nothing is attached.
  public var intervals: [Interval]?
  public var image: String?
  public var ocrConfidence: Double?
  public var wasManuallyEdited: Bool?

  init(_ workout: Workout, _ detail: WorkoutDetailAttached?) {
    self.workout = workout
    intervals = detail?.intervals
    image = detail?.image
    ocrConfidence = detail?.ocrConfidence
    wasManuallyEdited = detail?.wasManuallyEdited
  }

  public var json: JSONValue {
    .object(
      workout.members + [
        .init("intervals", intervals.map { .array($0.map(Self.json)) } ?? .null),
        .init("image", .optional(image)),
        .init("ocrConfidence", ocrConfidence.map { .double($0) } ?? .null),
        .init("wasManuallyEdited", wasManuallyEdited.json),
      ])
  }

  private static func json(_ interval: Interval) -> JSONValue {
    .object([
      "orderIndex": .int(interval.orderIndex), "time": .string(interval.time),
      "meters": .int(interval.meters), "splitPer500m": .string(interval.splitPer500m),
      "strokeRate": .int(interval.strokeRate), "heartRate": .optional(interval.heartRate),
      "timeConfidence": .double(interval.timeConfidence),
      "metersConfidence": .double(interval.metersConfidence),
      "splitConfidence": .double(interval.splitConfidence),
      "rateConfidence": .double(interval.rateConfidence),
      "heartRateConfidence": interval.heartRateConfidence.map { .double($0) } ?? .null,
    ])
  }
}

/// A workout in a feed, with what its viewer wants to know at once.
public struct FeedItem: Answer {
  public var workout: String
  public var owner: String
  public var handle: String
  public var displayName: String?
  public var date: DateTime
  public var workoutType: String
  public var totalTime: String
  public var totalDistance: Int64
  public var averageSplit: String
  public var intensityZone: String?
  public var isErgTest: Bool
  public var chupCount: Int
  public var chuppedByMe: Bool
  public var commentCount: Int
  public var latestComment: CommentRow?

  init(_ shared: WorkoutShared, for viewer: UserID, in model: borrowing Model) {
    let owner = model.views.profiles.card(of: shared.owner)
    let comments = model.views.comments.of(shared.workout)
    workout = model.names[shared.workout]
    self.owner = model.names[shared.owner]
    handle = owner?.handle ?? ""
    displayName = owner?.displayName
    date = shared.date
    workoutType = shared.workoutType
    totalTime = shared.totalTime
    totalDistance = shared.totalDistance
    averageSplit = shared.averageSplit
    intensityZone = shared.intensityZone
    isErgTest = shared.isErgTest
    chupCount = model.views.chups.users(of: shared.workout).count
    chuppedByMe = model.views.chups.hasChupped(shared.workout, viewer)
    commentCount = comments.count
    latestComment = comments.last.flatMap { CommentRow($0, for: viewer, in: model) }
  }

  public var json: JSONValue {
    .object([
      "workout": .string(workout), "owner": .string(owner), "handle": .string(handle),
      "displayName": .optional(displayName), "date": .string(date.text),
      "workoutType": .string(workoutType), "totalTime": .string(totalTime),
      "totalDistance": .int(totalDistance), "averageSplit": .string(averageSplit),
      "intensityZone": .optional(intensityZone), "isErgTest": .bool(isErgTest),
      "chupCount": .int(chupCount), "chuppedByMe": .bool(chuppedByMe),
      "commentCount": .int(commentCount), "latestComment": latestComment.json,
    ])
  }
}
