import Events

/// Makes a group; its maker is the owner and the first member.
public struct CreateGroup: Command {
  public struct Input: UseCaseInput {
    /// The group's id; a new one by default. Making the same group again under it changes nothing.
    public var group: String?
    public var name: String
    public var description: String?
    public var isPublic: Bool?

    public init(
      group: String? = nil, name: String, description: String? = nil, isPublic: Bool? = nil
    ) {
      self.group = group
      self.name = name
      self.description = description
      self.isPublic = isPublic
    }

    public init(from fields: inout Fields) throws(InputError) {
      group = try fields.optional("group", "The id to give it; a new one by default.")
      name = try fields.required("name", "1 to 50 characters.")
      description = try fields.optional("description", "At most 280 characters.")
      isPublic = try fields.optional(
        "isPublic", "Whether anybody sees it and may join; true by default.")
    }
  }

  public static let about = About(
    "CreateGroup", .groups, "Make a group, which one owns", result: "the group's id",
    errors: [
      "nameEmpty", "nameTooLong", "invalidText", "descriptionTooLong", "notAuthorized",
      "profileNotFound",
      "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> String {
    let actor = try model.actor()
    let name = try model.given(input.group, "group")
    let group = GroupCreated(
      group: try model.group(name), owner: actor, name: input.name,
      description: input.description, isPublic: input.isPublic ?? true)
    try model.decide(GroupEvent.created(group), by: actor)
    return name
  }
}
