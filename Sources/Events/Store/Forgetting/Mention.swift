/// A text of somebody else that says the handle or the id of a person who is forgotten.
public struct Mention: Equatable, Sendable {
  public var seq: UInt64
  public var type: String
  /// The member with the text, such as `text`.
  public var member: String
}

/// Finds words in texts without regard to the case of ASCII letters.
struct WordSearch: Sendable {
  /// What to find, in lower case, and what to put in its place.
  private let words: [(word: [UInt8], replacement: [UInt8])]

  init(_ words: [String: String]) {
    self.words = words.sorted { $0.key < $1.key }.map { word, replacement in
      (word.utf8.map(Self.lowercased), Array(replacement.utf8))
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// Letters of other scripts are part of a word too.
  private static func isWordByte(_ byte: UInt8) -> Bool {
    isLetterOrDigit(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
  }

  /// The text with its words replaced; nil if none is in it.
  func replaced(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    var at = 0
    var isFound = false
    while at < bytes.count {
      if at == 0 || !Self.isWordByte(bytes[at - 1]), let match = match(bytes, at) {
        out += match.replacement
        at += match.word.count
        isFound = true
      } else {
        out.append(bytes[at])
        at += 1
      }
    }
    return isFound ? String(decoding: out, as: UTF8.self) : nil
  }

  private func match(_ bytes: [UInt8], _ at: Int) -> (word: [UInt8], replacement: [UInt8])? {
    words.first { word, _ in
      let end = at + word.count
      return end <= bytes.count && (end == bytes.count || !Self.isWordByte(bytes[end]))
        && word.indices.allSatisfy { Self.lowercased(bytes[at + $0]) == word[$0] }
    }
  }
}

/// Whether a byte is an ASCII letter or digit.
func isLetterOrDigit(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}
