import Aggregates
import Events

/// The input of commands about one user in a group.
public struct MemberInput: UseCaseInput {
  /// The group's id.
  public var group: String
  /// The user's id.
  public var user: String

  /// Creates the input.
  public init(group: String, user: String) { (self.group, self.user) = (group, user) }

  public static var placeholder: MemberInput {
    MemberInput(group: .placeholder, user: .placeholder)
  }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("group", "The group's id.", &group)
    try fields.required("user", "The user's id.", &user)
  }
}

/// Joins a public group, or a private group to which the caller is invited. Requests to join any
/// other private group.
public struct JoinGroup: Command {
  /// The result of joining.
  public enum Joining: String, ChoiceField {
    /// The caller is now a member.
    case joined
    /// The caller has requested to join, and an admin must approve the request. Requesting again
    /// appends nothing.
    case requested
  }

  public static let about = About(
    "JoinGroup", .groups, "Join a public group, or request to join a private one",
    result: "joined or requested",
    errors: ["groupNotFound", "alreadyMember", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: GroupReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Choice<Joining> {
    let event = try model.decide(MemberEvent.joined, input.group)
    return if case .member(.joined) = event { .known(.joined) } else { .known(.requested) }
  }
}

/// Ends the caller's membership of a group, or the caller's request or invitation. Does nothing if
/// there is none of these.
public struct LeaveGroup: SilentCommand {
  public static let about = About(
    "LeaveGroup", .groups, "Leave a group, or withdraw a request to join",
    errors: ["groupNotFound", "ownerCannotLeave", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: GroupReferenceInput, in model: inout Model) throws(UseCaseError) {
    try model.decide(MemberEvent.left, input.group)
  }
}

/// Joins a group to which the caller is invited.
public struct AcceptGroupInvitation: SilentCommand {
  public static let about = About(
    "AcceptGroupInvitation", .groups, "Join a group to which the caller is invited",
    errors: ["groupNotFound", "noSuchRequest", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: GroupReferenceInput, in model: inout Model) throws(UseCaseError) {
    try model.decide(MembershipAnswer.accept, input.group)
  }
}

/// Declines the caller's invitation to a group. Does nothing if there is none.
public struct DeclineGroupInvitation: SilentCommand {
  public static let about = About(
    "DeclineGroupInvitation", .groups, "Decline an invitation to a group",
    errors: ["groupNotFound", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: GroupReferenceInput, in model: inout Model) throws(UseCaseError) {
    try model.decide(MembershipAnswer.decline, input.group)
  }
}

/// Invites a user to a group. A user who has already requested to join becomes a member at once.
public struct InviteToGroup: SilentCommand {
  public static let about = About(
    "InviteToGroup", .groups, "Invite a user to a group; only for admins",
    errors: ["groupNotFound", "notAuthorized", "alreadyMember", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: MemberInput, in model: inout Model) throws(UseCaseError) {
    try model.decide(MemberEvent.invited, input.group, of: input.user)
  }
}

/// Accepts a user's request to join a group.
public struct ApproveMember: SilentCommand {
  public static let about = About(
    "ApproveMember", .groups, "Accept a user's request to join; only for admins",
    errors: ["groupNotFound", "notAuthorized", "noSuchRequest", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: MemberInput, in model: inout Model) throws(UseCaseError) {
    try model.decide(MembershipAnswer.approve, input.group, of: input.user)
  }
}

/// Removes a member from a group, withdraws a user's invitation, or declines a user's request to
/// join.
public struct RemoveMember: SilentCommand {
  public static let about = About(
    "RemoveMember", .groups,
    "Remove a plain member, an invitation or a request as an admin, or an admin as the owner",
    errors: ["groupNotFound", "notAuthorized", "notMember", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: MemberInput, in model: inout Model) throws(UseCaseError) {
    try model.decide(MemberEvent.removed, input.group, of: input.user)
  }
}

/// Makes a member an admin or a plain member of a group that the caller owns.
public struct SetGroupRole: SilentCommand {
  /// The input of `SetGroupRole`.
  public struct Input: UseCaseInput {
    /// The group's id.
    public var group: String
    /// The user's id.
    public var user: String
    /// The user's new role.
    public var role: MemberRole

    /// Creates the input.
    public init(group: String, user: String, role: MemberRole) {
      (self.group, self.user, self.role) = (group, user, role)
    }

    public static var placeholder: Input {
      Input(group: .placeholder, user: .placeholder, role: .placeholder)
    }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("group", "The group's id.", &group)
      try fields.required("user", "The user's id.", &user)
      try fields.required("role", "The user's new role.", &role)
    }
  }

  public static let about = About(
    "SetGroupRole", .groups,
    "Set a member's role, admin or plain member, in a group that the caller owns",
    errors: ["groupNotFound", "notAuthorized", "notMember", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    let role = MemberRoleSet(
      group: try model.group(input.group), user: try model.user(input.user), role: input.role)
    try model.decide(MemberEvent.roleSet(role), by: actor)
  }
}

extension Model {
  /// Decides the command that `event` represents, about one user in one group. Returns the recorded
  /// event; nil if the command changes nothing.
  /// - Parameter user: the member; by default the actor.
  @discardableResult
  fileprivate mutating func decide<E: Decidable>(
    _ event: (Membership) -> E, _ group: String, of user: String? = nil
  ) throws(UseCaseError) -> Event? {
    let actor = try actor()
    let group = try self.group(group)
    var membership = Membership(group: group, user: actor)
    if let user { membership.user = try self.user(user) }
    return try decide(event(membership), by: actor)
  }
}
