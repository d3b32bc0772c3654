import Events

/// Ends the caller's membership, request or invitation; without one nothing happens.
public struct LeaveGroup: Command {
  public static let about = About(
    "LeaveGroup", .groups, "Leave a group, or take back that one asked to join",
    errors: ["groupNotFound", "ownerCannotLeave", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: GroupReferenceInput, in model: inout Model) throws(UseCaseError)
    -> Nothing
  {
    let actor = try model.actor()
    let left = Membership(group: try model.group(input.group), user: actor)
    try model.decide(MemberEvent.left(left), by: actor)
    return Nothing()
  }
}
