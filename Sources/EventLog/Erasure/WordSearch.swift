import Events

/// A search for words in texts that ignores the case of ASCII letters.
struct WordSearch: Sendable {
  /// The words in lower case, longest first.
  private let words: [[UInt8]]

  init(_ words: [String]) {
    self.words = Set(words).filter { !$0.isEmpty }.map { $0.utf8.map(Self.lowercased) }
      .sorted { $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count > $1.count }
  }

  static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// Whether a byte is part of a word. A byte of a letter beyond ASCII is part of a word too.
  private static func isWordByte(_ byte: UInt8) -> Bool {
    isLetterOrDigit(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
  }

  /// Returns the text with each found word replaced by `gone`; nil if no word is found. A word of
  /// less than four letters is replaced by the first letters of `gone`, so that the text never
  /// becomes longer.
  func replaced(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    var at = 0
    var isFound = false
    while at < bytes.count {
      if at == 0 || !Self.isWordByte(bytes[at - 1]), let match = match(bytes, at) {
        out += Array("gone".utf8).prefix(match)
        at += match
        isFound = true
      } else {
        out.append(bytes[at])
        at += 1
      }
    }
    return isFound ? String(decoding: out, as: UTF8.self) : nil
  }

  /// Returns the length of the longest searched word that begins at an offset; nil if there is
  /// none.
  private func match(_ bytes: [UInt8], _ at: Int) -> Int? {
    words.first { word in
      let end = at + word.count
      return end <= bytes.count && (end == bytes.count || !Self.isWordByte(bytes[end]))
        && word.indices.allSatisfy { Self.lowercased(bytes[at + $0]) == word[$0] }
    }?.count
  }
}

/// Whether a byte is an ASCII letter or digit.
func isLetterOrDigit(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}
