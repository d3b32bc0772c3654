import Events

/// Makes a member of a group that the caller owns an admin, or a plain member again.
public struct SetGroupRole: Command {
  public struct Input: UseCaseInput {
    public var group: String
    public var user: String
    public var role: MemberRole

    public init(group: String, user: String, role: MemberRole) {
      self.group = group
      self.user = user
      self.role = role
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

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let role = MemberRoleSet(
      group: try model.group(input.group), user: try model.user(input.user), role: input.role)
    try model.decide(MemberEvent.roleSet(role), by: actor)
    return Nothing()
  }
}
