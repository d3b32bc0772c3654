#if Server
  import CServer

  /// Returns the SHA-256 hash of some bytes, computed by OpenSSL.
  @Sendable public func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    server_sha256(bytes, bytes.count, &digest)
    return digest
  }

  /// Returns the HMAC-SHA256 (RFC 2104) of a text with a key, computed by OpenSSL.
  func hmacSHA256(_ text: [UInt8], key: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    server_hmac_sha256(key, key.count, text, text.count, &digest)
    return digest
  }
#endif
