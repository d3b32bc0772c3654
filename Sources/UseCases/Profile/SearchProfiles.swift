import Aggregates
import Events
import Projections

/// The public profiles whose handle or name contains a text.
public struct SearchProfiles: Query {
  /// The input of `SearchProfiles`.
  public struct Input: UseCaseInput {
    /// The text to find in handles and names: at least 2 characters.
    public var query: String
    /// The maximum number of rows: 1 to 50, by default 20.
    public var limit: Int?
    /// The number of rows to skip at the start of the list; by default 0.
    public var offset: Int?

    /// Creates the input.
    public init(query: String, limit: Int? = nil, offset: Int? = nil) {
      (self.query, self.limit, self.offset) = (query, limit, offset)
    }

    public static var placeholder: Input { Input(query: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("query", "A part of a handle or name: at least 2 characters.", &query)
      try fields.limit(&limit)
      try fields.offset(&offset)
    }
  }

  public static let about = About(
    "SearchProfiles", .profile,
    "Find public profiles by a part of the handle or name, ignoring case and diacritics",
    result: "rows: the exact handle, then handles that begin with the query, then others by handle",
    errors: ["queryTooShort", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [ProfileRow] {
    try model.checkListing(caller)
    if Search.isTooShort(input.query) { throw .refused(.queryTooShort) }
    let (viewer, limit) = (model.viewer(caller), clamped(input.limit))
    let offset = max(input.offset ?? 0, 0)
    // There are never so many users, and the sum below must not overflow.
    guard offset <= 1_000_000_000 else { return [] }
    // The search also finds users who block the viewer or whom the viewer blocks. They get no row,
    // so it may have to search again for more.
    var asked = offset + limit
    while true {
      let found = model.views.all.search.matches(input.query, limit: asked, model.names)
      let rows = model.rows(found, for: viewer)
      if rows.count >= offset + limit || found.count < asked {
        return Array(rows.dropFirst(offset).prefix(limit))
      }
      asked *= 2
    }
  }
}
