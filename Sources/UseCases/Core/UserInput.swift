/// The input of use cases that ask about a user.
public struct UserInput: UseCaseInput {
  /// The user's id; by default the caller's.
  public var user: String?

  /// Creates the input.
  public init(user: String? = nil) { self.user = user }

  public static var placeholder: UserInput { UserInput() }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.optional("user", "The user's id; by default the caller's.", &user)
  }
}

/// The input of use cases without fields.
public struct NoInput: UseCaseInput {
  /// Creates the empty input.
  public init() {}
  public static var placeholder: NoInput { NoInput() }
  public mutating func code(with fields: inout Fields) throws(InputError) {}
}

/// The rule for valid ids, for error messages.
let idRule =
  "an id is 1 to 128 printable ASCII characters without space, \", \\ and /, and not . or .."
