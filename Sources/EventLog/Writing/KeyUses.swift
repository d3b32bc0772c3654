import Events

/// Uses of command keys as text, with one line `TAIL BODY POSITION MILLISECONDS` for each. TAIL,
/// the key, and BODY, a hash of the command's input, are hexadecimal.
///
/// If the command's answer is recorded, a second line has a space, TAIL, a space, and the answer.
/// Programs that know only the first kind of line skip it.
public enum KeyUses {
  /// The time, in milliseconds, for which the use of a key by a command without events is kept: a
  /// day.
  public static let lifetime: Int64 = 86_400_000

  /// Returns the lines for a use of a key, each with its line feed.
  public static func lines(_ use: KeyUse) -> String {
    let tail = String(use.tail, radix: 16)
    let first =
      "\(tail) \(String(use.body ?? 0, radix: 16)) \(use.position) \(use.time.milliseconds)\n"
    return first + (answerLine(use).map { $0 + "\n" } ?? "")
  }

  /// Returns the second line for a use of a key, without its line feed; nil if the use has no
  /// answer.
  package static func answerLine(_ use: KeyUse) -> String? {
    use.answer.map { " \(String(use.tail, radix: 16)) \($0)" }
  }

  /// Reads the uses that are younger than a day, with their answers. Ignores incomplete lines. A
  /// use's time may be later than `now`, because a log's times may be ahead of the clock.
  /// - Parameter tails: the keys whose uses to read; nil reads all.
  /// - Complexity: O(text). Of an unwanted line, only the first word is parsed.
  public static func read(
    _ text: [UInt8], of tails: Set<UInt64>? = nil, now: Timestamp
  ) -> [KeyUse] {
    var uses: [KeyUse] = []
    scan(text, of: tails, now: now) { use, line in
      uses.append(use)
      uses[uses.count - 1].answer = line.flatMap { answer(in: text[$0], of: use.tail) }
    }
    return uses
  }

  /// Calls `body` with each use that is younger than a day, without its answer, and with the range
  /// of the answer's line in `text`; nil if the use has none.
  /// - Complexity: O(text): a million uses in about a tenth of a second, because a server reads its
  ///   journal before it accepts.
  package static func scan(
    _ text: [UInt8], of tails: Set<UInt64>? = nil, now: Timestamp,
    _ body: (KeyUse, _ answer: Range<Int>?) -> Void
  ) {
    func end(of start: Int) -> Int {
      var at = start
      while at < text.count, text[at] != UInt8(ascii: "\n") { at += 1 }
      return at
    }
    var at = 0
    while at < text.count {
      if let tail = number(text, &at, radix: 16), tails?.contains(tail) != false,
        let hash = number(text, &at, radix: 16), let position = number(text, &at, radix: 10),
        let last = number(text, &at, radix: 10), let milliseconds = Int64(exactly: last),
        at == text.count || text[at] == UInt8(ascii: "\n"),
        now.milliseconds - milliseconds < lifetime
      {
        let use = KeyUse(
          tail: tail, body: hash, position: position, time: Timestamp(milliseconds: milliseconds))
        let next = at + 1
        let hasAnswer = next < text.count && text[next] == UInt8(ascii: " ")
        if hasAnswer { at = end(of: next) }
        body(use, hasAnswer ? next..<at : nil)
      }
      at = end(of: at) + 1
    }
  }

  /// Returns the answer in the second line of a use; nil if the line is of another use.
  package static func answer(in line: ArraySlice<UInt8>, of tail: UInt64) -> String? {
    let prefix = Array(" \(String(tail, radix: 16)) ".utf8)
    guard line.starts(with: prefix) else { return nil }
    return String(validating: line.dropFirst(prefix.count), as: UTF8.self)
  }

  /// Removes the answers from the files of uses in a log's folder: a server's, and those of a
  /// shared folder.
  /// - Throws: `LogError.file`.
  static func eraseAnswers(in folder: String, _ files: FileSystem) throws(LogError) {
    for name in ["retries/1", "retries/2", "keys"] {
      let path = folder + "/" + name
      guard let text = try ifPresent(files.contents(of: path)) else { continue }
      var kept: [UInt8] = []
      scan(text, now: .epoch) { use, _ in kept += lines(use).utf8 }
      try io(files.replace(path, in: parentDirectory(path), kept, as: .createPrivate))
    }
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
