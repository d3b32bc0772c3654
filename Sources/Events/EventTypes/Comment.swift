/// What happens to a comment.
public enum CommentEvent: EventFamily, CodedFamily {
  indirect case posted(CommentPosted)
  indirect case edited(CommentEdited)
  case removed(CommentReference)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .comment(let event): self = event
    default: return nil
    }
  }

  public var type: EventType {
    switch self {
    case .posted: .commentPosted
    case .edited: .commentEdited
    case .removed: .commentRemoved
    }
  }

  func visitData<V: DataVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .posted(let data): visitor.visit(data)
    case .edited(let data): visitor.visit(data)
    case .removed(let data): visitor.visit(data)
    }
  }

  mutating func mapData(_ map: inout some DataMap) {
    switch self {
    case .posted(let data): self = .posted(map(data))
    case .edited(let data): self = .edited(map(data))
    case .removed(let data): self = .removed(map(data))
    }
  }
}

/// The data of `CommentPosted`: a text on a workout, perhaps in reply to another comment.
public struct CommentPosted: EventData {
  public var comment: CommentID
  public var workout: WorkoutID
  public var user: UserID
  public var text: String
  public var replyTo: CommentID?

  public init(
    comment: CommentID, workout: WorkoutID, user: UserID, text: String, replyTo: CommentID? = nil
  ) {
    self.comment = comment
    self.workout = workout
    self.user = user
    self.text = text
    self.replyTo = replyTo
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    comment = try r.required("comment")
    workout = try r.required("workout")
    user = try r.required("user")
    text = try r.required("text")
    replyTo = try r.optional("replyTo")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("comment", comment)
    w.member("workout", workout)
    w.member("user", user)
    w.member("text", text)
    w.optional("replyTo", replyTo)
  }

  public var stream: StreamID { .comment(comment) }

  mutating func mapIDs(_ map: some IDMap) {
    comment = map(comment)
    workout = map(workout)
    user = map(user)
    replyTo = replyTo.map { map($0) }
  }

  var words: Words? { Words(of: AnyID(comment), by: .user(user)) }

  mutating func mapContent(_ map: inout some ContentMap) {
    text = map.text(text, "text")
  }
}

/// The data of `CommentEdited`: the comment's new text.
public struct CommentEdited: EventData {
  public var comment: CommentID
  public var text: String

  public init(comment: CommentID, text: String) {
    self.comment = comment
    self.text = text
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    comment = try r.required("comment")
    text = try r.required("text")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("comment", comment)
    w.member("text", text)
  }

  public var stream: StreamID { .comment(comment) }

  mutating func mapIDs(_ map: some IDMap) {
    comment = map(comment)
  }

  var words: Words? { Words(of: AnyID(comment), by: .maker) }

  mutating func mapContent(_ map: inout some ContentMap) {
    text = map.text(text, "text")
  }
}

/// The data of `CommentRemoved`: a comment and nothing else.
public struct CommentReference: WordlessData {
  public var comment: CommentID

  public init(comment: CommentID) { self.comment = comment }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    comment = try r.required("comment")
  }

  func write<W: MemberWriter>(to w: inout W) { w.member("comment", comment) }

  public var stream: StreamID { .comment(comment) }

  mutating func mapIDs(_ map: some IDMap) {
    comment = map(comment)
  }
}
