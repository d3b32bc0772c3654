import Aggregates
import Events

/// Lets in a user who asked to join.
public struct ApproveMember: Command {
  public static let about = About(
    "ApproveMember", .groups, "As an admin, let in a user who asked to join",
    errors: ["groupNotFound", "notAuthorized", "noSuchRequest", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: MemberInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let group = try model.group(input.group)
    let user = try model.user(input.user)
    let membership = Membership(group: group, user: user)
    try model.decide(MembershipAnswer.approve(membership), by: actor)
    return Nothing()
  }
}
