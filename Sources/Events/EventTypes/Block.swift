/// An event about one user's block of another.
public enum BlockEvent: EventFamily, CodedFamily {
  /// A user blocked another user.
  case blocked(Block)
  /// A user removed their block of another user.
  case unblocked(Block)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .block(let event): self = event
    default: return nil
    }
  }

  func visit<V: EventVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .blocked(let data): visitor.visit(.userBlocked, data) { .block(.blocked($0)) }
    case .unblocked(let data): visitor.visit(.userUnblocked, data) { .block(.unblocked($0)) }
    }
  }
}

/// The data of `UserBlocked` and `UserUnblocked`: a user blocks another user, or no longer does.
public struct Block: WordlessData {
  /// The user who blocks the other user.
  public var user: UserID
  /// The user whom the first user blocks.
  public var other: UserID

  /// Creates the data of a `UserBlocked` or `UserUnblocked` event.
  public init(user: UserID, other: UserID) {
    (self.user, self.other) = (user, other)
  }

  init() { self.init(user: .blank, other: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members("other", &other)
  }

  public var stream: StreamID { .block(user, other) }
}
