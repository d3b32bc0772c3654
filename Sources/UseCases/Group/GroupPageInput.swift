/// The input of the use cases that page through what a group has.
public struct GroupPageInput: UseCaseInput {
  public var group: String
  public var limit: Int?
  public var offset: Int?

  public init(group: String, limit: Int? = nil, offset: Int? = nil) {
    self.group = group
    self.limit = limit
    self.offset = offset
  }

  public init(from fields: inout Fields) throws(InputError) {
    group = try fields.required("group", "Which group.")
    limit = try fields.limit()
    offset = try fields.offset()
  }
}
