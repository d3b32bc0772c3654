#if Server
  import CServer

  /// OpenSSL's SHA-256.
  @Sendable public func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    server_sha256(bytes, bytes.count, &digest)
    return digest
  }
#endif
