import Synchronization

/// The proxies whose header `X-Forwarded-For` names the client of a request.
///
/// The header's addresses go from the client to the last proxy. Each proxy appends the address from
/// which its own connection came, and a client can begin the header with any text. So the client is
/// the last address that is not a trusted proxy. A header from any other address is ignored.
public final class TrustedProxies: Sendable {
  private let networks: [IPNetwork]
  private let says: @Sendable (String) -> Void
  /// Whether the operator was warned about an ignored header.
  private let hasWarned = Atomic(false)

  /// - Parameters:
  ///   - networks: the addresses of the proxies.
  ///   - says: receives one warning when a header of another address is ignored for the first time.
  package init(_ networks: [IPNetwork] = [], says: @escaping @Sendable (String) -> Void = { _ in })
  {
    (self.networks, self.says) = (networks, says)
  }

  /// Returns whether an address is that of a trusted proxy.
  func contains(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

  /// Returns the client of a request.
  package func client(of head: RequestHead) -> RequestHead.Client {
    guard let sender = head.address else { return RequestHead.Client() }
    guard let header = head[.forwardedFor] else { return RequestHead.Client(address: sender) }
    guard contains(sender) else {
      if !hasWarned.exchange(true, ordering: .relaxed) {
        says(
          "note: X-Forwarded-For came from \(sender), which is not a trusted proxy, and is "
            + "ignored; if that is your proxy, add --trusted-proxy \(sender)")
      }
      return RequestHead.Client(address: sender)
    }
    var client = sender
    for hop in header.split(separator: ",", omittingEmptySubsequences: false).reversed() {
      guard let address = IPAddress(hop: hop) else { break }
      client = address
      if !contains(address) { break }
    }
    return RequestHead.Client(address: client, isBehindProxy: true)
  }
}
