import Events
import Projections

/// What is between the caller and another user.
public struct GetRelationship: Query {
  public struct Input: UseCaseInput {
    public var other: String

    public init(other: String) { self.other = other }

    public init(from fields: inout Fields) throws(InputError) {
      other = try fields.required("other", "The other user.")
    }
  }

  public static let about = About(
    "GetRelationship", .friends, "Say what is between oneself and another user",
    result: "`self`, `none`, `requestSent`, `requestReceived` or `friends`",
    errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Relationships.Relationship {
    guard let user = try model.subject(nil, caller), let other = model.existing(input.other) else {
      return .none
    }
    return model.views.relationships[user, other]
  }
}

public typealias RefreshRelationship = Refresh<GetRelationship>

extension Relationships.Relationship: Answer {
  public var json: JSONValue { .string(rawValue) }
}

/// A user's friends.
public struct GetFriends: Query {
  public static let about = About(
    "GetFriends", .friends, "List a user's friends",
    result: "at most 100 rows, the newest friendship first", errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: UserInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [ProfileRow] {
    guard let user = try model.subject(input.user, caller) else { return [] }
    return model.rows(model.views.relationships.friends(of: user).prefix(100), for: caller)
  }
}

public typealias RefreshFriends = Refresh<GetFriends>

/// Who waits for the caller's answer.
public struct GetPendingRequests: Query {
  public static let about = About(
    "GetPendingRequests", .friends, "List who asked one to be friends",
    result: "rows, the newest request first", errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: NoInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [ProfileRow] {
    let viewer = try model.viewer(caller)
    return model.rows(model.views.relationships.pending(of: viewer), for: caller)
  }
}

public typealias RefreshPendingRequests = Refresh<GetPendingRequests>

/// Whose answer the caller waits for.
public struct GetSentRequests: Query {
  public static let about = About(
    "GetSentRequests", .friends, "List whom one asked to be friends",
    result: "rows, the newest request first", errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: NoInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [ProfileRow] {
    let viewer = try model.viewer(caller)
    return model.rows(model.views.relationships.sent(of: viewer), for: caller)
  }
}

public typealias RefreshSentRequests = Refresh<GetSentRequests>
