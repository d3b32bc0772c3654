import Events

/// Returns an error in GoTrue's form.
func accountError(_ failure: Response.Failure, _ status: Int) -> JSONValue {
  let code =
    switch failure.code {
    case "badRequest", "tooLarge", "unsupportedType", "unsupportedEncoding": "validation_failed"
    case "tooManyRequests": "over_request_rate_limit"
    case "busy", "ending": "unexpected_failure"
    default: failure.code
    }
  var members: [JSONValue.Member] = [
    .init("code", .int(status)), .init("error_code", .string(code)),
    .init("msg", .string(failure.message)),
  ]
  if code == "weak_password", let details = failure.details {
    members.append(.init("weak_password", details))
  }
  return .object(members)
}

/// The reason why a call about accounts fails: a refusal for the client, or a failure of the
/// machine for the operator. It contains no credential.
public struct AccountFault: Error, Sendable, CustomStringConvertible {
  /// A sentence for the operator.
  public var description: String
  /// The answer to the client; nil for a failure of the machine.
  let refusal: Response?
  /// Whether the input is the reason, and not the machine.
  public var isRefusal: Bool { refusal != nil }

  init(_ description: String) { (self.description, refusal) = (description, nil) }

  private init(_ refusal: Response, _ description: String) {
    (self.refusal, self.description) = (refusal, description)
  }

  static func refused(_ status: Int, _ code: String, _ message: String) -> Self {
    Self(.failure(status, code, message), message)
  }

  static func invalid(_ message: String) -> Self { refused(400, "validation_failed", message) }

  static func weakPassword(_ message: String) -> Self {
    let details = JSONValue.of(["reasons": .array([.string("length")])])
    return Self(.failure(422, "weak_password", message, details: details), message)
  }

  static let wrongCredentials = refused(400, "invalid_credentials", "Invalid login credentials")
  static let disabled = refused(400, "user_banned", "User is banned")
  static let codeExpired = refused(403, "otp_expired", "Token has expired or is invalid")
  static let outdated = refused(
    409, "conflict", "another request changed the account meanwhile; try again")
  static let addressTaken = refused(
    422, "email_exists", "A user with this email address has already been registered")
}
