import Aggregates
import Events
import Projections

/// A user's profile, found by id or by handle.
public struct GetProfile: Query {
  public struct Input: UseCaseInput {
    public var user: String?
    public var handle: String?

    public init(user: String? = nil, handle: String? = nil) {
      (self.user, self.handle) = (user, handle)
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

  public static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Profile {
    let byHandle = input.handle.flatMap(model.views.holder)
    guard let name = input.user ?? byHandle.map({ model.names[$0] }) ?? caller.user else {
      throw .refused(input.handle == nil ? .unauthorized : .profileNotFound)
    }
    guard let user = model.existing(name), input.handle == nil || user == byHandle,
      let profile = model.profile(user, for: model.viewer(caller))
    else { throw .refused(.profileNotFound) }
    return profile
  }
}
