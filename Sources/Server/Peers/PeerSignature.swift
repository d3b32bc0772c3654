#if Server
  import Events
  import Synchronization

  /// Signs the batches that servers of one log pass to each other, and checks their signatures.
  ///
  /// The signature is an HMAC-SHA256 (RFC 2104) with the log's secret over the method, the path,
  /// the time, a random number and the body's digest. The body has the callers, and the receiver
  /// and its term (`PeerReceiver`). The header has the digest too, so that a server can refuse a
  /// batch before it reads the body.
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
    package func header(for body: [UInt8], path: String) -> String {
      let time = "\(now().milliseconds)"
      let nonce =
        String(UInt64.random(in: .min ... .max), radix: 16)
        + String(UInt64.random(in: .min ... .max), radix: 16)
      let digest = hex(sha256(body))
      return "EventlogPeer \(time) \(nonce) \(digest) \(mac(time, nonce, path, digest))"
    }

    /// Returns whether a header has a valid signature, now and for the first time. The body must
    /// then have the digest in the header: see `signs`.
    func accepts(_ header: String?, path: String) -> Bool {
      let parts = Self.parts(header)
      guard parts.count == 5, parts[0] == "EventlogPeer", let time = Int64(parts[1]),
        (16...32).contains(parts[2].utf8.count)
      else { return false }
      let present = now().milliseconds
      guard (present - Self.tolerance...present + Self.tolerance).contains(time) else {
        return false
      }
      guard isEqual(parts[4], mac(parts[1], parts[2], path, parts[3])) else { return false }
      return seen.withLock { seen in
        if seen.count > 10_000 { seen = seen.filter { $0.value >= present } }
        return seen.updateValue(present + 2 * Self.tolerance, forKey: parts[2]) == nil
      }
    }

    /// Returns whether an accepted header is that of a body.
    func signs(_ header: String?, _ body: [UInt8]) -> Bool {
      let parts = Self.parts(header)
      return parts.count == 5 && parts[3] == hex(sha256(body))
    }

    private static func parts(_ header: String?) -> [String] {
      (header ?? "").split(separator: " ").map(String.init)
    }

    private func mac(_ time: String, _ nonce: String, _ path: String, _ digest: String) -> String {
      hex(hmacSHA256(Array("POST\n\(path)\n\(time)\n\(nonce)\n\(digest)".utf8), key: secret))
    }
  }
#endif
