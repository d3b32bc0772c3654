#if Server
  import Events
  import Synchronization

  /// Signs the batches that servers of one log pass to each other, and checks their signatures.
  ///
  /// The signature is an HMAC-SHA256 (RFC 2104) with the log's secret over the method, the path,
  /// the time, a random number and the body. The body has the callers, and the receiver and its
  /// term (`PeerReceiver`).
  package final class PeerSignature: Sendable {
    /// How far the clocks of two servers may differ, in milliseconds.
    private static let tolerance: Int64 = 60_000

    private let secret: [UInt8]
    private let now: @Sendable () -> Timestamp
    /// The random numbers of the accepted batches, with the times after which they are forgotten.
    private let seen = Mutex<[String: Int64]>([:])

    package init(secret: [UInt8], now: @escaping @Sendable () -> Timestamp) {
      (self.secret, self.now) = (secret, now)
    }

    /// Returns the value of the header `Authorization` for a body.
    func header(for body: [UInt8], path: String) -> String {
      let time = "\(now().milliseconds)"
      let nonce =
        String(UInt64.random(in: .min ... .max), radix: 16)
        + String(UInt64.random(in: .min ... .max), radix: 16)
      return "EventlogPeer \(time) \(nonce) \(mac(time, nonce, path, body))"
    }

    /// Returns whether a header signs a body, now and for the first time.
    func accepts(_ header: String?, of body: [UInt8], path: String) -> Bool {
      let parts = (header ?? "").split(separator: " ").map(String.init)
      guard parts.count == 4, parts[0] == "EventlogPeer", let time = Int64(parts[1]),
        (16...32).contains(parts[2].utf8.count)
      else { return false }
      let present = now().milliseconds
      guard (present - Self.tolerance...present + Self.tolerance).contains(time) else {
        return false
      }
      guard isEqual(parts[3], mac(parts[1], parts[2], path, body)) else { return false }
      return seen.withLock { seen in
        if seen.count > 10_000 { seen = seen.filter { $0.value >= present } }
        return seen.updateValue(present + 2 * Self.tolerance, forKey: parts[2]) == nil
      }
    }

    private func mac(_ time: String, _ nonce: String, _ path: String, _ body: [UInt8]) -> String {
      let text = Array("POST\n\(path)\n\(time)\n\(nonce)\n".utf8) + sha256(body)
      return hex(hmacSHA256(text, key: secret))
    }
  }
#endif
