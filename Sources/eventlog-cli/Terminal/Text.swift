/// Returns the number of terminal columns that a text needs: 2 for an East Asian wide character or
/// an emoji, 0 for a combining mark or a control character, 1 for any other character.
func displayWidth(_ s: String) -> Int {
  narrowCount(s) ?? s.reduce(0) { $0 + displayWidth($1) }
}

/// Returns the width of a text of plain letters, punctuation and arrows; nil for other texts.
private func narrowCount(_ s: String) -> Int? {
  if isPrintableASCII(s) { return s.utf8.count }
  var count = 0
  for scalar in s.unicodeScalars {
    switch scalar.value {
    case 0x20..<0x7f, 0xa1..<0xad, 0xae..<0x300, 0x2010..<0x2028, 0x2190..<0x2194, 0x2212:
      count += 1
    default: return nil
    }
  }
  return count
}

private func displayWidth(_ character: Character) -> Int {
  var sum = 0
  for scalar in character.unicodeScalars {
    // U+FE0F requests the emoji form of the scalar before it.
    if scalar == "\u{fe0f}", sum > 0 { return 2 }
    let width = displayWidth(scalar)
    if width == 2 { return 2 }
    sum += width
  }
  return sum
}

private func displayWidth(_ scalar: Unicode.Scalar) -> Int {
  if scalar.value < 0x300 {
    return scalar.properties.generalCategory == .control ? 0 : 1
  }
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark, .format, .lineSeparator, .paragraphSeparator: return 0
  default: break
  }
  if scalar.properties.isEmojiPresentation || isWide(scalar.value) { return 2 }
  // The vowels and final consonants of Korean join the syllable before them.
  return [0x1160...0x11ff, 0xd7b0...0xd7ff].contains { $0.contains(scalar.value) } ? 0 : 1
}

/// Whether a scalar is wide or fullwidth in Unicode's `EastAsianWidth.txt`, except emoji. The
/// ranges cover whole blocks.
private func isWide(_ value: UInt32) -> Bool {
  switch value {
  case 0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0x3247, 0x3250...0xa4cf,
    0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f,
    0xff01...0xff60, 0xffe0...0xffe6, 0x16fe0...0x1b2ff, 0x1d300...0x1d376, 0x1f200...0x1f265,
    0x20000...0x3fffd:
    true
  default: false
  }
}

private func isPrintableASCII(_ s: String) -> Bool {
  s.utf8.allSatisfy { 0x20 <= $0 && $0 < 0x7f }
}

/// Replaces characters that could move the cursor, or reorder or break the line, by visible
/// escapes. The escapes are `\n`, `\r`, `\t`, and for other characters forms such as `\u{1b}`.
func sanitized(_ s: String) -> String {
  replacing(s, where: isUnsafe, by: visible)
}

/// Returns the text of a CSV cell. It is like `sanitized`, but keeps line ends and tabs, because
/// the cell is quoted.
func sanitizedCell(_ s: String) -> String {
  func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    isUnsafe(scalar) && scalar != "\n" && scalar != "\r" && scalar != "\t"
  }
  return replacing(s, where: isHidden, by: visible)
}

/// Escapes the same characters as `sanitized`, except line feeds, in the form of JSON strings.
func escaped(_ s: String) -> String {
  func isEscaped(_ scalar: Unicode.Scalar) -> Bool { isUnsafe(scalar) && scalar != "\n" }
  return replacing(s, where: isEscaped) { "\\u" + $0.value.padded(to: 4, radix: 16) }
}

private func visible(_ scalar: Unicode.Scalar) -> String {
  switch scalar {
  case "\n": "\\n"
  case "\r": "\\r"
  case "\t": "\\t"
  default: "\\u{\(String(scalar.value, radix: 16))}"
  }
}

private func replacing(
  _ s: String, where isReplaced: (Unicode.Scalar) -> Bool, by escape: (Unicode.Scalar) -> String
) -> String {
  if isPrintableASCII(s) || !s.unicodeScalars.contains(where: isReplaced) { return s }
  var result = ""
  for scalar in s.unicodeScalars {
    if isReplaced(scalar) {
      result += escape(scalar)
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Whether a scalar is a control character, or one of Unicode's directional, line-ending or
/// invisible characters.
private func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  // U+200C and U+200D are not listed, because some scripts and emoji need them.
  case 0...0x1f, 0x7f...0x9f, 0x61c, 0x180e, 0x200b, 0x200e...0x200f, 0x2028...0x202e,
    0x2060...0x206f, 0xfeff, 0xfff9...0xfffb:
    true
  default: false
  }
}

/// Returns the text, cut to `width` columns with a final `…` if it is longer.
func truncated(_ s: String, to width: Int) -> String {
  guard width > 0 else { return "" }
  if let count = narrowCount(s), count <= width { return s }
  var taken = 0
  var cut = s.startIndex
  for index in s.indices {
    taken += displayWidth(s[index])
    if taken > width { return s[..<cut] + "…" }
    if taken < width { cut = s.index(after: index) }
  }
  return s
}

/// Formats a number with a comma between thousands.
func grouped(_ n: Int) -> String {
  if n.magnitude < 1_000 { return "\(n)" }
  return grouped(n / 1_000) + "," + (n % 1_000).magnitude.padded(to: 3)
}

/// Formats a number of bytes with one decimal, such as `12.3 MB`; exact below 1,000.
func byteSize(_ n: Int) -> String {
  let sign = n < 0 ? "-" : ""
  guard n.magnitude >= 1000 else { return "\(sign)\(n.magnitude) B" }
  var unit: UInt = 1000
  for name in ["kB", "MB", "GB", "TB", "PB", "EB"] {
    let tenth = unit / 10
    let (tenths, rest) = n.magnitude.quotientAndRemainder(dividingBy: tenth)
    let rounded = rest >= tenth - rest ? tenths + 1 : tenths
    if rounded < 10_000 || name == "EB" {
      return "\(sign)\(rounded / 10).\(rounded % 10) \(name)"
    }
    unit *= 1000
  }
  return "\(n) B"
}

/// Wraps paragraphs at `width` columns, and indents the lines by `indent` spaces. Adds no final
/// newline.
///
/// Blank lines separate paragraphs. Lines that begin with a space are kept as they are. A word that
/// is longer than a line is not broken.
func wrapped(_ s: String, width: Int, indent: Int) -> String {
  let margin = String(repeating: " ", count: max(0, indent))
  var lines: [String] = []
  var line = ""
  var taken = 0
  func endLine() {
    if taken > 0 { lines.append(margin + line) }
    (line, taken) = ("", 0)
  }
  for source in s.split(separator: "\n", omittingEmptySubsequences: false) {
    let words = source.split(separator: " ")
    if words.isEmpty || source.hasPrefix(" ") {
      endLine()
      lines.append(words.isEmpty ? "" : margin + source)
      continue
    }
    for word in words {
      let needed = displayWidth(String(word))
      if taken > 0, margin.count + taken + 1 + needed > width { endLine() }
      line += taken > 0 ? " \(word)" : "\(word)"
      taken += taken > 0 ? needed + 1 : needed
    }
  }
  endLine()
  return lines.joined(separator: "\n")
}

/// Formats a number with its noun in singular or plural: `1 event`, `2,000 events`.
func counted(_ count: Int, _ noun: String) -> String {
  grouped(count) + " " + (count == 1 ? noun : noun + "s")
}
