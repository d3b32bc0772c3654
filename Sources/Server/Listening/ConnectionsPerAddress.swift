import Synchronization

/// The number of open connections of each client address, with a limit.
///
/// It neither counts nor limits trusted proxies, which have many clients each, and the addresses
/// that the bounds leave out.
package final class ConnectionsPerAddress: Sendable {
  private let bounds: Bounds
  private let proxies: TrustedProxies
  private let counts = Mutex<[IPAddress: Int]>([:])

  package init(_ bounds: Bounds, _ proxies: TrustedProxies) {
    (self.bounds, self.proxies) = (bounds, proxies)
  }

  /// Returns the address under which connections are counted; nil if they are not counted.
  private func counted(_ address: IPAddress) -> IPAddress? {
    guard bounds.connectionsPerAddress > 0, !proxies.contains(address),
      bounds.countsLoopback || !address.isLoopback
    else { return nil }
    return address.forCounting
  }

  /// Returns whether one more connection from an address may be opened.
  package func allows(_ address: IPAddress) -> Bool {
    guard let address = counted(address) else { return true }
    return counts.withLock { ($0[address] ?? 0) < bounds.connectionsPerAddress }
  }

  /// Counts a connection that was opened (1) or closed (-1).
  package func count(_ change: Int, _ address: IPAddress) {
    guard let address = counted(address) else { return }
    counts.withLock { counts in
      let count = (counts[address] ?? 0) + change
      counts[address] = count > 0 ? count : nil
    }
  }
}
