/// The input of the use cases that page through a user's list.
public struct PageInput: UseCaseInput {
  public var user: String?
  public var limit: Int?
  public var offset: Int?
  public var after: PageCursor?

  public init(
    user: String? = nil, limit: Int? = nil, offset: Int? = nil, after: PageCursor? = nil
  ) {
    self.user = user
    self.limit = limit
    self.offset = offset
    self.after = after
  }

  public init(from fields: inout Fields) throws(InputError) {
    user = try fields.optional("user", "Whose; the caller's by default.")
    limit = try fields.limit()
    offset = try fields.offset()
    after = try fields.after(
      "Only rows behind this one: the last row's createdAt, a comma, and its user.")
  }
}
