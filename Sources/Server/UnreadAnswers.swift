import Synchronization

/// The bytes of the answers that clients have not read yet, in all and of each caller, with limits.
///
/// A caller's first answer may be larger than the caller's limit, and the server always has room
/// for answers of less than 16 KiB: callers who do not read their answers cannot lock out others.
package final class UnreadAnswers: Sendable {
  /// The limit that leaves no room for an answer.
  package enum Full: Equatable, Sendable { case caller, server }

  private let most: Int
  private let mostPerUser: Int
  private let state = Mutex<(all: Int, of: [String: Int])>((0, [:]))

  /// - Parameters:
  ///   - most: the most bytes in all.
  ///   - mostPerUser: the most bytes of one caller.
  package init(most: Int, mostPerUser: Int) { (self.most, self.mostPerUser) = (most, mostPerUser) }

  /// The number of unread bytes.
  package var count: Int { state.withLock { $0.all } }

  /// Counts bytes if there is room for them.
  /// - Parameter caller: nil counts them only for the server.
  package func reserve(_ count: Int, of caller: String?) -> Full? {
    state.withLock { state in
      if let caller, let own = state.of[caller], own + count > mostPerUser { return .caller }
      if count >= 16 << 10, state.all > 0, state.all + count > most { return .server }
      Self.add(count, of: caller, to: &state)
      return nil
    }
  }

  /// Adds to the counts without a limit; a negative number takes bytes away.
  package func add(_ count: Int, of caller: String?) {
    state.withLock { Self.add(count, of: caller, to: &$0) }
  }

  private static func add(
    _ count: Int, of caller: String?, to state: inout (all: Int, of: [String: Int])
  ) {
    state.all += count
    guard let caller else { return }
    let own = state.of[caller, default: 0] + count
    state.of[caller] = own > 0 ? own : nil
  }

  /// Returns whether a caller has reached the limit.
  package func isFull(of caller: String?) -> Bool {
    guard let caller else { return false }
    return state.withLock { ($0.of[caller] ?? 0) >= mostPerUser }
  }
}

extension Service {
  /// Returns an answer whose bytes may wait for the client; otherwise a refusal. An answer to a
  /// request that may have changed something is never refused.
  func bounded(_ response: Response, _ request: Admitted) -> Response {
    guard case .bytes(let bytes) = response.body, !bytes.isEmpty else { return response }
    let full = request.unread.withLock { unread -> UnreadAnswers.Full? in
      if unread.hasEnded { return nil }
      if request.route.onlyReads(request.head, request.target), response.failure == nil {
        let full = self.unread.reserve(bytes.count, of: request.reader)
        if full != nil { return full }
      } else {
        self.unread.add(bytes.count, of: request.reader)
      }
      unread.bytes += bytes.count
      return nil
    }
    return full.map(refusal) ?? response
  }

  func refusal(_ full: UnreadAnswers.Full) -> Response {
    switch full {
    case .caller:
      .failure(429, "tooManyRequests", "read the answers to your other requests first")
    case .server: .failure(503, "busy", "too many answers wait for their clients; try again")
    }
  }

  /// Takes the bytes of an answer off the counts, because the request has ended.
  func forgetUnread(of request: Admitted) {
    let bytes = request.unread.withLock { unread in
      unread.hasEnded = true
      return unread.bytes
    }
    if bytes > 0 { unread.add(-bytes, of: request.reader) }
  }
}

extension Service.Admitted {
  /// The caller in whose count the unread bytes of the answer are: the user, else the client's
  /// address. Nil for services, and for callers of this machine who are not signed in.
  var reader: String? {
    if session.caller.service != nil { return nil }
    if let user = session.caller.user { return user }
    guard let address = head.client.address, !address.isLoopback else { return nil }
    return " " + head.client.key
  }
}
