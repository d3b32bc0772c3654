/// Declines an invitation; without one nothing happens.
public struct DeclineGroupInvitation: Command {
  public static let about = About(
    "DeclineGroupInvitation", .groups, "Decline an invitation to a group",
    errors: ["groupNotFound", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: GroupReferenceInput, in model: inout Model) throws(UseCaseError)
    -> Nothing
  {
    try model.decideMembership(input.group) { (_, hasProfile) in .decline(hasProfile: hasProfile) }
    return Nothing()
  }
}
