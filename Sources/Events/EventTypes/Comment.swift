/// An event about one comment.
public enum CommentEvent: EventFamily, CodedFamily {
  /// A user posted the comment.
  indirect case posted(CommentPosted)
  /// The author changed the comment's text.
  indirect case edited(CommentEdited)
  /// The comment was removed permanently.
  case removed(CommentReference)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .comment(let event): self = event
    default: return nil
    }
  }

  func visit<V: EventVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .posted(let data): visitor.visit(.commentPosted, data) { .comment(.posted($0)) }
    case .edited(let data): visitor.visit(.commentEdited, data) { .comment(.edited($0)) }
    case .removed(let data): visitor.visit(.commentRemoved, data) { .comment(.removed($0)) }
    }
  }
}

/// The data of `CommentPosted`: a comment on a workout, or a reply to another comment on it.
public struct CommentPosted: EventData {
  /// The new comment's id.
  public var comment: CommentID
  /// The workout that the comment is on.
  public var workout: WorkoutID
  /// The comment's author.
  public var user: UserID
  /// The comment's text.
  public var text: String
  /// The comment to which this comment is a reply; nil if it is not a reply.
  public var replyTo: CommentID?

  /// Creates the data of a `CommentPosted` event.
  public init(
    comment: CommentID, workout: WorkoutID, user: UserID, text: String, replyTo: CommentID? = nil
  ) {
    (self.comment, self.workout, self.user, self.text) = (comment, workout, user, text)
    self.replyTo = replyTo
  }

  init() { self.init(comment: .blank, workout: .blank, user: .blank, text: "") }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("comment", &comment)
    try members("workout", &workout)
    try members("user", &user)
    try members.text("text", &text, .words)
    try members("replyTo", &replyTo)
  }

  public var stream: StreamID { .comment(comment) }

  var words: Words? { Words(of: AnyID(comment), by: .user(user)) }
}

/// The data of `CommentEdited`: the comment's new text.
public struct CommentEdited: EventData {
  /// The id of the edited comment.
  public var comment: CommentID
  /// The comment's new text.
  public var text: String

  /// Creates the data of a `CommentEdited` event.
  public init(comment: CommentID, text: String) {
    (self.comment, self.text) = (comment, text)
  }

  init() { self.init(comment: .blank, text: "") }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("comment", &comment)
    try members.text("text", &text, .words)
  }

  public var stream: StreamID { .comment(comment) }

  var words: Words? { Words(of: AnyID(comment), by: .maker) }
}

/// The data of `CommentRemoved`, which names the removed comment.
public struct CommentReference: WordlessData {
  /// The id of the removed comment.
  public var comment: CommentID

  /// Creates the data of a `CommentRemoved` event.
  public init(comment: CommentID) { self.comment = comment }

  init() { self.init(comment: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("comment", &comment)
  }

  public var stream: StreamID { .comment(comment) }
}
