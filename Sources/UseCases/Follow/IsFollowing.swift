import Aggregates
import Projections

/// Whether one user follows another.
public struct IsFollowing: Query {
  public struct Input: UseCaseInput {
    public var follower: String?
    public var followee: String

    public init(follower: String? = nil, followee: String) {
      self.follower = follower
      self.followee = followee
    }

    public init(from fields: inout Fields) throws(InputError) {
      follower = try fields.optional("follower", "Who follows; the caller by default.")
      followee = try fields.required("followee", "Who is followed.")
    }
  }

  public static let about = About(
    "IsFollowing", .follow, "Say whether one user follows another", result: "true or false",
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
    // One's own follows are one's to know; one's followers, of whomever one sees at all.
    if viewer != .user(follower) {
      let (a, b) = (model.visibility(of: follower, viewer), model.visibility(of: followee, viewer))
      let isOwn = viewer == .user(followee)
      guard isOwn ? a != .hidden : a == .full && b == .full else { return false }
    }
    return model.views.isFollowing(follower, followee)
  }
}
