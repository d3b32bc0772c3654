import Events

/// Decides about one group: created once, edited and transferred by its owner, deleted for good.
public enum GroupDecider: Decider {
  /// The state of a group.
  public enum State: Equatable, Sendable {
    /// `none`: the group does not exist. `deleted`: it was deleted.
    case none, deleted
    /// The group with its current content.
    case open(GroupCreated)
  }

  /// A command about one group.
  public enum Command: Sendable {
    /// Creates a group.
    case create(GroupCreated, hasProfile: Bool)
    /// Changes the group.
    case edit(GroupEdited, GroupVisibility)
    /// Makes another member the owner. `standing`: the new owner's membership before the transfer.
    case transfer(GroupTransferred, standing: MemberDecider.State, GroupVisibility)
    /// Deletes the group.
    case delete(GroupID, GroupVisibility)
  }

  public static var initial: State { .none }

  public static func evolve(_ state: inout State, _ event: borrowing GroupEvent) {
    switch event {
    case .created(let group): if state == .none { state = .open(group) }
    case .edited(let edit):
      guard case .open(var group) = state else { return }
      if let name = edit.name { group.name = name }
      edit.description.apply(to: &group.description)
      if let isPublic = edit.isPublic { group.isPublic = isPublic }
      state = .open(group)
    case .transferred(let transfer):
      guard case .open(var group) = state else { return }
      group.owner = transfer.owner
      state = .open(group)
    case .deleted: state = .deleted
    }
  }

  /// Returns the event that a command causes; nil if nothing would change. Creating the same group
  /// again returns nil, so a retry succeeds.
  /// - Throws: `profileNotFound`, `groupNotFound`, `notAuthorized` (also if another group has the
  ///   id), `nameEmpty`, `nameTooLong`, `invalidText`, `descriptionTooLong`, `notMember`.
  public static func decide(
    _ command: Command, _ state: State, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    switch command {
    case .create(var group, let hasProfile):
      guard hasProfile else { throw .profileNotFound }
      guard group.owner == actor else { throw .notAuthorized }
      group.name = try rules.groupName(group.name)
      group.description = try rules.stored(group.description, .groupDescription)
      if state == .none { return .group(.created(group)) }
      guard case .open(let old) = state, old == group, same(old.name, group.name),
        same(old.description, group.description)
      else { throw .notAuthorized }
      return nil
    case .edit(var edit, let visibility):
      let group = try open(state, visibility)
      guard group.owner == actor else { throw .notAuthorized }
      if let name = edit.name {
        let new = same(name, group.name) ? name : try rules.groupName(name)
        edit.name = same(new, group.name) ? nil : new
      }
      if edit.description != .keep {
        let new = try rules.stored(edit.description.value, .groupDescription)
        edit.description = same(new, group.description) ? .keep : new.map(Patch.set) ?? .clear
      }
      if edit.isPublic == group.isPublic { edit.isPublic = nil }
      return edit == GroupEdited(group: edit.group) ? nil : .group(.edited(edit))
    case .transfer(let transfer, let standing, let visibility):
      let group = try open(state, visibility)
      guard group.owner == actor else { throw .notAuthorized }
      guard standing.isMember else { throw .notMember }
      return standing == .owner ? nil : .group(.transferred(transfer))
    case .delete(let id, let visibility):
      let group = try open(state, visibility)
      guard group.owner == actor || visibility == .service else { throw .notAuthorized }
      return .group(.deleted(GroupReference(group: id)))
    }
  }

  private static func open(
    _ state: State, _ visibility: GroupVisibility
  ) throws(DomainError) -> GroupCreated {
    try visibility.check()
    guard case .open(let group) = state else { throw .groupNotFound }
    return group
  }
}

/// The visibility of a group for an actor.
public enum GroupVisibility: Equatable, Sendable {
  /// The actor has no profile, or deleted it.
  case noProfile
  /// The group does not exist, or it is private and the actor is not a member and not invited.
  case hidden
  /// The actor can see the group and has this membership, which may be `none`.
  case seen(as: MemberDecider.State)
  /// The actor is a service, which can see every group.
  case service

  /// Throws `profileNotFound` or `groupNotFound` unless the actor can see the group.
  func check() throws(DomainError) {
    switch self {
    case .noProfile: throw .profileNotFound
    case .hidden: throw .groupNotFound
    case .seen, .service: break
    }
  }

  /// Returns the membership of an actor who is an admin or the owner.
  /// - Throws: The errors of `check`; `notAuthorized` unless the actor is an admin or the owner.
  func checkAdmin() throws(DomainError) -> MemberDecider.State {
    try check()
    guard case .seen(let standing) = self, standing.isAdmin else { throw .notAuthorized }
    return standing
  }
}

extension GroupEvent: Decidable {
  package func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let (id, command): (GroupID, GroupDecider.Command) =
      switch self {
      case .created(let data): (data.group, .create(data, hasProfile: states.exists(actor.id)))
      case .edited(let data): (data.group, .edit(data, states.visibility(data.group, actor)))
      case .transferred(let data):
        (
          data.group,
          .transfer(
            data, standing: states.standing(data.group, data.owner),
            states.visibility(data.group, actor))
        )
      case .deleted(let data):
        (data.group, .delete(data.group, states.visibility(data.group, actor)))
      }
    return try GroupDecider.decide(command, states.group(id), by: actor.id, rules)
  }
}
