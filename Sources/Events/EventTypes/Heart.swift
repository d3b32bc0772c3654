/// What happens to one user's heart on one comment.
public enum HeartEvent: EventFamily, CodedFamily {
  case given(Heart)
  case withdrawn(Heart)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .heart(let event): self = event
    default: return nil
    }
  }

  public var type: EventType {
    switch self {
    case .given: .commentHearted
    case .withdrawn: .commentUnhearted
    }
  }

  func visitData<V: DataVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .given(let data), .withdrawn(let data): visitor.visit(data)
    }
  }

  mutating func mapData(_ map: inout some DataMap) {
    switch self {
    case .given(let data): self = .given(map(data))
    case .withdrawn(let data): self = .withdrawn(map(data))
    }
  }
}

/// The data of `CommentHearted` and `CommentUnhearted`: whose heart on which comment.
public struct Heart: WordlessData {
  public var comment: CommentID
  public var user: UserID

  public init(comment: CommentID, user: UserID) {
    self.comment = comment
    self.user = user
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    comment = try r.required("comment")
    user = try r.required("user")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("comment", comment)
    w.member("user", user)
  }

  public var stream: StreamID { .heart(comment, user) }

  mutating func mapIDs(_ map: some IDMap) {
    comment = map(comment)
    user = map(user)
  }
}
