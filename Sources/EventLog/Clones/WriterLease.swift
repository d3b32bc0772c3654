import Events

/// The lease by which the servers of one shared log agree which server appends.
///
/// The shared log keeps the lease, and measures its time with its own clock. A server keeps the
/// lease by calling `hold` again before its time is over. Each new holder gets a higher term. The
/// shared log refuses batches of an earlier term, so a holder that was paused appends nothing
/// after another server has taken over.
public protocol WriterLease: Sendable {
  /// Registers this server under an address. Takes the lease if no server holds it, or renews it if
  /// this server holds it.
  /// - Parameters:
  ///   - address: where other servers reach this server.
  ///   - duration: the time after which another server may take the lease. Zero only reads who
  ///     holds it.
  /// - Throws: `RemoteFault`, without trying again.
  func hold(at address: String, for duration: Duration) async throws(LogError) -> LeaseState

  /// Gives the lease back if this server holds it, and removes the server's registration.
  func release() async throws(LogError)

  /// Returns a random secret of 32 bytes that only programs that may append can read.
  func secret() async throws(LogError) -> [UInt8]
}

/// The holder of a lease, as the shared log recorded it.
public struct LeaseState: Equatable, Sendable {
  /// The number of the holder's term; each new holder has a higher one.
  public var term: Int64
  /// The address of the holder; nil if no server holds the lease.
  public var holder: String?
  /// Whether the caller holds the lease.
  public var isHeld: Bool

  /// Creates a state from its values.
  public init(term: Int64, holder: String?, isHeld: Bool) {
    (self.term, self.holder, self.isHeld) = (term, holder, isHeld)
  }
}

extension RemoteLog {
  /// A log without a lease: each clone appends by itself.
  public var lease: (any WriterLease)? { nil }

  /// A log that announces nothing.
  public func awaitEvents(within duration: Duration) async -> UInt64? {
    try? await Task.sleep(for: duration)
    return nil
  }
}
