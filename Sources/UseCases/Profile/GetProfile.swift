import Aggregates
import Events
import Projections

/// A user's profile, found by id or by handle.
public struct GetProfile: Query {
  public struct Input: UseCaseInput {
    public var user: String?
    public var handle: String?

    public init(user: String? = nil, handle: String? = nil) {
      self.user = user
      self.handle = handle
    }

    public init(from fields: inout Fields) throws(InputError) {
      user = try fields.optional("user", "Whose, by id; the caller's by default.")
      handle = try fields.optional("handle", "Whose, by handle, whatever its case.")
    }
  }

  public static let about = About(
    "GetProfile", .profile, "Show a profile", result: "the profile",
    errors: ["profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Profile {
    let byHandle = input.handle.flatMap(model.views.profiles.holder)
    let user = input.handle == nil ? try model.subject(input.user, caller) : byHandle
    if let name = input.user, input.handle != nil, user != model.names.find(user: name) {
      throw .refused(.profileNotFound)
    }
    guard let user, let profile = model.profile(user, for: caller) else {
      throw .refused(.profileNotFound)
    }
    return profile
  }
}

public typealias RefreshProfile = Refresh<GetProfile>

/// Public profiles by any part of handle or name.
public struct SearchProfiles: Query {
  public struct Input: UseCaseInput {
    public var query: String
    public var limit: Int?

    public init(query: String, limit: Int? = nil) {
      self.query = query
      self.limit = limit
    }

    public init(from fields: inout Fields) throws(InputError) {
      query = try fields.required("query", "Any part of a handle or name: 2 characters or more.")
      limit = try fields.limit()
    }
  }

  public static let about = About(
    "SearchProfiles", .profile,
    "Find public profiles by part of handle or name, whatever case and diacritics",
    result: "rows: the exact handle first, then handles that begin so, then the rest, by handle",
    errors: ["queryTooShort"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [ProfileRow] {
    if Search.isTooShort(input.query) { throw .refused(.queryTooShort) }
    let found = model.views.search.matches(input.query, limit: clamped(input.limit))
    return model.rows(found, for: caller)
  }
}

/// Where a user is based.
public struct GetBaseLocation: Query {
  public typealias Input = UserInput

  public static let about = About(
    "GetBaseLocation", .profile, "Show where a user is based", result: "the location, or null",
    errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> BaseLocation? {
    guard let user = try model.subject(input.user, caller) else { return nil }
    return model.profile(user, for: caller)?.details?.baseLocation
  }
}

/// A user's sports, with levels.
public struct GetSports: Query {
  public typealias Input = UserInput

  public static let about = About(
    "GetSports", .profile, "Show a user's sports",
    result: "sport, level and isMentor, the last set last", errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [Sport] {
    guard let user = try model.subject(input.user, caller) else { return [] }
    return model.profile(user, for: caller)?.details?.sports ?? []
  }
}

/// The sports there are.
public struct ListSports: Query {
  public static let about = About(
    "ListSports", .profile, "List the sports there are", result: "ids")
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: NoInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [String] { model.rules.sports }
}

/// The input of use cases that ask about a user.
public struct UserInput: UseCaseInput {
  public var user: String?

  public init(user: String? = nil) { self.user = user }

  public init(from fields: inout Fields) throws(InputError) {
    user = try fields.optional("user", "Whose; the caller's by default.")
  }
}
