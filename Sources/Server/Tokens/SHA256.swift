#if Server
  import CServer

  /// Returns the SHA-256 hash of some bytes, computed by OpenSSL.
  @Sendable public func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    server_sha256(bytes, bytes.count, &digest)
    return digest
  }
#endif
