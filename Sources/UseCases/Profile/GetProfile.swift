import Aggregates
import Events
import Projections

/// A user's profile, found by id or by handle.
public struct GetProfile: Query {
  /// The input of `GetProfile`.
  public struct Input: UseCaseInput {
    /// The user's id; by default the caller's.
    public var user: String?
    /// The user's handle; case is ignored.
    public var handle: String?

    /// Creates the input.
    public init(user: String? = nil, handle: String? = nil) {
      (self.user, self.handle) = (user, handle)
    }

    public static var placeholder: Input { Input() }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.optional("user", "The user's id; by default the caller's.", &user)
      try fields.optional("handle", "The user's handle; case is ignored.", &handle)
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
