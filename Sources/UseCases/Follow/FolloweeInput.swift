/// The input of the use cases that make or end a follow.
public struct FolloweeInput: UseCaseInput {
  public var followee: String

  public init(followee: String) { self.followee = followee }

  public init(from fields: inout Fields) throws(InputError) {
    followee = try fields.required("followee", "Who is followed, or no longer.")
  }
}
