/// A request to the accounts, below `/auth/v1`.
enum AccountCall: Equatable, Sendable {
  case signUp, token, user, changeUser, logOut
  case sendCode, recover, resend, verify, verifyLink
  case keys, settings, health

  /// The largest body, in bytes: 64 KiB.
  static let bodyLimit = 64 << 10

  init(_ method: String, _ path: [String]) throws(Service.Refusal) {
    let calls: [String: AccountCall]
    switch path.dropFirst(2).joined(separator: "/") {
    case "signup": calls = ["POST": .signUp]
    case "token": calls = ["POST": .token]
    case "user": calls = ["GET": .user, "PUT": .changeUser]
    case "logout": calls = ["POST": .logOut]
    case "otp", "magiclink": calls = ["POST": .sendCode]
    case "recover": calls = ["POST": .recover]
    case "resend": calls = ["POST": .resend]
    // HEAD must not use up the link.
    case "verify": calls = ["GET": .verifyLink, "POST": .verify]
    case ".well-known/jwks.json": calls = ["GET": .keys, "HEAD": .keys]
    case "settings": calls = ["GET": .settings, "HEAD": .settings]
    case "health": calls = ["GET": .health, "HEAD": .health]
    default: throw .notFound("docs/accounts.md lists the addresses below /auth/v1")
    }
    guard path.starts(with: ["auth", "v1"]), let call = calls[method] else {
      throw .method(allowed: calls.keys.sorted().joined(separator: ", "))
    }
    self = call
  }

  var template: String {
    switch self {
    case .signUp: "/auth/v1/signup"
    case .token: "/auth/v1/token"
    case .user, .changeUser: "/auth/v1/user"
    case .logOut: "/auth/v1/logout"
    case .sendCode: "/auth/v1/otp"
    case .recover: "/auth/v1/recover"
    case .resend: "/auth/v1/resend"
    case .verify, .verifyLink: "/auth/v1/verify"
    case .keys: "/auth/v1/.well-known/jwks.json"
    case .settings: "/auth/v1/settings"
    case .health: "/auth/v1/health"
    }
  }

  /// Whether anybody may call the address, without the header `apikey`.
  var isPublic: Bool { [.verifyLink, .keys, .settings, .health].contains(self) }
}
