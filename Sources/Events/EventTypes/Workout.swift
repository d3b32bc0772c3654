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

  public var type: EventType {
    switch self {
    case .shared: .workoutShared
    case .edited: .workoutEdited
    case .detailAttached: .workoutDetailAttached
    case .removed: .workoutRemoved
    }
  }

  func visitData<V: DataVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .shared(let data): visitor.visit(data)
    case .edited(let data): visitor.visit(data)
    case .detailAttached(let data): visitor.visit(data)
    case .removed(let data): visitor.visit(data)
    }
  }

  mutating func mapData(_ map: inout some DataMap) {
    switch self {
    case .shared(let data): self = .shared(map(data))
    case .edited(let data): self = .edited(map(data))
    case .detailAttached(let data): self = .detailAttached(map(data))
    case .removed(let data): self = .removed(map(data))
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

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    workout = try r.required("workout")
    owner = try r.required("owner")
    localID = try r.optional("localID")
    date = try r.required("date")
    workoutType = try r.optional("workoutType")
    totalTime = try r.optional("totalTime")
    totalDistance = try r.optional("totalDistance")
    averageSplit = try r.optional("averageSplit")
    intensityZone = try r.optional("intensityZone")
    isErgTest = try r.required("isErgTest")
    text = try r.optional("text")
    session = try r.optional("session")
    climb = try r.optional("climb")
    audience = try r.optional("audience")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("workout", workout)
    w.member("owner", owner)
    w.optional("localID", localID)
    w.member("date", date)
    w.optional("workoutType", workoutType)
    w.optional("totalTime", totalTime)
    w.optional("totalDistance", totalDistance)
    w.optional("averageSplit", averageSplit)
    w.optional("intensityZone", intensityZone)
    w.member("isErgTest", isErgTest)
    w.optional("text", text)
    w.optional("session", session)
    w.optional("climb", climb)
    w.optional("audience", audience)
  }

  public var stream: StreamID { .workout(workout) }

  mutating func mapIDs(_ map: some IDMap) {
    workout = map(workout)
    owner = map(owner)
  }

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

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    workout = try r.required("workout")
    date = try r.optional("date")
    workoutType = try r.patch("workoutType")
    totalTime = try r.patch("totalTime")
    totalDistance = try r.patch("totalDistance")
    averageSplit = try r.patch("averageSplit")
    intensityZone = try r.patch("intensityZone")
    isErgTest = try r.optional("isErgTest")
    text = try r.patch("text")
    session = try r.patch("session")
    climb = try r.patch("climb")
    audience = try r.patch("audience")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("workout", workout)
    w.optional("date", date)
    w.patch("workoutType", workoutType)
    w.patch("totalTime", totalTime)
    w.patch("totalDistance", totalDistance)
    w.patch("averageSplit", averageSplit)
    w.patch("intensityZone", intensityZone)
    w.optional("isErgTest", isErgTest)
    w.patch("text", text)
    w.patch("session", session)
    w.patch("climb", climb)
    w.patch("audience", audience)
  }

  public var stream: StreamID { .workout(workout) }

  mutating func mapIDs(_ map: some IDMap) {
    workout = map(workout)
  }

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

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    workout = try r.required("workout")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("workout", workout)
  }

  public var stream: StreamID { .workout(workout) }

  mutating func mapIDs(_ map: some IDMap) {
    workout = map(workout)
  }
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
