/// The input of the use cases that are about one group.
public struct GroupReferenceInput: UseCaseInput {
  public var group: String

  public init(group: String) { self.group = group }

  public init(from fields: inout Fields) throws(InputError) {
    group = try fields.required("group", "Which group.")
  }
}

/// The input of the use cases that page through what a group has.
public struct GroupPageInput: UseCaseInput {
  public var group: String
  public var limit: Int?
  public var offset: Int?
  public var after: PageCursor?

  public init(
    group: String, limit: Int? = nil, offset: Int? = nil, after: PageCursor? = nil
  ) {
    (self.group, self.limit) = (group, limit)
    (self.offset, self.after) = (offset, after)
  }

  public init(from fields: inout Fields) throws(InputError) {
    group = try fields.required("group", "Which group.")
    limit = try fields.limit()
    offset = try fields.offset()
    after = try fields.after(
      "Only rows behind this one: the last row's createdAt and user, or date and workout.")
  }
}
