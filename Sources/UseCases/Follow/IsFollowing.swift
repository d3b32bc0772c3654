import Aggregates
import Projections

/// Whether one user follows another.
public struct IsFollowing: Query {
  /// The input of `IsFollowing`.
  public struct Input: UseCaseInput {
    /// The follower's id; by default the caller's.
    public var follower: String?
    /// The followed user's id.
    public var followee: String

    /// Creates the input.
    public init(follower: String? = nil, followee: String) {
      (self.follower, self.followee) = (follower, followee)
    }

    public static var placeholder: Input { Input(followee: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.optional("follower", "The follower's id; by default the caller's.", &follower)
      try fields.required("followee", "The followed user's id.", &followee)
    }
  }

  public static let about = About(
    "IsFollowing", .follow, "Check whether one user follows another", result: "true or false",
    errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Bool {
    let viewer = model.viewer(caller)
    guard let name = input.follower ?? caller.user else { throw .refused(.unauthorized) }
    guard let follower = model.existing(name), let followee = model.existing(input.followee) else {
      return false
    }
    // Callers may ask about their own follows, and whether a user whom they can see follows them.
    // For two other users, callers must see both profiles in full.
    if viewer != .user(follower) {
      let (a, b) = (model.visibility(of: follower, viewer), model.visibility(of: followee, viewer))
      let isOwn = viewer == .user(followee)
      guard isOwn ? a != .hidden : a == .full && b == .full else { return false }
    }
    return model.views.isFollowing(follower, followee)
  }
}
