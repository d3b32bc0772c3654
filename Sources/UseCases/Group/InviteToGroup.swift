import Events

/// Invites a user to a group; one who has asked to join is let in.
public struct InviteToGroup: Command {
  public static let about = About(
    "InviteToGroup", .groups, "As an admin, invite a user to a group",
    errors: ["groupNotFound", "notAuthorized", "alreadyMember", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: MemberInput, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let invited = Membership(group: try model.group(input.group), user: try model.user(input.user))
    try model.decide(MemberEvent.invited(invited), by: actor)
    return Nothing()
  }
}
