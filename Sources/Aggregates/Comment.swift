import Events

/// Decides about one comment, which is posted once, can be edited, and is removed for good.
///
/// Deleting an account removes the author's comments without an event for each comment. So the
/// caller passes the state `.removed` if the author has no profile any more.
public enum CommentDecider: Decider {
  /// The state of a comment.
  public enum State: Equatable, Sendable {
    /// `none`: the comment does not exist. `removed`: it was removed.
    case none, removed
    /// The comment with its current text.
    case posted(CommentPosted)
  }

  /// A command about one comment.
  public enum Command: Sendable {
    /// Posts a comment. `replyExists`: for a reply, whether the answered comment exists; otherwise
    /// true.
    case post(CommentPosted, Visibility, replyExists: Bool)
    /// Changes the comment's text.
    case edit(CommentID, text: String, Visibility)
    /// Removes a comment. `stands`: whether the comment's workout is still shared. `mayRemove`:
    /// whether the actor owns that workout or is a service.
    case remove(CommentID, Visibility, stands: Bool, mayRemove: Bool)
  }

  public static var initial: State { .none }

  public static func evolve(_ state: inout State, _ event: borrowing CommentEvent) {
    switch event {
    case .posted(let comment): if state == .none { state = .posted(comment) }
    case .edited(let edit):
      if case .posted(var comment) = state {
        comment.text = edit.text
        state = .posted(comment)
      }
    case .removed: state = .removed
    }
  }

  /// Returns the event that a command causes; nil if nothing would change. Posting the same comment
  /// again returns nil, so a retry succeeds.
  /// - Throws: `profileNotFound`, `workoutNotFound`, `notVisible`, `notAuthorized` (also if
  ///   another comment has the id), `commentNotFound`, `commentEmpty`, `commentTooLong`.
  public static func decide(
    _ command: Command, _ state: State, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    switch command {
    case .post(var comment, let visibility, let replyExists):
      try visibility.check()
      guard comment.user == actor else { throw .notAuthorized }
      guard replyExists, state != .removed else { throw .commentNotFound }
      comment.text = try rules.comment(comment.text)
      guard case .posted(let old) = state else { return .comment(.posted(comment)) }
      guard old == comment, same(old.text, comment.text) else { throw .notAuthorized }
      return nil
    case .edit(let id, let text, let visibility):
      try visibility.checkComment()
      guard case .posted(let comment) = state else { throw .commentNotFound }
      guard comment.user == actor else { throw .notAuthorized }
      let text = try rules.comment(text)
      return same(text, comment.text)
        ? nil : .comment(.edited(CommentEdited(comment: id, text: text)))
    case .remove(let id, let visibility, let stands, let mayRemove):
      try visibility.checkProfile()
      guard stands, case .posted(let comment) = state else { throw .commentNotFound }
      guard comment.user == actor || mayRemove else {
        try visibility.checkComment()
        throw .notAuthorized
      }
      return .comment(.removed(CommentReference(comment: id)))
    }
  }
}

/// Decides about one user's heart on one comment.
public enum HeartDecider: Decider {
  /// Whether the user's heart is on the comment.
  public typealias State = Bool

  /// A command of the user who gives the heart.
  public struct Command: Sendable {
    /// The action: to give a heart or to withdraw it.
    public enum Action: Sendable { case give, withdraw }
    /// The action to perform.
    public var action: Action
    /// The comment that the heart is for.
    public var comment: CommentID
    /// The visibility of the comment for the actor.
    public var visibility: Visibility

    /// Creates a command.
    public init(_ action: Action, _ comment: CommentID, _ visibility: Visibility) {
      (self.action, self.comment, self.visibility) = (action, comment, visibility)
    }
  }

  public static var initial: Bool { false }

  public static func evolve(_ state: inout Bool, _ event: borrowing HeartEvent) {
    switch event {
    case .given: state = true
    case .withdrawn: state = false
    }
  }

  /// Returns the event that gives or withdraws the heart; nil if nothing would change. Withdrawing
  /// works even if the actor cannot see the comment.
  /// - Throws: `profileNotFound`, `commentNotFound`, `notVisible`.
  public static func decide(
    _ command: Command, _ isHearted: Bool, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    if command.action == .withdraw {
      try command.visibility.checkProfile()
    } else {
      try command.visibility.checkComment()
    }
    let heart = Heart(comment: command.comment, user: actor)
    switch (command.action, isHearted) {
    case (.give, true), (.withdraw, false): return nil
    case (.give, false): return .heart(.given(heart))
    case (.withdraw, true): return .heart(.withdrawn(heart))
    }
  }
}

extension CommentEvent: Decidable {
  package func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let user = actor.id
    switch self {
    case .posted(let data):
      var state = states.comment(data.comment)
      // A comment that is hidden from the actor is treated like a removed one.
      if case .posted(let old) = state, old.user != user,
        states.visibility(data.comment, user, rules) == .nothing
      {
        state = .removed
      }
      let command = CommentDecider.Command.post(
        data, states.visibility(data.workout, user, rules), replyExists: states.replyExists(data))
      return try CommentDecider.decide(command, state, by: user, rules)
    case .edited(let data):
      let visibility = states.visibility(data.comment, user, rules)
      let command = CommentDecider.Command.edit(data.comment, text: data.text, visibility)
      return try CommentDecider.decide(command, states.comment(data.comment), by: user, rules)
    case .removed(let data):
      let owner = states.workout(of: data.comment).flatMap { states.owner($0) }
      let mayRemove = actor.isService || owner == user
      let command = CommentDecider.Command.remove(
        data.comment, mayRemove ? .visible : states.visibility(data.comment, user, rules),
        stands: owner != nil, mayRemove: mayRemove)
      return try CommentDecider.decide(command, states.comment(data.comment), by: user, rules)
    }
  }
}

extension HeartEvent: Decidable {
  package func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let (action, heart): (HeartDecider.Command.Action, Heart) =
      switch self {
      case .given(let heart): (.give, heart)
      case .withdrawn(let heart): (.withdraw, heart)
      }
    guard heart.user == actor.id else { throw .notAuthorized }
    let command = HeartDecider.Command(
      action, heart.comment, states.visibility(heart.comment, heart.user, rules))
    return try HeartDecider.decide(command, states.isHearted(heart), by: heart.user, rules)
  }
}

extension AggregateStates {
  /// Whether the user has given the heart and it counts. It counts if the comment exists on a
  /// shared workout and the user has a profile.
  package func isHearted(_ heart: Heart) -> Bool {
    let isShared = workout(of: heart.comment).map { owner($0) != nil } ?? false
    return isShared && exists(heart.user) && hearts[noted(.heart(heart.comment, heart.user))]
  }
}
