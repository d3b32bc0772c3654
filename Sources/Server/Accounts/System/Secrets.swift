#if Server
  import CServer
  import EventLog
  import Events

  /// Returns random bytes of OpenSSL's generator.
  /// - Throws: if the system has no randomness.
  func randomBytes(_ count: Int) throws(AccountFault) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard server_random(&bytes, count) == 1 else {
      throw AccountFault("the system returns no random bytes")
    }
    return bytes
  }

  /// Returns a random token of 256 bits: 43 characters of base64url.
  func randomToken() throws(AccountFault) -> String { base64URL(try randomBytes(32)) }

  /// Returns a random code of six digits.
  func randomCode() throws(AccountFault) -> String {
    while true {
      let number = try randomBytes(4).reduce(0) { $0 << 8 | UInt32($1) }
      // Numbers at or above the last multiple of a million would make some codes more likely.
      if number < 4_294_000_000 {
        let digits = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
      }
    }
  }

  /// Returns a random UUID (version 4) in lower case.
  func randomUUID() throws(AccountFault) -> String {
    var bytes = try randomBytes(16)
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    var text = hex(bytes)
    for offset in [20, 16, 12, 8] {
      text.insert("-", at: text.index(text.startIndex, offsetBy: offset))
    }
    return text
  }

  /// Returns the SHA-256 hash of a text, as 64 hexadecimal digits.
  func hashed(_ text: String) -> String { hex(sha256(Array(text.utf8))) }

  /// Returns the HMAC-SHA256 of a text, as 64 hexadecimal digits.
  func keyedHash(_ text: String, _ key: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    let text = Array(text.utf8)
    server_hmac_sha256(key, key.count, text, text.count, &digest)
    return hex(digest)
  }

  /// Returns whether two texts are equal, in a time that depends only on their lengths.
  func isEqual(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    return one.count == other.count && server_is_equal(one, other, one.count) == 1
  }

  /// Returns bytes as base64url without padding.
  func base64URL(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var out: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0...group.count { out.append(digits[bits >> (18 - 6 * place) & 63]) }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Allows only the owner to read and write a file.
  func makePrivate(_ path: String) throws(AccountFault) {
    guard server_is_shared(path) == 0 || server_make_private(path) == 0 else {
      throw AccountFault("\(path): its permissions cannot be restricted to the owner")
    }
  }
#endif
