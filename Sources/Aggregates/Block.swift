import Events

/// One user's block of another.
public enum BlockDecider: Decider {
  /// Whether it stands.
  public typealias State = Bool

  public struct Command: Sendable {
    public enum Action: Sendable { case block, unblock }
    public var action: Action
    public var other: UserID
    /// Whether the actor has a profile.
    public var hasProfile: Bool
    /// Whether the other has one.
    public var otherExists: Bool

    public init(_ action: Action, _ other: UserID, hasProfile: Bool, otherExists: Bool) {
      self.action = action
      self.other = other
      self.hasProfile = hasProfile
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

  /// Somebody hidden can be blocked; taking back a block that does not stand changes nothing.
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

  /// Judges a block at the end of its commit.
  /// - Parameter isTied: whether a follow, a friendship or a request still stands between the two.
  /// - Throws: `blockIncomplete`.
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
