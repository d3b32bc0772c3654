import UseCases

/// The source of a person's tokens: it says who is signed in, and gets a new token when a server
/// rejects the old one.
///
/// ```swift
/// let remote = RemoteCore(url: url, session: StaticSession(token: token))
/// ```
/// Apps use `RefreshingSession`. A session of your own must allow calls from several tasks at once.
public protocol Session: Sendable {
  /// Returns the current token.
  /// - Throws: `UseCaseError.sessionEnded` if nobody is signed in.
  func token() async throws -> String
  /// Returns a token other than the rejected token, perhaps after asking the identity provider.
  /// - Throws: `UseCaseError.sessionEnded` if there is no other token; `UseCaseError.unreachable`
  ///   or a `URLError` if the provider cannot be reached.
  func refresh(after rejected: String) async throws -> String
}

/// A session with one token, for services, scripts and tests. It ends when the token is rejected.
public struct StaticSession: Session {
  private let text: String

  /// Creates a session with a token.
  public init(token: String) { text = token }

  public func token() -> String { text }
  public func refresh(after rejected: String) throws -> String { throw UseCaseError.sessionEnded }
}
