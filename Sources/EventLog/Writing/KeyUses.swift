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
  /// - Complexity: O(text): a million lines in about a tenth of a second, because a server reads
  ///   its journal before it accepts. Of an unwanted line, only the first word is parsed.
  public static func read(
    _ text: [UInt8], of tails: Set<UInt64>? = nil, now: Timestamp
  ) -> [KeyUse] {
    var (uses, at) = ([KeyUse](), 0)
    while at < text.count {
      if let tail = number(text, &at, radix: 16), tails?.contains(tail) != false,
        let body = number(text, &at, radix: 16), let position = number(text, &at, radix: 10),
        let last = number(text, &at, radix: 10), let milliseconds = Int64(exactly: last),
        at == text.count || text[at] == UInt8(ascii: "\n"),
        now.milliseconds - milliseconds < lifetime
      {
        uses.append(
          KeyUse(
            tail: tail, body: body, position: position,
            time: Timestamp(milliseconds: milliseconds)))
      }
      while at < text.count, text[at] != UInt8(ascii: "\n") { at += 1 }
      at += 1
    }
    return uses
  }

  /// Parses a number and the space after it; nil if there is none.
  private static func number(_ text: [UInt8], _ at: inout Int, radix: UInt64) -> UInt64? {
    var (value, count) = (UInt64(0), 0)
    while at < text.count {
      let byte = text[at]
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: " "):
        at += 1
        return count > 0 ? value : nil
      default: return byte == UInt8(ascii: "\n") && count > 0 ? value : nil
      }
      let (high, carries) = value.multipliedReportingOverflow(by: radix)
      let (sum, overflows) = high.addingReportingOverflow(UInt64(digit))
      guard digit < radix, !carries, !overflows else { return nil }
      (value, count, at) = (sum, count + 1, at + 1)
    }
    return count > 0 ? value : nil
  }
}
