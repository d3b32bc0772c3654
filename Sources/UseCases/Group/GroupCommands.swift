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
      (self.group, self.name) = (group, name)
      (self.description, self.isPublic) = (description, isPublic)
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

/// Changes a group that the caller owns.
public struct EditGroup: SilentCommand {
  public struct Input: UseCaseInput {
    public var group: String
    public var name: String?
    public var description: Patch<String>
    public var isPublic: Bool?

    public init(
      group: String, name: String? = nil, description: Patch<String> = .keep,
      isPublic: Bool? = nil
    ) {
      (self.group, self.name) = (group, name)
      (self.description, self.isPublic) = (description, isPublic)
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

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    let edit = GroupEdited(
      group: try model.group(input.group), name: input.name, description: input.description,
      isPublic: input.isPublic)
    try model.decide(GroupEvent.edited(edit), by: actor)
  }
}

/// Makes a member the owner of a group; the owner of before becomes an admin.
public struct TransferGroup: SilentCommand {
  public static let about = About(
    "TransferGroup", .groups, "Make a member the owner of a group that one owns",
    errors: ["groupNotFound", "notAuthorized", "notMember", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: MemberInput, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    let transfer = GroupTransferred(
      group: try model.group(input.group), owner: try model.user(input.user))
    try model.decide(GroupEvent.transferred(transfer), by: actor)
  }
}

/// Deletes a group that the caller owns, for good.
public struct DeleteGroup: SilentCommand {
  public static let about = About(
    "DeleteGroup", .groups, "Delete a group that one owns",
    errors: ["groupNotFound", "notAuthorized", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: GroupReferenceInput, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    let group = GroupReference(group: try model.group(input.group))
    try model.decide(GroupEvent.deleted(group), by: actor)
  }
}
