/// A reader of input lines. On a terminal, it offers editing, a history and completion.
///
/// The arrow keys, home, end, and Ctrl-A, E, B, F, K, U, W, L, P and N work as in a shell. Tab
/// completes the last word. Ctrl-C discards the line; Ctrl-D on an empty line ends the input.
struct LineEditor {
  enum Input: Equatable {
    case line(String)
    case interrupted, end
  }

  /// Whether standard input and standard output are a terminal.
  static let isInteractive = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1

  private let prompt: String
  private let complete: (String) async -> [String]
  private var history: [String] = []
  private var pending: [UInt8] = []
  private var line: [Character] = []
  private var cursor = 0
  /// The index in the history of the line that is edited; the history's count for a new line.
  private var place = 0
  private var draft: [Character] = []

  /// - Parameter complete: returns the possible completions of a line's last word, as whole words.
  init(prompt: String, complete: @escaping (String) async -> [String]) {
    (self.prompt, self.complete) = (prompt, complete)
  }

  /// Reads the next line, without its ending.
  mutating func next() async -> Input {
    guard Self.isInteractive else { return plainLine() }
    var cooked = termios()
    guard tcgetattr(STDIN_FILENO, &cooked) == 0 else { return plainLine() }
    var raw = cooked
    cfmakeraw(&raw)
    // Keeps the output flags, because raw mode would also change line ends in output.
    raw.c_oflag = cooked.c_oflag
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
    let input = await edit()
    tcsetattr(STDIN_FILENO, TCSADRAIN, &cooked)
    Output.write("\n")
    try? Output.flush()
    if case .line(let text) = input, !text.isEmpty, history.last != text { history.append(text) }
    return input
  }

  private mutating func plainLine() -> Input {
    var line: [UInt8] = []
    while let byte = byte() {
      if byte == 0x0a { return .line(String(decoding: line, as: UTF8.self)) }
      line.append(byte)
    }
    return line.isEmpty ? .end : .line(String(decoding: line, as: UTF8.self))
  }

  /// Reads the next byte; nil at the end of the input.
  private mutating func byte() -> UInt8? {
    if pending.isEmpty {
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        if count > 0 {
          pending = buffer.prefix(count).reversed()
          break
        }
        if count < 0, errno == EINTR { continue }
        return nil
      }
    }
    return pending.popLast()
  }

  /// Reads the next byte from a terminal; nil at the end of the input. Redraws the line if the
  /// terminal's size changes. It polls the size, because any thread may receive the signal for it.
  private mutating func key() -> UInt8? {
    var width = Terminal.width
    while pending.isEmpty, !isReady(within: 100) {
      if Terminal.width != width {
        width = Terminal.width
        draw()
      }
    }
    return byte()
  }

  /// Waits until the terminal has sent a byte, but no longer than some milliseconds. Returns
  /// whether it has.
  private func isReady(within milliseconds: Int32) -> Bool {
    var ready = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&ready, 1, milliseconds) > 0
  }

  private mutating func edit() async -> Input {
    (line, cursor, place) = ([], 0, history.count)
    while true {
      draw()
      guard let byte = key() else { return .end }
      switch byte == 0x1b ? escapeSequence() : byte {
      case 0x03: return .interrupted
      case 0x04:
        if line.isEmpty { return .end }
        if cursor < line.count { line.remove(at: cursor) }
      case 0x0a, 0x0d:
        cursor = line.count
        draw()
        return .line(String(line))
      case 0x01: cursor = 0
      case 0x05: cursor = line.count
      case 0x02: cursor = max(0, cursor - 1)
      case 0x06: cursor = min(line.count, cursor + 1)
      case 0x08, 0x7f: remove(from: max(0, cursor - 1))
      case 0x0b: line.removeLast(line.count - cursor)
      case 0x0c: Output.write("\u{1b}[H\u{1b}[2J")
      case 0x10: recall(-1)
      case 0x0e: recall(1)
      case 0x15: remove(from: 0)
      case 0x17: removeWord()
      case 0x09: await completeWord()
      case 0..<0x20: break
      case let byte: insert(byte)
      }
    }
  }

  /// Removes the characters from an index up to the cursor.
  private mutating func remove(from start: Int) {
    line.removeSubrange(start..<cursor)
    cursor = start
  }

  private mutating func insert(_ first: UInt8) {
    var bytes = [first]
    let more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0
    for _ in 0..<more {
      if let next = byte() { bytes.append(next) }
    }
    let before = line.count
    // A combining mark becomes part of the character before it.
    let text = String(line[..<cursor]) + String(decoding: bytes, as: UTF8.self)
    line = Array(text) + line[cursor...]
    cursor += line.count - before
  }

  private mutating func removeWord() {
    var start = cursor
    while start > 0, line[start - 1] == " " { start -= 1 }
    while start > 0, line[start - 1] != " " { start -= 1 }
    remove(from: start)
  }

  private mutating func recall(_ step: Int) {
    let next = place + step
    guard (0...history.count).contains(next) else { return }
    if place == history.count { draft = line }
    place = next
    line = next == history.count ? draft : Array(history[next])
    cursor = line.count
  }

  /// Reads the rest of a key that a terminal sends as an escape sequence.
  /// - Returns: the control character with the same effect; 0 if there is none.
  private mutating func escapeSequence() -> UInt8 {
    // The escape key alone sends nothing more.
    if pending.isEmpty, !isReady(within: 50) { return 0 }
    guard let kind = byte(), kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else {
      return 0
    }
    let delete: UInt8 = line.isEmpty ? 0 : 0x04
    var number = 0
    while let byte = byte() {
      switch Unicode.Scalar(byte) {
      case "0"..."9": number = number * 10 + Int(byte - 0x30)
      case ";": number = 0
      case "~": return [1: 0x01, 3: delete, 4: 0x05, 7: 0x01, 8: 0x05][number] ?? 0
      case "A": return 0x10
      case "B": return 0x0e
      case "C": return 0x06
      case "D": return 0x02
      case "H": return 0x01
      case "F": return 0x05
      default: return 0
      }
    }
    return 0
  }

  private mutating func completeWord() async {
    let words = await complete(String(line[..<cursor]))
    guard var common = words.first else { return }
    for word in words { while !word.hasPrefix(common) { common.removeLast() } }
    let start = line[..<cursor].lastIndex(of: " ").map { $0 + 1 } ?? 0
    if common.count > cursor - start {
      let text = Array(common)
      line.replaceSubrange(start..<cursor, with: text)
      cursor = start + text.count
    } else if words.count > 1 {
      Output.write("\n" + wrapped(words.joined(separator: "  "), width: Terminal.width, indent: 0))
      Output.write("\n")
    }
    // A completed path may continue, so it gets no space after it.
    let isWhole = words.count == 1 && !common.contains("/")
    if isWhole, cursor == line.count {
      line.append(" ")
      cursor += 1
    }
  }

  /// Draws as much of the line as fits around the cursor.
  private func draw() {
    let room = max(8, Terminal.width - displayWidth(prompt) - 1)
    var start = 0
    while displayWidth(String(line[start..<cursor])) >= room { start += 1 }
    var end = cursor
    while end < line.count, displayWidth(String(line[start...end])) < room { end += 1 }
    let shown = String(line[start..<end])
    let column = displayWidth(prompt) + displayWidth(String(line[start..<cursor]))
    Output.write("\r\(prompt)\(sanitized(shown))\u{1b}[K\r\u{1b}[\(column)C")
    try? Output.flush()
  }
}
