/// The input of the use cases that page through a user's list.
public struct PageInput: UseCaseInput {
  public var user: String?
  public var limit: Int?
  public var offset: Int?

  public init(user: String? = nil, limit: Int? = nil, offset: Int? = nil) {
    self.user = user
    self.limit = limit
    self.offset = offset
  }

  public init(from fields: inout Fields) throws(InputError) {
    user = try fields.optional("user", "Whose; the caller's by default.")
    limit = try fields.limit()
    offset = try fields.offset()
  }
}
