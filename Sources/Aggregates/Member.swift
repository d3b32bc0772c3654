import Events

/// Decides about one user's membership in one group.
public enum MemberDecider: Decider {
  /// The user's membership. Later cases give more rights.
  public enum State: UInt8, Equatable, Sendable {
    case none, requested, invited, member, admin, owner

    /// Whether the user is a member, an admin or the owner.
    public var isMember: Bool { rawValue >= Self.member.rawValue }
    /// Whether the user may invite users, approve requests to join, and remove plain members.
    public var isAdmin: Bool { rawValue >= Self.admin.rawValue }
    /// Whether the user can see the group if it is private.
    public var seesGroup: Bool { self == .invited || isMember }
  }

  /// The events of a membership, and the events that set the group's owner.
  public enum Family: EventFamily {
    /// An event of the membership.
    case own(MemberEvent)
    /// The group was created, or got another owner. The new owner becomes `owner`; the former owner
    /// becomes `admin`.
    case ownership

    public init?(_ event: borrowing Event) {
      switch event {
      case .member(let event): self = .own(event)
      case .group(.created), .group(.transferred): self = .ownership
      default: return nil
      }
    }
  }

  /// A command about one membership.
  public struct Command: Sendable {
    /// The action, with the facts that its decision depends on.
    public enum Action: Sendable {
      /// Joins a public group or asks to join a private one; `isPublic` is nil if there is no
      /// group.
      case join(hasProfile: Bool, isPublic: Bool?)
      /// Cancels a request, declines an invitation or ends the membership.
      case leave(hasProfile: Bool)
      /// Accepts an invitation.
      case accept(GroupVisibility)
      /// Declines an invitation.
      case decline(hasProfile: Bool)
      /// Invites the user. `isSeen`: whether the actor can see the user's profile.
      case invite(GroupVisibility, isSeen: Bool)
      /// Accepts the user's request to join.
      case approve(GroupVisibility)
      /// Removes the member, or the user's request or invitation.
      case remove(GroupVisibility)
      /// Changes the member's role.
      case setRole(MemberRole, GroupVisibility)
    }
    /// The action to perform.
    public var action: Action
    /// The group, and the user whose membership changes.
    public var membership: Membership

    /// Creates a command.
    public init(_ action: Action, _ membership: Membership) {
      (self.action, self.membership) = (action, membership)
    }
  }

  public static var initial: State { .none }

  public static func evolve(_ state: inout State, _ event: borrowing Family) {
    switch event {
    case .ownership: state = state == .owner ? .admin : .owner
    case .own(let event): evolve(&state, event)
    }
  }

  private static func evolve(_ state: inout State, _ event: MemberEvent) {
    switch event {
    case .invited: if !state.isMember { state = .invited }
    case .requested: if !state.isMember { state = .requested }
    case .joined: if !state.isMember { state = .member }
    case .left, .removed: if state != .owner { state = .none }
    case .roleSet(let data):
      if state.isMember, state != .owner { state = data.role == .admin ? .admin : .member }
    }
  }

  /// Returns the event that a command causes; nil if the user's membership would not change.
  ///
  /// An uninvited user who joins a private group sends a request to join. Inviting a user who has
  /// sent such a request makes the user a member. Repeating a command returns nil.
  /// - Throws: `profileNotFound`, `groupNotFound`, `notAuthorized`, `alreadyMember`, `notMember`,
  ///   `noSuchRequest`, `ownerCannotLeave`.
  public static func decide(
    _ command: Command, _ state: State, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let membership = command.membership
    switch command.action {
    case .join(let hasProfile, let isPublic):
      guard hasProfile else { throw .profileNotFound }
      guard let isPublic else { throw .groupNotFound }
      if state.isMember { throw .alreadyMember }
      if isPublic || state == .invited { return .member(.joined(membership)) }
      return state == .requested ? nil : .member(.requested(membership))
    case .leave(let hasProfile):
      guard hasProfile else { throw .profileNotFound }
      if state == .owner { throw .ownerCannotLeave }
      return state == .none ? nil : .member(.left(membership))
    case .accept(let visibility):
      try visibility.check()
      guard state == .invited else { throw .noSuchRequest }
      return .member(.joined(membership))
    case .decline(let hasProfile):
      guard hasProfile else { throw .profileNotFound }
      return state == .invited ? .member(.left(membership)) : nil
    case .invite(let visibility, let isSeen):
      _ = try visibility.checkAdmin()
      guard isSeen else { throw .profileNotFound }
      switch state {
      case .none: return .member(.invited(membership))
      case .requested: return .member(.joined(membership))
      case .invited: return nil
      case .member, .admin, .owner: throw .alreadyMember
      }
    case .approve(let visibility):
      _ = try visibility.checkAdmin()
      guard state == .requested else { throw .noSuchRequest }
      return .member(.joined(membership))
    case .remove(let visibility):
      let standing = try visibility.checkAdmin()
      switch state {
      case .none: throw .notMember
      case .owner: throw .notAuthorized
      case .admin: if standing != .owner { throw .notAuthorized }
      case .requested, .invited, .member: break
      }
      return .member(.removed(membership))
    case .setRole(let role, let visibility):
      guard try visibility.checkAdmin() == .owner else { throw .notAuthorized }
      guard state.isMember else { throw .notMember }
      guard state != .owner else { throw .notAuthorized }
      if (state == .admin) == (role == .admin) { return nil }
      return .member(
        .roleSet(MemberRoleSet(group: membership.group, user: membership.user, role: role)))
    }
  }
}

extension MemberEvent: Decidable {
  /// Checks whether the actor may record this event now, and returns the event to record.
  ///
  /// If an actor records that another user joined, the actor approves that user's request to join.
  package func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let membership = Membership(group: group, user: user)
    let action: MemberDecider.Command.Action
    switch self {
    case .invited:
      action = .invite(
        states.visibility(group, actor), isSeen: states.sees(user, actor.id, rules))
    case .requested, .joined:
      action =
        user == actor.id
        ? .join(hasProfile: states.exists(user), isPublic: states.isPublic(group))
        : .approve(states.visibility(group, actor))
    case .left:
      guard user == actor.id else { throw .notAuthorized }
      action = .leave(hasProfile: states.exists(user))
    case .removed: action = .remove(states.visibility(group, actor))
    case .roleSet(let data): action = .setRole(data.role, states.visibility(group, actor))
    }
    return try MemberDecider.decide(
      MemberDecider.Command(action, membership), states.standing(group, user), by: actor.id, rules)
  }
}

/// The answer to an invitation (`accept`, `decline`) or to a request to join (`approve`).
package enum MembershipAnswer: Decidable {
  case accept(Membership)
  case decline(Membership)
  case approve(Membership)

  package func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let (membership, action): (Membership, MemberDecider.Command.Action) =
      switch self {
      case .accept(let data): (data, .accept(states.visibility(data.group, actor)))
      case .decline(let data): (data, .decline(hasProfile: states.exists(actor.id)))
      case .approve(let data): (data, .approve(states.visibility(data.group, actor)))
      }
    return try MemberDecider.decide(
      MemberDecider.Command(action, membership),
      states.standing(membership.group, membership.user), by: actor.id, rules)
  }
}
