/// What happens to one user's reactions to one workout.
public enum ReactionEvent: EventFamily, CodedFamily {
  case given(Reaction)
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

/// Who reacts to which workout, and how: the data of `ReactionGiven` and `ReactionWithdrawn`.
public struct Reaction: WordlessData {
  public var workout: WorkoutID
  public var user: UserID
  public var kind: ReactionKind

  public init(workout: WorkoutID, user: UserID, kind: ReactionKind) {
    self.workout = workout
    self.user = user
    self.kind = kind
  }

  init() { self.init(workout: .blank, user: .blank, kind: .fire) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("workout", &workout)
    try members("user", &user)
    try members("kind", &kind)
  }

  public var stream: StreamID { .reaction(workout, user) }
}

/// How one can react to a workout, beside the chup.
public enum ReactionKind: String, CaseIterable, Sendable, BitwiseCopyable {
  case fire, strong, clap, wow, laugh
}

/// A set of kinds of reactions: those of one user to one workout.
public struct ReactionKinds: OptionSet, Sendable, BitwiseCopyable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public init(_ kind: ReactionKind) { rawValue = 1 << kind.number }

  /// In the order of `ReactionKind.allCases`.
  public var all: [ReactionKind] { ReactionKind.allCases.filter { contains(ReactionKinds($0)) } }
}

extension ReactionKind {
  /// 0, 1, 2 … in the order of `allCases`; checkpoints have it.
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
