/// An event about one workout.
public enum WorkoutEvent: EventFamily, CodedFamily {
  /// A user shared the workout.
  indirect case shared(WorkoutShared)
  /// The owner changed some of the workout's fields.
  indirect case edited(WorkoutEdited)
  /// The owner added intervals to the workout.
  indirect case detailAttached(WorkoutDetailAttached)
  /// The workout was removed.
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

/// The data of `WorkoutShared`, version 2: an activity or a post that a user shares with an
/// audience.
///
/// Version 1 had no audience, and required `localID`, `workoutType`, `totalTime`, `totalDistance`
/// and `averageSplit`. Durations are texts: `mm:ss.t` or `h:mm:ss.t`.
public struct WorkoutShared: EventData {
  /// The new workout's id.
  public var workout: WorkoutID
  /// The user who shares the workout.
  public var owner: UserID
  /// The id that the app gave the workout, unique among the owner's workouts.
  public var localID: String?
  /// The date and time at which the activity took place.
  public var date: DateTime
  /// The type of the workout.
  public var workoutType: String?
  /// The workout's total duration.
  public var totalTime: String?
  /// The workout's total distance in metres.
  public var totalDistance: Int64?
  /// The workout's average time per 500 m.
  public var averageSplit: String?
  /// The workout's intensity zone, such as `UT2`.
  public var intensityZone: String?
  /// Whether the workout was a test.
  public var isErgTest: Bool
  /// The owner's text about the workout.
  public var text: String?
  /// The session that the workout was part of.
  public var session: String?
  /// The name of the climb in the workout.
  public var climb: String?
  /// The users who may see the workout; nil means the default of the `Rules`.
  public var audience: Audience?

  /// Creates the data of a `WorkoutShared` event.
  public init(
    workout: WorkoutID, owner: UserID, localID: String? = nil, date: DateTime,
    workoutType: String? = nil, totalTime: String? = nil, totalDistance: Int64? = nil,
    averageSplit: String? = nil, intensityZone: String? = nil, isErgTest: Bool = false,
    text: String? = nil, session: String? = nil, climb: String? = nil, audience: Audience? = nil
  ) {
    (self.workout, self.owner, self.localID, self.date) = (workout, owner, localID, date)
    (self.workoutType, self.totalTime, self.totalDistance) = (workoutType, totalTime, totalDistance)
    (self.averageSplit, self.intensityZone) = (averageSplit, intensityZone)
    (self.isErgTest, self.text, self.session, self.climb) = (isErgTest, text, session, climb)
    self.audience = audience
  }

  init() { self.init(workout: .blank, owner: .blank, date: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("workout", &workout)
    try members("owner", &owner)
    try members.text("localID", &localID, .key)
    try members("date", &date)
    try members.text("workoutType", &workoutType, .words)
    try members.text("totalTime", &totalTime, .plain)
    try members("totalDistance", &totalDistance)
    try members.text("averageSplit", &averageSplit, .plain)
    try members.text("intensityZone", &intensityZone, .words)
    try members("isErgTest", &isErgTest)
    try members.text("text", &text, .words)
    try members.text("session", &session, .words)
    try members.text("climb", &climb, .words)
    try members("audience", &audience)
  }

  public var stream: StreamID { .workout(workout) }

  var words: Words? { Words(of: AnyID(workout), by: .user(owner)) }
}

extension WorkoutShared {
  /// The longest time, in milliseconds, by which a workout's date may be after the event that sets
  /// the date: two days.
  public static let longestLead: Int64 = 2 * 86_400_000

  /// Applies the changes of an edit to the workout. Fields that the edit does not contain stay
  /// unchanged.
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

/// The data of `WorkoutEdited`, version 2: a merge patch (RFC 7396) of a workout, in which absent
/// fields stay unchanged.
public struct WorkoutEdited: EventData {
  /// The id of the edited workout.
  public var workout: WorkoutID
  /// The new date and time of the activity; nil keeps the old ones.
  public var date: DateTime?
  /// The change of the workout's type.
  public var workoutType: Patch<String>
  /// The change of the workout's total duration.
  public var totalTime: Patch<String>
  /// The change of the workout's total distance in metres.
  public var totalDistance: Patch<Int64>
  /// The change of the workout's average time per 500 m.
  public var averageSplit: Patch<String>
  /// The change of the workout's intensity zone.
  public var intensityZone: Patch<String>
  /// Whether the workout was a test; nil keeps the old value.
  public var isErgTest: Bool?
  /// The change of the owner's text about the workout.
  public var text: Patch<String>
  /// The change of the session that the workout was part of.
  public var session: Patch<String>
  /// The change of the name of the climb in the workout.
  public var climb: Patch<String>
  /// The change of the users who may see the workout.
  public var audience: Patch<Audience>

  /// Creates the data of a `WorkoutEdited` event. A parameter that you omit leaves that field of
  /// the workout unchanged.
  public init(
    workout: WorkoutID, date: DateTime? = nil, workoutType: Patch<String> = .keep,
    totalTime: Patch<String> = .keep, totalDistance: Patch<Int64> = .keep,
    averageSplit: Patch<String> = .keep,
    intensityZone: Patch<String> = .keep, isErgTest: Bool? = nil, text: Patch<String> = .keep,
    session: Patch<String> = .keep, climb: Patch<String> = .keep, audience: Patch<Audience> = .keep
  ) {
    (self.workout, self.date, self.workoutType) = (workout, date, workoutType)
    (self.totalTime, self.totalDistance) = (totalTime, totalDistance)
    (self.averageSplit, self.intensityZone) = (averageSplit, intensityZone)
    (self.isErgTest, self.text, self.session, self.climb) = (isErgTest, text, session, climb)
    self.audience = audience
  }

  init() { self.init(workout: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("workout", &workout)
    try members("date", &date)
    try members.text("workoutType", &workoutType, .words)
    try members.text("totalTime", &totalTime, .plain)
    try members("totalDistance", &totalDistance)
    try members.text("averageSplit", &averageSplit, .plain)
    try members.text("intensityZone", &intensityZone, .words)
    try members("isErgTest", &isErgTest)
    try members.text("text", &text, .words)
    try members.text("session", &session, .words)
    try members.text("climb", &climb, .words)
    try members("audience", &audience)
  }

  public var stream: StreamID { .workout(workout) }

  var words: Words? { Words(of: AnyID(workout), by: .maker) }
}

/// The data of `WorkoutRemoved`, which names the removed workout.
public struct WorkoutReference: WordlessData {
  /// The id of the removed workout.
  public var workout: WorkoutID

  /// Creates the data of a `WorkoutRemoved` event.
  public init(workout: WorkoutID) {
    self.workout = workout
  }

  init() { self.init(workout: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("workout", &workout)
  }

  public var stream: StreamID { .workout(workout) }
}

/// The users who may see a workout, from the smallest audience to the largest.
///
/// If the owner's profile is not public, no audience larger than `friends` sees the workout.
public enum Audience: String, CaseIterable, Sendable, BitwiseCopyable {
  /// Only the owner.
  case `private`
  /// The owner and their friends.
  case friends
  /// The owner, their friends and their followers.
  case followers
  /// Everybody, signed in or not.
  case `public`
}
