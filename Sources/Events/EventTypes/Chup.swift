/// An event about one user's chup (like) on one workout.
public enum ChupEvent: EventFamily, CodedFamily {
  /// A user gave the workout a chup, or turned their chup into a big one.
  case given(ChupGiven)
  /// A user withdrew their chup from the workout.
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

/// The data of `ChupGiven`: a user's like on a workout.
public struct ChupGiven: WordlessData {
  /// The workout that the user likes.
  public var workout: WorkoutID
  /// The user who gives the chup.
  public var user: UserID
  /// Whether the chup is a big one.
  public var big: Bool

  /// Creates the data of a `ChupGiven` event.
  public init(workout: WorkoutID, user: UserID, big: Bool) {
    (self.workout, self.user, self.big) = (workout, user, big)
  }

  init() { self.init(workout: .blank, user: .blank, big: false) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("workout", &workout)
    try members("user", &user)
    try members("big", &big)
  }

  public var stream: StreamID { .chup(workout, user) }
}

/// The data of `ChupWithdrawn`: a user removes their chup from a workout, big or not.
public struct ChupWithdrawn: WordlessData {
  /// The workout that had the chup.
  public var workout: WorkoutID
  /// The user who withdraws the chup.
  public var user: UserID

  /// Creates the data of a `ChupWithdrawn` event.
  public init(workout: WorkoutID, user: UserID) {
    (self.workout, self.user) = (workout, user)
  }

  init() { self.init(workout: .blank, user: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("workout", &workout)
    try members("user", &user)
  }

  public var stream: StreamID { .chup(workout, user) }
}
