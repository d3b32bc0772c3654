import Tables
import UseCases

/// A reader of the texts in PostgREST's query language: names, values, and lists in parentheses.
///
/// It reads bytes of UTF-8, because all delimiters are ASCII, and a combining character after a
/// delimiter must not hide it.
struct TableTextReader {
  private let text: [UInt8]
  private var at = 0
  private let what: String

  /// - Parameter what: the name of the query item, for errors.
  init(_ text: String, of what: String) { (self.text, self.what) = (Array(text.utf8), what) }

  var isAtEnd: Bool { at >= text.count }

  /// Whether the next character is this one.
  func isNext(_ character: Unicode.Scalar) -> Bool {
    at < text.count && text[at] == UInt8(ascii: character)
  }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard isNext(character) else { return false }
    at += 1
    return true
  }

  mutating func skip(word: String) -> Bool {
    guard text[at...].starts(with: word.utf8) else { return false }
    at += word.utf8.count
    return true
  }

  mutating func expect(_ character: Unicode.Scalar) throws(TableFault) {
    if !skip(character) { throw fault("\(Character(character)) is expected") }
  }

  /// Reads a name or an operator: letters, digits, `_`, `$` and spaces, or text in double quotes.
  mutating func name() throws(TableFault) -> String {
    if isNext("\"") { return try quoted() }
    let start = at
    while at < text.count, Self.isOfName(text[at]) { at += 1 }
    if at == start { throw fault("a name is expected") }
    return String(decoding: text[start..<at], as: UTF8.self)
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || byte >= 0x80 || "_$ ".utf8.contains(byte)
  }

  /// Reads a value up to a comma or a closing parenthesis, or text in double quotes.
  mutating func value() throws(TableFault) -> String {
    let start = at
    if isNext("\"") {
      let value = try quoted()
      if isAtEnd || isNext(",") || isNext(")") { return value }
      at = start  // The quotes are a part of the value.
    }
    while !isAtEnd, !isNext(","), !isNext(")") { at += 1 }
    return String(decoding: text[start..<at], as: UTF8.self)
  }

  /// Reads `(a,b,"c,d")`.
  mutating func list() throws(TableFault) -> [String] {
    try expect("(")
    var values: [String] = []
    if skip(")") { return values }
    repeat { values.append(try value()) } while skip(",")
    try expect(")")
    return values
  }

  /// Returns the text that was not read.
  mutating func rest() -> String {
    defer { at = text.count }
    return String(decoding: text[at...], as: UTF8.self)
  }

  private mutating func quoted() throws(TableFault) -> String {
    at += 1
    var value: [UInt8] = []
    while at < text.count {
      var byte = text[at]
      at += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
      if byte == UInt8(ascii: "\\"), at < text.count {
        byte = text[at]
        at += 1
      }
      value.append(byte)
    }
    throw fault("a quotation mark is missing")
  }

  func fault(_ problem: String) -> TableFault {
    TableFault(
      "PGRST100", "\"failed to parse \(what)\" (line 1, column \(at + 1))",
      details:
        "\(problem) at byte \(at + 1) of \(printable(String(decoding: text, as: UTF8.self)))")
  }
}
