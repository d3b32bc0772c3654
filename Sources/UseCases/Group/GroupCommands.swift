import Events

/// Creates a group. The caller becomes its owner and first member.
public struct CreateGroup: Command {
  /// The input of `CreateGroup`.
  public struct Input: UseCaseInput {
    /// The new group's id; by default a generated id. Creating the same group again with the same
    /// id changes nothing.
    public var group: String?
    /// The name: 1 to 50 characters.
    public var name: String
    /// The description of the group: at most 280 characters.
    public var description: String?
    /// Whether everyone can see and join the group; by default true.
    public var isPublic: Bool?

    /// Creates the input.
    public init(
      group: String? = nil, name: String, description: String? = nil, isPublic: Bool? = nil
    ) {
      (self.group, self.name) = (group, name)
      (self.description, self.isPublic) = (description, isPublic)
    }

    public static var placeholder: Input { Input(name: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.optional("group", "The new group's id; by default a new id.", &group)
      try fields.required("name", "The name: 1 to 50 characters.", &name)
      try fields.optional("description", "The description: at most 280 characters.", &description)
      try fields.optional(
        "isPublic", "Whether everyone sees the group and may join; by default true.", &isPublic)
    }
  }

  public static let about = About(
    "CreateGroup", .groups, "Create a group that the caller owns", result: "the group's id",
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
  /// The input of `EditGroup`.
  public struct Input: UseCaseInput {
    /// The group's id.
    public var group: String
    /// The new name: 1 to 50 characters; nil keeps the name.
    public var name: String?
    /// The new description: at most 280 characters.
    public var description: Patch<String>
    /// Whether everyone can see and join the group; nil keeps the setting.
    public var isPublic: Bool?

    /// Creates the input.
    public init(
      group: String, name: String? = nil, description: Patch<String> = .keep,
      isPublic: Bool? = nil
    ) {
      (self.group, self.name) = (group, name)
      (self.description, self.isPublic) = (description, isPublic)
    }

    public static var placeholder: Input { Input(group: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("group", "The group's id.", &group)
      try fields.optional("name", "The new name: 1 to 50 characters.", &name)
      try fields.patch("description", "The new description: at most 280 characters.", &description)
      try fields.optional("isPublic", "Whether everyone sees the group and may join.", &isPublic)
    }
  }

  public static let about = About(
    "EditGroup", .groups,
    "Change the name, the description or the privacy of a group that the caller owns",
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

/// Makes a member the owner of a group that the caller owns. The caller becomes an admin.
public struct TransferGroup: SilentCommand {
  public static let about = About(
    "TransferGroup", .groups, "Make a member the owner of a group that the caller owns",
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

/// Permanently deletes a group that the caller owns.
public struct DeleteGroup: SilentCommand {
  public static let about = About(
    "DeleteGroup", .groups, "Permanently delete a group that the caller owns",
    errors: ["groupNotFound", "notAuthorized", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: GroupReferenceInput, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    let group = GroupReference(group: try model.group(input.group))
    try model.decide(GroupEvent.deleted(group), by: actor)
  }
}
