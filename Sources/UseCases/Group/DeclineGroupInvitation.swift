import Aggregates
import Events

/// Declines an invitation; without one nothing happens.
public struct DeclineGroupInvitation: Command {
  public static let about = About(
    "DeclineGroupInvitation", .groups, "Decline an invitation to a group",
    errors: ["groupNotFound", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: GroupReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let group = try model.group(input.group)
    let membership = Membership(group: group, user: actor)
    try model.decide(MembershipAnswer.decline(membership), by: actor)
    return Nothing()
  }
}
