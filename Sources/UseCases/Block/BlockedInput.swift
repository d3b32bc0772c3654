/// The input of the use cases that make or end a block.
public struct BlockedInput: UseCaseInput {
  public var user: String

  public init(user: String) { self.user = user }

  public init(from fields: inout Fields) throws(InputError) {
    user = try fields.required("user", "Who is blocked, or no longer.")
  }
}
