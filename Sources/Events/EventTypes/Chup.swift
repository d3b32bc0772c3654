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

  func visit<V: EventVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .given(let data): visitor.visit(.chupGiven, data) { .chup(.given($0)) }
    case .withdrawn(let data): visitor.visit(.chupWithdrawn, data) { .chup(.withdrawn($0)) }
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

  init() { self.init(workout: .blank, user: .blank, big: false) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("workout", &workout)
    try members("user", &user)
    try members("big", &big)
  }

  public var stream: StreamID { .chup(workout, user) }
}

/// The data of `ChupWithdrawn`: the like, big or not, is gone.
public struct ChupWithdrawn: WordlessData {
  public var workout: WorkoutID
  public var user: UserID

  public init(workout: WorkoutID, user: UserID) {
    self.workout = workout
    self.user = user
  }

  init() { self.init(workout: .blank, user: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("workout", &workout)
    try members("user", &user)
  }

  public var stream: StreamID { .chup(workout, user) }
}
