import Events

/// Changes a group that the caller owns.
public struct EditGroup: Command {
  public struct Input: UseCaseInput {
    public var group: String
    public var name: String?
    public var description: Patch<String>
    public var isPublic: Bool?

    public init(
      group: String, name: String? = nil, description: Patch<String> = .keep,
      isPublic: Bool? = nil
    ) {
      self.group = group
      self.name = name
      self.description = description
      self.isPublic = isPublic
    }

    public init(from fields: inout Fields) throws(InputError) {
      group = try fields.required("group", "Which group.")
      name = try fields.optional("name", "1 to 50 characters.")
      description = try fields.patch("description", "At most 280 characters.")
      isPublic = try fields.optional("isPublic", "Whether anybody sees it and may join.")
    }
  }

  public static let about = About(
    "EditGroup", .groups,
    "Change the name, the description or the privacy of a group that one owns",
    errors: [
      "groupNotFound", "notAuthorized", "nameEmpty", "nameTooLong", "invalidText",
      "descriptionTooLong",
      "profileNotFound", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let edit = GroupEdited(
      group: try model.group(input.group), name: input.name, description: input.description,
      isPublic: input.isPublic)
    try model.decide(GroupEvent.edited(edit), by: actor)
    return Nothing()
  }
}
