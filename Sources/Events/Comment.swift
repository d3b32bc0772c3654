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

  func write(to w: inout MemberWriter) {
    w.member("comment", comment)
    w.member("workout", workout)
    w.member("user", user)
    w.member("text", text)
    w.optional("replyTo", replyTo)
  }

  public var stream: StreamID { .comment(comment) }
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

  func write(to w: inout MemberWriter) {
    w.member("comment", comment)
    w.member("text", text)
  }

  public var stream: StreamID { .comment(comment) }
}

/// The data of `CommentRemoved`: a comment and nothing else.
public struct CommentReference: EventData {
  public var comment: CommentID

  public init(comment: CommentID) { self.comment = comment }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    comment = try r.required("comment")
  }

  func write(to w: inout MemberWriter) { w.member("comment", comment) }

  public var stream: StreamID { .comment(comment) }
}

/// The data of `CommentHearted` and `CommentUnhearted`: whose heart on which comment.
public struct Heart: EventData {
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

  func write(to w: inout MemberWriter) {
    w.member("comment", comment)
    w.member("user", user)
  }

  public var stream: StreamID { .heart(comment, user) }
}
