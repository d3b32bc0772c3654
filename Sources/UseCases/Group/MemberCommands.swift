import Aggregates
import Events

/// The input of commands about one user in a group.
public struct MemberInput: UseCaseInput {
  public var group: String
  public var user: String

  public init(group: String, user: String) { (self.group, self.user) = (group, user) }

  public init(from fields: inout Fields) throws(InputError) {
    group = try fields.required("group", "Which group.")
    user = try fields.required("user", "Whom.")
  }
}

/// Joins a public group, or one that the caller is invited to, and asks to join another.
public struct JoinGroup: Command {
  /// What came of it.
  public enum Joining: String, Answer {
    case joined
    /// An admin has to approve; asking again appends nothing.
    case requested

    public var json: JSONValue { .string(rawValue) }
  }

  public static let about = About(
    "JoinGroup", .groups, "Join a public group, or ask to join a private one",
    result: "joined or requested",
    errors: ["groupNotFound", "alreadyMember", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: GroupReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Joining {
    let event = try model.decide(MemberEvent.joined, input.group)
    return if case .member(.joined) = event { .joined } else { .requested }
  }
}

/// Ends the caller's membership, request or invitation; does nothing without one.
public struct LeaveGroup: SilentCommand {
  public static let about = About(
    "LeaveGroup", .groups, "Leave a group, or take back that one asked to join",
    errors: ["groupNotFound", "ownerCannotLeave", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: GroupReferenceInput, in model: inout Model) throws(UseCaseError) {
    try model.decide(MemberEvent.left, input.group)
  }
}

/// Joins a group that the caller is invited to.
public struct AcceptGroupInvitation: SilentCommand {
  public static let about = About(
    "AcceptGroupInvitation", .groups, "Join a group that one is invited to",
    errors: ["groupNotFound", "noSuchRequest", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: GroupReferenceInput, in model: inout Model) throws(UseCaseError) {
    try model.decideMembership(input.group) { (visibility, _) in .accept(visibility) }
  }
}

/// Declines an invitation; does nothing without one.
public struct DeclineGroupInvitation: SilentCommand {
  public static let about = About(
    "DeclineGroupInvitation", .groups, "Decline an invitation to a group",
    errors: ["groupNotFound", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: GroupReferenceInput, in model: inout Model) throws(UseCaseError) {
    try model.decideMembership(input.group) { (_, hasProfile) in .decline(hasProfile: hasProfile) }
  }
}

/// Invites a user to a group; a user who has asked to join becomes a member.
public struct InviteToGroup: SilentCommand {
  public static let about = About(
    "InviteToGroup", .groups, "As an admin, invite a user to a group",
    errors: ["groupNotFound", "notAuthorized", "alreadyMember", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: MemberInput, in model: inout Model) throws(UseCaseError) {
    try model.decide(MemberEvent.invited, input.group, of: input.user)
  }
}

/// Makes a user who asked to join a member.
public struct ApproveMember: SilentCommand {
  public static let about = About(
    "ApproveMember", .groups, "As an admin, let in a user who asked to join",
    errors: ["groupNotFound", "notAuthorized", "noSuchRequest", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: MemberInput, in model: inout Model) throws(UseCaseError) {
    try model.decideMembership(input.group, of: input.user) { (visibility, _) in
      .approve(visibility)
    }
  }
}

/// Removes a member, or takes back an invitation, or declines a request.
public struct RemoveMember: SilentCommand {
  public static let about = About(
    "RemoveMember", .groups,
    "As an admin, remove a plain member, an invitation or a request; the owner removes admins too",
    errors: ["groupNotFound", "notAuthorized", "notMember", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: MemberInput, in model: inout Model) throws(UseCaseError) {
    try model.decide(MemberEvent.removed, input.group, of: input.user)
  }
}

/// Makes a member of a group that the caller owns an admin, or a plain member again.
public struct SetGroupRole: SilentCommand {
  public struct Input: UseCaseInput {
    public var group: String
    public var user: String
    public var role: MemberRole

    public init(group: String, user: String, role: MemberRole) {
      (self.group, self.user, self.role) = (group, user, role)
    }

    public init(from fields: inout Fields) throws(InputError) {
      group = try fields.required("group", "Which group.")
      user = try fields.required("user", "Whom.")
      role = try fields.required("role", "What they are from now on.")
    }
  }

  public static let about = About(
    "SetGroupRole", .groups, "Make a member of a group that one owns an admin, or a plain member",
    errors: ["groupNotFound", "notAuthorized", "notMember", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    let role = MemberRoleSet(
      group: try model.group(input.group), user: try model.user(input.user), role: input.role)
    try model.decide(.member(.roleSet(role)), by: actor)
  }
}

extension Model {
  /// A membership in a group: the named user's, or the actor's own.
  private mutating func membership(
    _ group: String, of user: String?
  ) throws(UseCaseError) -> (Membership, actor: UserID) {
    let actor = try actor()
    let group = try self.group(group)
    var membership = Membership(group: group, user: actor)
    if let user { membership.user = try self.user(user) }
    return (membership, actor)
  }

  /// Decides the command that an event about a membership stands for.
  @discardableResult
  fileprivate mutating func decide(
    _ event: (Membership) -> MemberEvent, _ group: String, of user: String? = nil
  ) throws(UseCaseError) -> Event? {
    let (membership, actor) = try membership(group, of: user)
    return try decide(.member(event(membership)), by: actor)
  }

  /// Decides about a membership.
  /// - Parameter action: given what the actor sees of the group, and whether they have a profile.
  fileprivate mutating func decideMembership(
    _ group: String, of user: String? = nil,
    _ action: (GroupVisibility, _ hasProfile: Bool) -> MemberDecider.Command.Action
  ) throws(UseCaseError) {
    let (membership, id) = try membership(group, of: user)
    let actor = EventActor(id)
    try record { (society, rules) throws(DomainError) in
      let visibility = society.visibility(membership.group, actor)
      return try society.decide(action(visibility, society.exists(id)), membership, actor, rules)
    }
  }
}
