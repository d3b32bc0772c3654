/// The input of use cases about one group.
public struct GroupReferenceInput: UseCaseInput {
  /// The group's id.
  public var group: String

  /// Creates the input.
  public init(group: String) { self.group = group }

  public static var placeholder: GroupReferenceInput { GroupReferenceInput(group: .placeholder) }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("group", "The group's id.", &group)
  }
}

/// The input of the use cases that page through a group's members or feed.
public struct GroupPageInput: UseCaseInput {
  /// The group's id.
  public var group: String
  /// The maximum number of rows: 1 to 50, by default 20.
  public var limit: Int?
  /// The number of rows to skip at the start of the list; by default 0.
  public var offset: Int?
  /// The cursor of the previous page's last row; nil for the first page.
  public var after: PageCursor?

  /// Creates the input.
  public init(
    group: String, limit: Int? = nil, offset: Int? = nil, after: PageCursor? = nil
  ) {
    (self.group, self.limit) = (group, limit)
    (self.offset, self.after) = (offset, after)
  }

  public static var placeholder: GroupPageInput { GroupPageInput(group: .placeholder) }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("group", "The group's id.", &group)
    try fields.limit(&limit)
    try fields.offset(&offset)
    try fields.after(
      "Only rows after this one: createdAt, a comma, user; in the feed date, a comma, workout.",
      &after)
  }
}
