import Aggregates
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
    let byHandle = input.handle.flatMap(model.views.holder)
    let user = input.handle == nil ? try model.subject(input.user, caller) : byHandle
    if let name = input.user, input.handle != nil,
      user != model.views.find(user: name, in: model.names)
    {
      throw .refused(.profileNotFound)
    }
    guard let user, let profile = model.profile(user, for: caller) else {
      throw .refused(.profileNotFound)
    }
    return profile
  }
}

public typealias RefreshProfile = Refresh<GetProfile>
