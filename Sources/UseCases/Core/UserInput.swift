/// The input of use cases that ask about a user.
public struct UserInput: UseCaseInput {
  public var user: String?

  public init(user: String? = nil) { self.user = user }

  public init(from fields: inout Fields) throws(InputError) {
    user = try fields.optional("user", "Whose; the caller's by default.")
  }
}
