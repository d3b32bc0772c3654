import Events

/// Makes a member the owner of a group; the owner of before becomes an admin.
public struct TransferGroup: Command {
  public static let about = About(
    "TransferGroup", .groups, "Make a member the owner of a group that one owns",
    errors: ["groupNotFound", "notAuthorized", "notMember", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: MemberInput, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let transfer = GroupTransferred(
      group: try model.group(input.group), owner: try model.user(input.user))
    try model.decide(GroupEvent.transferred(transfer), by: actor)
    return Nothing()
  }
}
