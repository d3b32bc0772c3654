/// What happens to a workout.
public enum WorkoutEvent: EventFamily, CodedFamily {
  indirect case shared(WorkoutShared)
  indirect case edited(WorkoutEdited)
  indirect case detailAttached(WorkoutDetailAttached)
  case removed(WorkoutReference)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .workout(let event): self = event
    default: return nil
    }
  }

  func visit<V: EventVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .shared(let data): visitor.visit(.workoutShared, data) { .workout(.shared($0)) }
    case .edited(let data): visitor.visit(.workoutEdited, data) { .workout(.edited($0)) }
    case .detailAttached(let data):
      visitor.visit(.workoutDetailAttached, data) { .workout(.detailAttached($0)) }
    case .removed(let data): visitor.visit(.workoutRemoved, data) { .workout(.removed($0)) }
    }
  }
}

/// The data of `WorkoutShared` 2: an activity, or a post, and who may see it. Version 1 had no
/// audience, and required local id, type, time, distance and split.
///
/// Distances are metres; times are texts, `mm:ss.t` or `h:mm:ss.t`; the split is per 500 m.
public struct WorkoutShared: EventData {
  public var workout: WorkoutID
  public var owner: UserID
  public var localID: String?
  public var date: DateTime
  public var workoutType: String?
  public var totalTime: String?
  public var totalDistance: Int64?
  public var averageSplit: String?
  public var intensityZone: String?
  public var isErgTest: Bool
  public var text: String?
  public var session: String?
  public var climb: String?
  /// Who may see it; nil leaves that to the rules.
  public var audience: Audience?

  public init(
    workout: WorkoutID, owner: UserID, localID: String? = nil, date: DateTime,
    workoutType: String? = nil, totalTime: String? = nil, totalDistance: Int64? = nil,
    averageSplit: String? = nil, intensityZone: String? = nil, isErgTest: Bool = false,
    text: String? = nil, session: String? = nil, climb: String? = nil, audience: Audience? = nil
  ) {
    self.workout = workout
    self.owner = owner
    self.localID = localID
    self.date = date
    self.workoutType = workoutType
    self.totalTime = totalTime
    self.totalDistance = totalDistance
    self.averageSplit = averageSplit
    self.intensityZone = intensityZone
    self.isErgTest = isErgTest
    self.text = text
    self.session = session
    self.climb = climb
    self.audience = audience
  }

  init() { self.init(workout: .blank, owner: .blank, date: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("workout", &workout)
    try members("owner", &owner)
    try members("localID", &localID)
    try members("date", &date)
    try members("workoutType", &workoutType)
    try members("totalTime", &totalTime)
    try members("totalDistance", &totalDistance)
    try members("averageSplit", &averageSplit)
    try members("intensityZone", &intensityZone)
    try members("isErgTest", &isErgTest)
    try members("text", &text)
    try members("session", &session)
    try members("climb", &climb)
    try members("audience", &audience)
  }

  public var stream: StreamID { .workout(workout) }

  var words: Words? { Words(of: AnyID(workout), by: .user(owner)) }

  mutating func mapContent(_ map: inout some ContentMap) {
    localID = map.text(localID, "localID", .key)
    workoutType = map.text(workoutType, "workoutType")
    intensityZone = map.text(intensityZone, "intensityZone")
    text = map.text(text, "text")
    session = map.text(session, "session")
    climb = map.text(climb, "climb")
  }
}

extension WorkoutShared {
  /// How far the date of a workout may be after the time of the event that says it: two days, in
  /// milliseconds.
  public static let longestLead: Int64 = 2 * 86_400_000

  /// Applies a merge patch: what it does not name stays as it was.
  public mutating func apply(_ edit: WorkoutEdited) {
    date = edit.date ?? date
    edit.workoutType.apply(to: &workoutType)
    edit.totalTime.apply(to: &totalTime)
    edit.totalDistance.apply(to: &totalDistance)
    edit.averageSplit.apply(to: &averageSplit)
    edit.intensityZone.apply(to: &intensityZone)
    isErgTest = edit.isErgTest ?? isErgTest
    edit.text.apply(to: &text)
    edit.session.apply(to: &session)
    edit.climb.apply(to: &climb)
    edit.audience.apply(to: &audience)
  }
}

/// The data of `WorkoutEdited` 2, a merge patch (RFC 7396) of the members from `date` on.
public struct WorkoutEdited: EventData {
  public var workout: WorkoutID
  public var date: DateTime?
  public var workoutType: Patch<String>
  public var totalTime: Patch<String>
  public var totalDistance: Patch<Int64>
  public var averageSplit: Patch<String>
  public var intensityZone: Patch<String>
  public var isErgTest: Bool?
  public var text: Patch<String>
  public var session: Patch<String>
  public var climb: Patch<String>
  public var audience: Patch<Audience>

  public init(
    workout: WorkoutID, date: DateTime? = nil, workoutType: Patch<String> = .keep,
    totalTime: Patch<String> = .keep, totalDistance: Patch<Int64> = .keep,
    averageSplit: Patch<String> = .keep,
    intensityZone: Patch<String> = .keep, isErgTest: Bool? = nil, text: Patch<String> = .keep,
    session: Patch<String> = .keep, climb: Patch<String> = .keep, audience: Patch<Audience> = .keep
  ) {
    self.workout = workout
    self.date = date
    self.workoutType = workoutType
    self.totalTime = totalTime
    self.totalDistance = totalDistance
    self.averageSplit = averageSplit
    self.intensityZone = intensityZone
    self.isErgTest = isErgTest
    self.text = text
    self.session = session
    self.climb = climb
    self.audience = audience
  }

  init() { self.init(workout: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("workout", &workout)
    try members("date", &date)
    try members("workoutType", &workoutType)
    try members("totalTime", &totalTime)
    try members("totalDistance", &totalDistance)
    try members("averageSplit", &averageSplit)
    try members("intensityZone", &intensityZone)
    try members("isErgTest", &isErgTest)
    try members("text", &text)
    try members("session", &session)
    try members("climb", &climb)
    try members("audience", &audience)
  }

  public var stream: StreamID { .workout(workout) }

  var words: Words? { Words(of: AnyID(workout), by: .maker) }

  mutating func mapContent(_ map: inout some ContentMap) {
    workoutType = map.text(workoutType, "workoutType")
    intensityZone = map.text(intensityZone, "intensityZone")
    text = map.text(text, "text")
    session = map.text(session, "session")
    climb = map.text(climb, "climb")
  }
}

/// The data of `WorkoutRemoved`: a workout and nothing else.
public struct WorkoutReference: WordlessData {
  public var workout: WorkoutID

  public init(workout: WorkoutID) {
    self.workout = workout
  }

  init() { self.init(workout: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("workout", &workout)
  }

  public var stream: StreamID { .workout(workout) }
}

/// Who may see a workout, from the fewest to the most.
///
/// The profile of an owner that is not public caps it at `friends`.
public enum Audience: String, CaseIterable, Sendable, BitwiseCopyable {
  /// The owner.
  case `private`
  case friends
  /// Those who follow the owner, and friends.
  case followers
  /// Anybody, signed in or not.
  case `public`
}
