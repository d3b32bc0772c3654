import Aggregates
import Events

/// Joins a group that the caller is invited to.
public struct AcceptGroupInvitation: Command {
  public static let about = About(
    "AcceptGroupInvitation", .groups, "Join a group that one is invited to",
    errors: ["groupNotFound", "noSuchRequest", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: GroupReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let group = try model.group(input.group)
    let membership = Membership(group: group, user: actor)
    try model.decide(MembershipAnswer.accept(membership), by: actor)
    return Nothing()
  }
}
