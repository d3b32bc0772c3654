import Events

/// Decides about one user's block of another.
public enum BlockDecider: Decider {
  /// Whether the user blocks the other user.
  public typealias State = Bool

  /// A command of the user who blocks.
  public struct Command: Sendable {
    /// The action: to block the other user, or to end the block.
    public enum Action: Sendable { case block, unblock }
    /// The action to perform.
    public var action: Action
    /// The user to block or unblock.
    public var other: UserID
    /// Whether the actor has a profile.
    public var hasProfile: Bool
    /// Whether the other user has a profile.
    public var otherExists: Bool

    /// Creates a command.
    public init(_ action: Action, _ other: UserID, hasProfile: Bool, otherExists: Bool) {
      (self.action, self.other, self.hasProfile) = (action, other, hasProfile)
      self.otherExists = otherExists
    }
  }

  public static var initial: Bool { false }

  public static func evolve(_ state: inout Bool, _ event: borrowing BlockEvent) {
    switch event {
    case .blocked: state = true
    case .unblocked: state = false
    }
  }

  /// Returns the event that blocks or unblocks the other user; nil if nothing would change.
  ///
  /// The actor may block users whose profile the actor cannot see.
  /// - Throws: `cannotBlockSelf`, `profileNotFound`.
  public static func decide(
    _ command: Command, _ isBlocked: Bool, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    if command.other == actor { throw .cannotBlockSelf }
    guard command.hasProfile else { throw .profileNotFound }
    let block = Block(user: actor, other: command.other)
    switch (command.action, isBlocked) {
    case (.block, true), (.unblock, false): return nil
    case (.block, false):
      guard command.otherExists else { throw .profileNotFound }
      return .block(.blocked(block))
    case (.unblock, true): return .block(.unblocked(block))
    }
  }

  /// Checks, at the end of a block's commit, that the two users have no relationship left.
  /// - Parameter isTied: Whether a follow, friendship or friend request still connects the two
  ///   users.
  /// - Throws: `blockIncomplete` if `isTied` is true.
  public static func finish(isTied: Bool) throws(DomainError) {
    if isTied { throw .blockIncomplete }
  }
}

extension BlockEvent: Decidable {
  package func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let (action, block): (BlockDecider.Command.Action, Block) =
      switch self {
      case .blocked(let block): (.block, block)
      case .unblocked(let block): (.unblock, block)
      }
    guard block.user == actor.id else { throw .notAuthorized }
    let command = BlockDecider.Command(
      action, block.other, hasProfile: states.exists(block.user),
      otherExists: states.exists(block.other))
    let isBlocking = states.isBlocking(block.user, block.other)
    return try BlockDecider.decide(command, isBlocking, by: block.user, rules)
  }
}
