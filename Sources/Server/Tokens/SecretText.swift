#if Server
  import Events

  /// A secret in a key file: one line of printable ASCII, or base64 on any number of lines.
  struct SecretText {
    /// The file's bytes, without one line feed at the end.
    let bytes: [UInt8]

    /// Creates the secret from a key file's bytes.
    /// - Returns: nil for bytes in another form, and for texts that could be a public key: a JSON
    ///   array or object, PEM, an SSH key, or the base64 form of a DER structure.
    init?(_ file: [UInt8]) {
      var bytes = file
      if bytes.last == 0x0a { bytes.removeLast() }
      let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
        .map { $0.last == 0x0d ? $0.dropLast() : $0 }
      let isPlain = lines.count == 1 && bytes.allSatisfy { 0x20...0x7e ~= $0 }
      let joined = Array(lines.joined())
      let isBase64 = joined.allSatisfy { isAlphanumeric($0) || "+/=-_".utf8.contains($0) }
      guard isPlain || isBase64, !Self.isDER(joined) else { return nil }
      let start = bytes.drop { $0 <= 0x20 }
      let marks = [
        "[", "{", "-----", "---- ", "ssh-", "ecdsa-", "sk-ssh-", "sk-ecdsa-", "MII", "MFk",
      ]
      guard !marks.contains(where: { start.starts(with: $0.utf8) }) else { return nil }
      self.bytes = bytes
    }

    /// Returns whether a base64 text decodes to one DER sequence of the length in its first bytes.
    private static func isDER(_ text: [UInt8]) -> Bool {
      guard let bytes = TokenKey.base64(String(decoding: text, as: UTF8.self)), bytes.count > 4,
        bytes[0] == 0x30
      else { return false }
      switch bytes[1] {
      case 0x00...0x7f: return bytes.count == 2 + Int(bytes[1])
      case 0x81: return bytes.count == 3 + Int(bytes[2])
      case 0x82: return bytes.count == 4 + Int(bytes[2]) << 8 + Int(bytes[3])
      default: return false
      }
    }
  }
#endif
