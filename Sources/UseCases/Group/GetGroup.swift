/// A group that the caller may see.
public struct GetGroup: Query {
  public static let about = About(
    "GetGroup", .groups, "Show a group",
    result:
      "group, name, description, isPublic, owner, memberCount, membership, createdAt, requests",
    errors: ["groupNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: GroupReferenceInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> GroupRow {
    try model.visible(group: input.group, to: caller).row
  }
}
