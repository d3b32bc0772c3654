import Events

/// Removes a member, or takes back an invitation, or declines a request.
public struct RemoveMember: Command {
  public static let about = About(
    "RemoveMember", .groups,
    "As an admin, remove a plain member, an invitation or a request; the owner removes admins too",
    errors: ["groupNotFound", "notAuthorized", "notMember", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: MemberInput, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let removed = Membership(group: try model.group(input.group), user: try model.user(input.user))
    try model.decide(MemberEvent.removed(removed), by: actor)
    return Nothing()
  }
}
