import Events

/// Deletes a group that the caller owns, for good.
public struct DeleteGroup: Command {
  public static let about = About(
    "DeleteGroup", .groups, "Delete a group that one owns",
    errors: ["groupNotFound", "notAuthorized", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: GroupReferenceInput, in model: inout Model) throws(UseCaseError)
    -> Nothing
  {
    let actor = try model.actor()
    let group = GroupReference(group: try model.group(input.group))
    try model.decide(GroupEvent.deleted(group), by: actor)
    return Nothing()
  }
}
