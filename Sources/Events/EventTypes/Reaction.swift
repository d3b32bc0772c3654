/// An event about one user's reactions to one workout.
public enum ReactionEvent: EventFamily, CodedFamily {
  /// A user gave the workout a reaction.
  case given(Reaction)
  /// A user withdrew a reaction to the workout.
  case withdrawn(Reaction)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .reaction(let event): self = event
    default: return nil
    }
  }

  func visit<V: EventVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .given(let data): visitor.visit(.reactionGiven, data) { .reaction(.given($0)) }
    case .withdrawn(let data): visitor.visit(.reactionWithdrawn, data) { .reaction(.withdrawn($0)) }
    }
  }
}

/// The data of `ReactionGiven` and `ReactionWithdrawn`: a user gives or withdraws a reaction.
public struct Reaction: WordlessData {
  /// The workout that the user reacts to.
  public var workout: WorkoutID
  /// The user who reacts.
  public var user: UserID
  /// The kind of reaction that the user gives or withdraws.
  public var kind: ReactionKind

  /// Creates the data of a `ReactionGiven` or `ReactionWithdrawn` event.
  public init(workout: WorkoutID, user: UserID, kind: ReactionKind) {
    (self.workout, self.user, self.kind) = (workout, user, kind)
  }

  init() { self.init(workout: .blank, user: .blank, kind: .fire) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("workout", &workout)
    try members("user", &user)
    try members("kind", &kind)
  }

  public var stream: StreamID { .reaction(workout, user) }
}

/// A kind of reaction that a user can give to a workout. A chup is not one of them.
public enum ReactionKind: String, CaseIterable, Sendable, BitwiseCopyable {
  case fire, strong, clap, wow, laugh
}

/// A set of kinds of reaction, such as one user's reactions to one workout.
public struct ReactionKinds: OptionSet, Sendable, BitwiseCopyable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Creates a set with one kind of reaction.
  public init(_ kind: ReactionKind) { rawValue = 1 << kind.number }

  /// The kinds of reaction in the set, in the order of `ReactionKind.allCases`.
  public var all: [ReactionKind] { ReactionKind.allCases.filter { contains(ReactionKinds($0)) } }
}

extension ReactionKind {
  /// The index of the kind in `allCases`, from 0. Do not change it, because checkpoints contain it.
  package var number: UInt8 {
    switch self {
    case .fire: 0
    case .strong: 1
    case .clap: 2
    case .wow: 3
    case .laugh: 4
    }
  }
}
