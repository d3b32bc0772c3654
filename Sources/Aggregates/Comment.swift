import Events

/// One comment: posted once, edited, removed for good.
public enum CommentDecider: Decider {
  public enum State: Equatable, Sendable {
    case none, removed
    case posted(workout: WorkoutID, user: UserID, text: String)
  }

  public enum Command: Sendable {
    /// - replyExists: whether the comment replied to is there, on the same workout; true where it
    ///   replies to none.
    case post(CommentPosted, Sight, replyExists: Bool)
    case edit(CommentID, text: String, Sight)
    case remove(CommentID, workoutOwner: UserID?)
  }

  public static var initial: State { .none }

  public static func evolve(_ state: inout State, _ event: borrowing Event) {
    switch event {
    case .commentPosted(let comment):
      state = .posted(workout: comment.workout, user: comment.user, text: comment.text)
    case .commentEdited(let edit):
      if case .posted(let workout, let user, _) = state {
        state = .posted(workout: workout, user: user, text: edit.text)
      }
    case .commentRemoved: state = .removed
    default: break
    }
  }

  /// - Throws: `workoutNotFound`, `notVisible`, `notAuthorized`, `commentNotFound`,
  ///   `commentEmpty`, `commentTooLong`.
  public static func decide(
    _ command: Command, _ state: State, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> [Event] {
    switch command {
    case .post(var comment, let sight, let replyExists):
      try sight.check()
      guard comment.user == actor, state == .none else { throw .notAuthorized }
      guard replyExists else { throw .commentNotFound }
      comment.text = try rules.comment(comment.text)
      return [.commentPosted(comment)]
    case .edit(let id, let text, let sight):
      guard case .posted(_, let user, let old) = state else { throw .commentNotFound }
      guard user == actor else { throw .notAuthorized }
      try sight.check()
      let text = try rules.comment(text)
      return same(text, old) ? [] : [.commentEdited(CommentEdited(comment: id, text: text))]
    case .remove(let id, let owner):
      guard case .posted(_, let user, _) = state else { throw .commentNotFound }
      guard user == actor || owner == actor else { throw .notAuthorized }
      return [.commentRemoved(CommentReference(comment: id))]
    }
  }
}

/// One user's heart on one comment.
public enum HeartDecider: Decider {
  public typealias State = Bool

  public struct Command: Sendable {
    public var comment: CommentID
    public var commentExists: Bool
    public var sight: Sight

    public init(_ comment: CommentID, commentExists: Bool, _ sight: Sight) {
      self.comment = comment
      self.commentExists = commentExists
      self.sight = sight
    }
  }

  public static var initial: Bool { false }

  public static func evolve(_ state: inout Bool, _ event: borrowing Event) {
    switch event {
    case .commentHearted: state = true
    case .commentUnhearted: state = false
    default: break
    }
  }

  /// Toggles the heart.
  /// - Throws: `commentNotFound`, `workoutNotFound`, `notVisible`.
  public static func decide(
    _ command: Command, _ isHearted: Bool, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> [Event] {
    guard command.commentExists else { throw .commentNotFound }
    try command.sight.check()
    let heart = Heart(comment: command.comment, user: actor)
    return [isHearted ? .commentUnhearted(heart) : .commentHearted(heart)]
  }
}
