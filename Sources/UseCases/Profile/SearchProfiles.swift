import Aggregates
import Events
import Projections

/// Public profiles by any part of handle or name.
public struct SearchProfiles: Query {
  public struct Input: UseCaseInput {
    public var query: String
    public var limit: Int?
    public var offset: Int?

    public init(query: String, limit: Int? = nil, offset: Int? = nil) {
      (self.query, self.limit, self.offset) = (query, limit, offset)
    }

    public init(from fields: inout Fields) throws(InputError) {
      query = try fields.required("query", "Any part of a handle or name: 2 characters or more.")
      limit = try fields.limit()
      offset = try fields.offset()
    }
  }

  public static let about = About(
    "SearchProfiles", .profile,
    "Find public profiles by part of handle or name, whatever case and diacritics",
    result: "rows: the exact handle first, then handles that begin so, then the rest, by handle",
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
    // More than there are users.
    guard offset <= 1_000_000_000 else { return [] }
    // Only those who block, or are blocked, are found and not shown.
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
