/// The input of the use cases that begin or end a follow.
public struct FolloweeInput: UseCaseInput {
  /// The id of the user to follow or unfollow.
  public var followee: String

  /// Creates the input.
  public init(followee: String) { self.followee = followee }

  public init(from fields: inout Fields) throws(InputError) {
    followee = try fields.required("followee", "The id of the user to follow or unfollow.")
  }
}
