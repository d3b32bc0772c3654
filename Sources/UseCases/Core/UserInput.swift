/// The input of use cases that ask about a user.
public struct UserInput: UseCaseInput {
  /// The user's id; by default the caller's.
  public var user: String?

  /// Creates the input.
  public init(user: String? = nil) { self.user = user }

  public init(from fields: inout Fields) throws(InputError) {
    user = try fields.optional("user", "The user's id; by default the caller's.")
  }
}

/// The input of use cases without fields.
public struct NoInput: UseCaseInput {
  /// Creates the empty input.
  public init() {}
  public init(from fields: inout Fields) throws(InputError) {}
}

/// The rule for valid ids, for error messages.
let idRule =
  "an id is 1 to 128 printable ASCII characters without space, \", \\ and /, and not . or .."
