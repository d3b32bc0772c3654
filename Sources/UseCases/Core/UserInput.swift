/// The input of use cases that ask about a user.
public struct UserInput: UseCaseInput {
  public var user: String?

  public init(user: String? = nil) { self.user = user }

  public init(from fields: inout Fields) throws(InputError) {
    user = try fields.optional("user", "Whose; the caller's by default.")
  }
}

public struct NoInput: UseCaseInput {
  public init() {}
  public init(from fields: inout Fields) throws(InputError) {}
}

/// The rule for ids, for messages.
let idRule =
  "an id is 1 to 128 printable ASCII characters without space, \", \\ and /, and not . or .."
