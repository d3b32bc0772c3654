/// The input of the use cases that page through a user's list.
public struct PageInput: UseCaseInput {
  /// The user's id; by default the caller's.
  public var user: String?
  /// The maximum number of rows: 1 to 50, by default 20.
  public var limit: Int?
  /// The number of rows to skip at the start of the list; by default 0.
  public var offset: Int?
  /// The cursor of the previous page's last row; nil for the first page.
  public var after: PageCursor?

  /// Creates the input.
  public init(
    user: String? = nil, limit: Int? = nil, offset: Int? = nil, after: PageCursor? = nil
  ) {
    (self.user, self.limit, self.offset, self.after) = (user, limit, offset, after)
  }

  public static var placeholder: PageInput { PageInput() }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.optional("user", "The user's id; by default the caller's.", &user)
    try fields.limit(&limit)
    try fields.offset(&offset)
    try fields.after(
      "Only rows after this one: the last row's createdAt, a comma, and its user.", &after)
  }
}
