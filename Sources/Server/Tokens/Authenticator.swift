import Events
import UseCases

/// Says who a token belongs to.
public protocol Authenticator: Sendable {
  /// - Parameter token: what followed `Bearer` in the header.
  func session(_ token: String, now: Timestamp) throws(TokenFault) -> Session
}

/// Who calls, and until when the token says so.
public struct Session: Equatable, Sendable {
  public var caller: Caller
  public var expires: Timestamp

  public init(caller: Caller, expires: Timestamp) {
    (self.caller, self.expires) = (caller, expires)
  }

  /// Of claims that a signature vouches for.
  /// - Parameters:
  ///   - subject: the claim `sub`.
  ///   - isService: whether the claim `role` is `service`.
  init(subject: String?, isService: Bool, expires: Timestamp) throws(TokenFault) {
    guard let subject, isValidID(subject.utf8), !subject.hasPrefix(Names.servicePrefix),
      subject.utf8.count + Names.servicePrefix.utf8.count <= 128 || !isService
    else { throw TokenFault("the token's sub cannot be a user: 1 to 128 printable characters") }
    self.init(caller: isService ? .service(subject) : Caller(subject), expires: expires)
  }
}

/// Why a token is not accepted, without anything of it.
public struct TokenFault: Error, Equatable, Sendable {
  public var message: String
  /// The code of the answer: `unauthorized`, or `tokenExpired`, after which a client asks for a new
  /// token.
  public var code = "unauthorized"
  public init(_ message: String) { self.message = message }

  /// A token that was good until its time ended.
  public static var hasExpired: Self {
    var fault = Self("the token has expired")
    fault.code = "tokenExpired"
    return fault
  }
}

/// What signs nothing: for tests of what comes behind it, and for `--insecure-users` alone.
public struct NoTokens: Authenticator {
  public init() {}
  public func session(_ token: String, now: Timestamp) throws(TokenFault) -> Session {
    throw TokenFault("this server takes no tokens")
  }
}
