import Foundation
import Synchronization
import UseCases

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A session that refreshes a rejected token once, while all calls wait for the new token.
///
/// ```swift
/// let session = RefreshingSession(store: KeychainTokenStore(service: "com.example.gym")) { old in
///   try await provider.refresh(old.refresh)  // returns Tokens
/// }
/// try session.signIn(Tokens(access: token, refresh: refreshToken))
/// ```
/// The clock of the device plays no part: only a server's rejection causes a refresh.
///
/// If the closure `refresh` throws, for example because the provider refuses, the session ends: the
/// store is emptied, `ended` is called once, and all calls fail with `UseCaseError.sessionEnded`
/// until `signIn`.
///
/// But the session goes on after a `URLError` or `UseCaseError.unreachable`: the provider could not
/// be reached. The waiting calls fail, and the next rejected token is refreshed.
public final class RefreshingSession: Session {
  private struct State {
    /// The tokens; nil if nobody is signed in.
    var tokens: Tokens?
    var isLoaded = false
    var refreshing: (rejected: String, task: Task<String, any Error>)?
    /// The tokens of this person that were current once. A call with a token of another person
    /// is not repeated with this person's.
    var known: Set<String> = []
    /// A number that increases with each sign-in and sign-out. A refresh that began at a lower
    /// number does not change the tokens.
    var generation = 0

    mutating func take(_ new: Tokens?) {
      tokens = new
      if let new { known.insert(new.access) }
    }
  }

  /// A token, or the task that gets one.
  private enum Found {
    case known(String)
    case task(Task<String, any Error>)
  }

  private let state = Mutex(State())
  private let store: any TokenStore
  private let issue: @Sendable (Tokens) async throws -> Tokens
  private let ended: @Sendable (any Error) -> Void

  /// Creates a session with the tokens in a store.
  /// - Parameters:
  ///   - store: keeps the tokens; the session reads it once and writes each change.
  ///   - refresh: returns new tokens from the provider, in exchange for the rejected tokens.
  ///   - ended: called with the error of `refresh` when the session ends. Show the sign-in screen.
  public init(
    store: any TokenStore,
    refresh: @escaping @Sendable (Tokens) async throws -> Tokens,
    ended: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    (self.store, self.issue, self.ended) = (store, refresh, ended)
  }

  /// Stores the tokens of a new sign-in.
  public func signIn(_ tokens: Tokens) throws { try replace(with: tokens) }

  /// Removes the tokens. Calls fail with `UseCaseError.sessionEnded` from now on.
  public func signOut() throws { try replace(with: nil) }

  private func replace(with tokens: Tokens?) throws {
    try state.withLock { state in
      try store.save(tokens)
      state.take(tokens)
      state.known = tokens.map { [$0.access] } ?? []
      state.isLoaded = true
      state.generation += 1
      state.refreshing = nil
    }
  }

  public func token() throws -> String {
    guard let tokens = try state.withLock({ try loaded(&$0) }) else {
      throw UseCaseError.sessionEnded
    }
    return tokens.access
  }

  private func loaded(_ state: inout State) throws -> Tokens? {
    if !state.isLoaded {
      state.take(try store.load())
      state.isLoaded = true
    }
    return state.tokens
  }

  public func refresh(after rejected: String) async throws -> String {
    let answer = try state.withLock { state -> Found in
      guard let tokens = try loaded(&state) else { throw UseCaseError.sessionEnded }
      // Another call has refreshed it already.
      if tokens.access != rejected {
        // The call of a person who has signed out is not repeated for the next one.
        guard state.known.contains(rejected) else { throw UseCaseError.sessionEnded }
        return .known(tokens.access)
      }
      if let under = state.refreshing, under.rejected == rejected { return .task(under.task) }
      let generation = state.generation
      // A task of its own: a caller that is cancelled must not cancel the refresh of the others.
      let task = Task { try await self.issued(tokens, generation) }
      state.refreshing = (rejected, task)
      return .task(task)
    }
    switch answer {
    case .known(let token): return token
    case .task(let task): return try await task.value
    }
  }

  private func issued(_ old: Tokens, _ generation: Int) async throws -> String {
    do {
      let new = try await issue(old)
      return try state.withLock { state in
        // The person has signed in or out meanwhile.
        guard state.generation == generation else { throw UseCaseError.sessionEnded }
        state.refreshing = nil
        state.take(new)
        // If the store cannot be written, the session goes on until the program ends.
        try? store.save(new)
        return new.access
      }
    } catch {
      let isTransient = error.isUnreachable
      let ends = state.withLock { state in
        guard state.generation == generation, state.tokens == old else { return false }
        state.refreshing = nil
        if isTransient { return false }
        state.tokens = nil
        try? store.save(nil)
        return true
      }
      if ends { ended(error) }
      throw isTransient ? error : UseCaseError.sessionEnded
    }
  }
}

extension Error {
  /// Whether the error means that a host could not be reached, so that a retry may succeed.
  var isUnreachable: Bool {
    if self is URLError || self is CancellationError { return true }
    switch self as? UseCaseError {
    case .unreachable, .cancelled: return true
    default: return false
    }
  }
}
