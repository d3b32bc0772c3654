import Events

/// Uses of command keys as text, with one line `TAIL BODY POSITION MILLISECONDS` for each. TAIL,
/// the key, and BODY, a hash of the command's input, are hexadecimal.
public enum KeyUses {
  /// The time, in milliseconds, for which the use of a key by a command without events is kept: a
  /// day.
  public static let lifetime: Int64 = 86_400_000

  /// Returns the line for a use of a key, with its line feed.
  public static func line(_ use: KeyUse) -> String {
    "\(String(use.tail, radix: 16)) \(String(use.body ?? 0, radix: 16)) \(use.position) "
      + "\(use.time.milliseconds)\n"
  }

  /// Reads the uses that are younger than a day. Ignores incomplete lines. A use's time may be
  /// later than `now`, because a log's times may be ahead of the clock.
  /// - Parameter tails: the keys whose uses to read; nil reads all.
  /// - Complexity: O(text). Of an unwanted line, only the first word is parsed.
  public static func read(
    _ text: [UInt8], of tails: Set<UInt64>? = nil, now: Timestamp
  ) -> [KeyUse] {
    text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      if let tails, !tails.contains(Self.tail(of: line)) { return nil }
      let words = String(decoding: line, as: UTF8.self).split(separator: " ")
      guard words.count == 4, let tail = UInt64(words[0], radix: 16),
        let body = UInt64(words[1], radix: 16), let position = UInt64(words[2]),
        let milliseconds = Int64(words[3]),
        now.milliseconds - milliseconds < lifetime
      else { return nil }
      return KeyUse(
        tail: tail, body: body, position: position, time: Timestamp(milliseconds: milliseconds))
    }
  }

  private static func tail(of line: ArraySlice<UInt8>) -> UInt64 {
    line.prefix(16).prefix { $0 != UInt8(ascii: " ") }.reduce(0) { tail, byte in
      let digit = byte & 0x40 == 0 ? byte & 0xf : byte & 0xf &+ 9
      return tail << 4 | UInt64(digit)
    }
  }
}
