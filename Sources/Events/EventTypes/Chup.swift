/// What happens to one user's chup of one workout.
public enum ChupEvent: EventFamily, CodedFamily {
  case given(ChupGiven)
  case withdrawn(ChupWithdrawn)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .chup(let event): self = event
    default: return nil
    }
  }

  public var type: EventType {
    switch self {
    case .given: .chupGiven
    case .withdrawn: .chupWithdrawn
    }
  }

  func visitData<V: DataVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .given(let data): visitor.visit(data)
    case .withdrawn(let data): visitor.visit(data)
    }
  }

  mutating func mapData(_ map: inout some DataMap) {
    switch self {
    case .given(let data): self = .given(map(data))
    case .withdrawn(let data): self = .withdrawn(map(data))
    }
  }
}

/// The data of `ChupGiven`: a like on a workout, perhaps a big one.
public struct ChupGiven: WordlessData {
  public var workout: WorkoutID
  public var user: UserID
  public var big: Bool

  public init(workout: WorkoutID, user: UserID, big: Bool) {
    self.workout = workout
    self.user = user
    self.big = big
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    workout = try r.required("workout")
    user = try r.required("user")
    big = try r.required("big")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("workout", workout)
    w.member("user", user)
    w.member("big", big)
  }

  public var stream: StreamID { .chup(workout, user) }

  mutating func mapIDs(_ map: some IDMap) {
    workout = map(workout)
    user = map(user)
  }
}

/// The data of `ChupWithdrawn`: the like, big or not, is gone.
public struct ChupWithdrawn: WordlessData {
  public var workout: WorkoutID
  public var user: UserID

  public init(workout: WorkoutID, user: UserID) {
    self.workout = workout
    self.user = user
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    workout = try r.required("workout")
    user = try r.required("user")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("workout", workout)
    w.member("user", user)
  }

  public var stream: StreamID { .chup(workout, user) }

  mutating func mapIDs(_ map: some IDMap) {
    workout = map(workout)
    user = map(user)
  }
}
