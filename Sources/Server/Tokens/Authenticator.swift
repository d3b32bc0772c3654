import Events
import UseCases

/// A type that checks tokens and returns their callers.
public protocol Authenticator: Sendable {
  /// Returns the caller whom a token names, and the time at which the token expires.
  /// - Parameter token: the text after `Bearer` in the header.
  /// - Throws: `TokenFault` if the token is not accepted.
  func session(_ token: String, now: Timestamp) throws(TokenFault) -> Session
}

/// A caller, and the time at which the caller's token expires.
public struct Session: Equatable, Sendable {
  /// The user or service that the token names.
  public var caller: Caller
  /// The time at which the token expires.
  public var expires: Timestamp

  /// Creates a session.
  public init(caller: Caller, expires: Timestamp) {
    (self.caller, self.expires) = (caller, expires)
  }

  /// Creates a session from the claims of a token whose signature was checked.
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

/// The reason why a token is not accepted. It contains no part of the token.
public struct TokenFault: Error, Equatable, Sendable {
  /// A sentence for the caller.
  public var message: String
  /// The error code in the answer: `unauthorized`, or `tokenExpired` if the client needs a new
  /// token.
  public var code = "unauthorized"
  /// Creates a fault with the code `unauthorized`.
  public init(_ message: String) { self.message = message }

  /// The fault for an otherwise valid token that has expired.
  public static var hasExpired: Self {
    var fault = Self("the token has expired")
    fault.code = "tokenExpired"
    return fault
  }
}

/// An authenticator that refuses every token, for tests and for `--insecure-users`.
public struct NoTokens: Authenticator {
  /// Creates the authenticator.
  public init() {}
  /// Throws for every token.
  public func session(_ token: String, now: Timestamp) throws(TokenFault) -> Session {
    throw TokenFault("this server accepts no tokens")
  }
}
