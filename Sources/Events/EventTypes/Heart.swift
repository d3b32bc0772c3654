/// An event about one user's heart on one comment.
public enum HeartEvent: EventFamily, CodedFamily {
  /// A user gave a comment a heart.
  case given(Heart)
  /// A user withdrew their heart from a comment.
  case withdrawn(Heart)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .heart(let event): self = event
    default: return nil
    }
  }

  func visit<V: EventVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .given(let data): visitor.visit(.commentHearted, data) { .heart(.given($0)) }
    case .withdrawn(let data): visitor.visit(.commentUnhearted, data) { .heart(.withdrawn($0)) }
    }
  }
}

/// The data of `CommentHearted` and `CommentUnhearted`: a user gives or withdraws a heart.
public struct Heart: WordlessData {
  /// The comment to which the user gives the heart, or from which the user withdraws it.
  public var comment: CommentID
  /// The user who gives or withdraws the heart.
  public var user: UserID

  /// Creates the data of a `CommentHearted` or `CommentUnhearted` event.
  public init(comment: CommentID, user: UserID) {
    (self.comment, self.user) = (comment, user)
  }

  init() { self.init(comment: .blank, user: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("comment", &comment)
    try members("user", &user)
  }

  public var stream: StreamID { .heart(comment, user) }
}
