/// What happens to a block of one user by another.
public enum BlockEvent: EventFamily, CodedFamily {
  case blocked(Block)
  case unblocked(Block)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .block(let event): self = event
    default: return nil
    }
  }

  public var type: EventType {
    switch self {
    case .blocked: .userBlocked
    case .unblocked: .userUnblocked
    }
  }

  func visitData<V: DataVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .blocked(let data), .unblocked(let data): visitor.visit(data)
    }
  }

  mutating func mapData(_ map: inout some DataMap) {
    switch self {
    case .blocked(let data): self = .blocked(map(data))
    case .unblocked(let data): self = .unblocked(map(data))
    }
  }
}

/// Who blocks whom: the data of `UserBlocked` and `UserUnblocked`.
public struct Block: WordlessData {
  public var user: UserID
  /// Who is blocked.
  public var other: UserID

  public init(user: UserID, other: UserID) {
    self.user = user
    self.other = other
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
    other = try r.required("other")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("user", user)
    w.member("other", other)
  }

  public var stream: StreamID { .block(user, other) }

  mutating func mapIDs(_ map: some IDMap) {
    user = map(user)
    other = map(other)
  }
}
