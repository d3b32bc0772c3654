/// The first use of a command's key: where and when the command was decided.
///
/// A command that appended events is found by the ids of its events. A shared log also notes the
/// uses of commands that appended nothing, so that no other machine performs them again.
public struct KeyUse: Equatable, Sendable {
  /// The key: the last 64 bits of the id of the command's first event, if it has one.
  public var tail: UInt64
  /// A hash of the command's input; nil if only the event's id is known, which has 12 bits of it.
  public var body: UInt64?
  /// The position of the log at which the command was decided.
  public var position: UInt64
  public var time: Timestamp

  public init(tail: UInt64, body: UInt64?, position: UInt64, time: Timestamp) {
    (self.tail, self.body, self.position, self.time) = (tail, body, position, time)
  }

  /// The use that an event with the key's tail proves.
  public init(_ event: RecordedEvent) {
    self.init(tail: event.id.low, body: nil, position: event.seq - 1, time: event.time)
  }
}

/// Uses of keys as a text: a line each, `TAIL BODY POSITION MILLISECONDS`, the first two in
/// hexadecimal. It holds hashes and numbers, and nothing that people wrote.
public enum KeyUses {
  /// How long a use without events is kept, in milliseconds: a day.
  public static let lifetime: Int64 = 86_400_000

  public static func line(_ use: KeyUse) -> String {
    "\(String(use.tail, radix: 16)) \(String(use.body ?? 0, radix: 16)) \(use.position) "
      + "\(use.time.milliseconds)\n"
  }

  /// Reads the uses that are younger than a day; ignores lines that were cut or are of the future.
  /// - Parameter tails: reads the uses of these keys only; nil reads all.
  /// - Complexity: O(text); a line that is not wanted costs a look at its first word.
  public static func read(
    _ text: [UInt8], of tails: Set<UInt64>? = nil, now: Timestamp
  ) -> [KeyUse] {
    text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      if let tails, !tails.contains(Self.tail(of: line)) { return nil }
      let words = String(decoding: line, as: UTF8.self).split(separator: " ")
      guard words.count == 4, let tail = UInt64(words[0], radix: 16),
        let body = UInt64(words[1], radix: 16), let position = UInt64(words[2]),
        let milliseconds = Int64(words[3]), milliseconds <= now.milliseconds,
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
