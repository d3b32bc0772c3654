import Aggregates
import Events

extension Generator where Value == String {
  /// A text of mostly plain letters, with some characters that often break programs.
  /// - Parameter count: the length in code points. Several code points may form one `Character`.
  public static func text(_ count: ClosedRange<Int> = 0...20) -> Self {
    let letters = Generator<Unicode.Scalar>.element(of: Array("abcxyz 019".unicodeScalars))
    let trouble = Generator<Unicode.Scalar>.element(of: troublesome)
    let anything = Generator<Int>.int(0...0x10_F7FF).map { number in
      // Skips the surrogates, which are not scalars.
      Unicode.Scalar(UInt32(number < 0xD800 ? number : number + 0x800)) ?? "?"
    }
    let scalar = Generator<Unicode.Scalar>.frequency([(12, letters), (3, trouble), (1, anything)])
    return Generator<[Unicode.Scalar]>.array(of: scalar, count).map { scalars in
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      return String(text)
    }
  }

  /// A handle that the rules allow.
  public static func handle(_ rules: Rules = .climb) -> Self {
    let first = Array("abcdefghijklmnopqrstuvwxyz" + (rules.handleCapitals ? "ABCXYZ" : ""))
    let others = first + Array("0123456789_")
    let (least, most) = (rules.handleLength.lowerBound, rules.handleLength.upperBound)
    return Self { t in
      let head = t.draw(.element(of: first))
      let rest = t.draw(.array(of: Generator<Character>.element(of: others), least - 1...most - 1))
      return String([head] + rest)
    }
  }

  /// A handle that the rules do not allow.
  public static func invalidHandle(_ rules: Rules = .climb) -> Self {
    Generator.oneOf(
      .element(of: ["", "ab", "1ab", "_ab", "a b", " ab", "ab\n", "a-b", "é", "аnn", "ann\u{0}"]),
      Generator.handle(rules).map { handle in
        handle + String(repeating: "x", count: rules.handleLength.upperBound - handle.count + 1)
      },
      Generator.text(0...12)
    ).filter { rules.problem(withHandle: $0) != nil }
  }

  /// A handle that equals another handle except for case.
  public static func handle(collidingWith other: String) -> Self {
    Self { t in
      other.map { t.draw(.bool) ? $0.uppercased() : $0.lowercased() }.joined()
    }
  }

  /// An id with any characters that ids may contain.
  public static var id: Self {
    let plain = Generator<Character>.element(of: Array("abcxyz019"))
    let any = Generator<Character>.element(
      of: (0x21...0x7e).map { Character(Unicode.Scalar($0)) }.filter { !"\"\\/".contains($0) })
    let character = Generator<Character>.frequency([(6, plain), (1, any)])
    return Generator<[Character]>.array(of: character, 1...12).map { String($0) }
      .filter { isValidID($0.utf8) }
  }

  /// A duration as `mm:ss.t` or `h:mm:ss.t`.
  static var duration: Self {
    Self { t in
      let hours = t.draw(.frequency([(3, .just("")), (1, .element(of: ["1:", "23:", "999:"]))]))
      let (minutes, seconds) = (t.draw(.int(0...59)), t.draw(.int(0...59)))
      let tenths = t.draw(.int(0...9))
      return "\(hours)\(minutes.padded(to: 2)):\(seconds.padded(to: 2)).\(tenths)"
    }
  }
}

/// Characters that often break programs:
/// - white space and lookalikes;
/// - characters with a meaning in JSON, CSV, terminals and spreadsheets;
/// - letters that compose, change length with case or join the preceding character;
/// - the ends of the Unicode ranges.
private let troublesome: [Unicode.Scalar] = [
  "\u{0}", "\t", "\n", "\r", "\u{1b}", "\u{7f}", "\u{85}", "\u{9b}", "\"", "\\", "/", "'", ",",
  "=", "+", "-", "@", "{", "}", "%", "\u{a0}", "\u{ad}", "ä", "\u{308}", "\u{301}", "ß", "İ",
  "ı", "ﬁ", "\u{200b}", "\u{200d}", "\u{200e}", "\u{202e}", "\u{2028}", "\u{2066}", "\u{feff}",
  "\u{fe0f}", "\u{d7ff}", "\u{e000}", "\u{fffd}", "\u{ffff}", "漢", "한", "👍", "👩", "🏽", "🇩",
  "🇪", "\u{1d165}", "\u{e0067}", "\u{10ffff}",
]
