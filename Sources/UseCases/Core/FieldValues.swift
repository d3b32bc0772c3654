import Aggregates
import Events
import Projections

extension String: FieldValue {
  public static var kind: Field.Kind { .text }
  public static var placeholder: String { "" }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    self = try place.text(json)
  }
  public var json: JSONValue { .string(self) }
}

extension Bool: FieldValue {
  public static var kind: Field.Kind { .flag }
  public static var placeholder: Bool { false }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    guard case .bool(let value) = json else { throw place.expected(.flag, json) }
    self = value
  }
  public var json: JSONValue { .bool(self) }
}

extension Int64: FieldValue {
  public static var kind: Field.Kind { .integer }
  public static var placeholder: Int64 { 0 }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    guard case .number(let text) = json, let value = Self.whole(text) else {
      throw place.expected(.integer, json)
    }
    self = value
  }
  public var json: JSONValue { .int(self) }

  /// Returns the value of a JSON number if it is an integer by JSON Schema, such as 5, 5.0 or 1e3;
  /// otherwise nil.
  private static func whole(_ text: String) -> Int64? {
    if let value = Int64(text) { return value }
    // A `Double` above 2^53 may have been rounded to an integer.
    guard text.contains(where: { ".eE".contains($0) }), let value = Double(text),
      value.magnitude <= 9_007_199_254_740_992
    else { return nil }
    return Int64(exactly: value)
  }
}

extension Int: FieldValue {
  public static var kind: Field.Kind { .integer }
  public static var placeholder: Int { 0 }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    self = Int(clamping: try Int64(json, place))
  }
  public var json: JSONValue { .int(self) }
}

extension Double: FieldValue {
  public static var kind: Field.Kind { .number }
  public static var placeholder: Double { 0 }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    guard case .number(let text) = json, let value = Double(text) else {
      throw place.expected(.number, json)
    }
    self = value
  }
  public var json: JSONValue { .double(self) }
}

extension CalendarDate: FieldValue {
  public static var kind: Field.Kind { .date }
  public static var placeholder: CalendarDate { Timestamp.epoch.date }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    guard let date = CalendarDate(try place.text(json, .date)) else {
      throw place.expected(.date, json)
    }
    self = date
  }
  public var json: JSONValue { .string("\(self)") }
}

extension DateTime: FieldValue {
  public static var kind: Field.Kind { .dateTime }
  public static var placeholder: DateTime { DateTime(.epoch) }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    guard let time = DateTime(try place.text(json, .dateTime)) else {
      throw place.expected(.dateTime, json)
    }
    self = time
  }
  public var json: JSONValue { .string(text) }
}

extension Timestamp: FieldValue {
  public static var kind: Field.Kind { .dateTime }
  public static var placeholder: Timestamp { .epoch }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    self = try DateTime(json, place).instant
  }
  public var json: JSONValue { .string("\(self)") }
}

/// A day in UTC or an instant, used as an inclusive bound of a time range.
public struct DateOrTime: FieldValue, Equatable {
  /// The first millisecond of the day, or the instant itself.
  public var first: Timestamp
  /// The last millisecond of the day, or the instant itself.
  public var last: Timestamp

  /// Creates the bound for a whole day in UTC.
  public init(_ date: CalendarDate) {
    first = date.start
    last = Timestamp(milliseconds: date.start.milliseconds + 86_399_999)
  }

  /// Creates the bound for an instant.
  public init(_ time: DateTime) { (first, last) = (time.instant, time.instant) }

  public static var kind: Field.Kind { .dateOrTime }
  public static var placeholder: DateOrTime { DateOrTime(DateTime(.epoch)) }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    let text = try place.text(json, .dateOrTime)
    if let date = CalendarDate(text) {
      self.init(date)
    } else if let time = DateTime(text) {
      self.init(time)
    } else {
      throw place.expected(.dateOrTime, json)
    }
  }
  public var json: JSONValue {
    .string(first == last ? "\(first)" : "\(first.date)")
  }
}

/// A value that is one of a few words. If a word is in lower case, reading ignores the case of the
/// JSON text.
public protocol ChoiceField: FieldValue, CaseIterable {
  /// The word in JSON.
  var word: String { get }
}

extension ChoiceField {
  public static var kind: Field.Kind { .choice(allCases.map { $0.word }) }
  public static var placeholder: Self { allCases[allCases.startIndex] }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    let text = try place.text(json, Self.kind)
    guard let value = Self(word: text) ?? Self(word: text.lowercased()) else {
      throw place.expected(Self.kind, json)
    }
    self = value
  }
  public var json: JSONValue { .string(word) }

  init?(word: String) {
    guard let value = Self.allCases.first(where: { $0.word == word }) else { return nil }
    self = value
  }
}

extension ChoiceField where Self: RawRepresentable, RawValue == String {
  public var word: String { rawValue }
}

/// One of the words of an enumeration, or a word that only a newer server knows.
///
/// ```swift
/// var row = ProfileRow(user: "ann", handle: nil)
/// row.relationship = .known(.friends)
/// row.relationship == .friends  // true
/// row.relationship?.word  // "friends"
/// ```
public enum Choice<Known: ChoiceField>: FieldValue, CustomStringConvertible {
  /// A word of the enumeration.
  case known(Known)
  /// Another word, as the server sent it.
  case unknown(String)

  /// Creates a known word.
  public init(_ known: Known) { self = .known(known) }

  /// The value in the enumeration; nil for an unknown word.
  public var known: Known? { if case .known(let known) = self { known } else { nil } }
  /// The word in JSON.
  public var word: String {
    switch self {
    case .known(let known): known.word
    case .unknown(let word): word
    }
  }

  public var description: String { word }

  public static var kind: Field.Kind { Known.kind }
  public static var placeholder: Self { .known(.placeholder) }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    let text = try place.text(json, Known.kind)
    self = Known(word: text).map(Self.known) ?? .unknown(text)
  }
  public var json: JSONValue { .string(word) }

  /// Returns whether `choice` is the known word `known`.
  public static func == (choice: Self, known: Known) -> Bool { choice.known == known }
}

extension Optional {
  /// Returns whether `choice` is the known word `known`; false for nil.
  public static func == <Known: ChoiceField>(choice: Self, known: Known) -> Bool
  where Wrapped == Choice<Known> {
    choice?.known == known
  }
}

extension Audience: ChoiceField {}
extension ReactionKind: ChoiceField {}
extension RiderType: ChoiceField {}
extension SkillLevel: ChoiceField {}
extension Leaderboard.Span: ChoiceField {}
extension MemberRole: ChoiceField {}
extension ReportedContent.Kind: ChoiceField {}
extension ReportOutcome: ChoiceField {}

extension Array: FieldValue where Element: FieldValue {
  public static var kind: Field.Kind { .list(Element.kind) }
  public static var placeholder: [Element] { [] }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    guard case .array(let values) = json else { throw place.expected(Self.kind, json) }
    self = []
    reserveCapacity(values.count)
    var element = place
    for (index, value) in values.enumerated() {
      element.name = "\(place.name)[\(index)]"
      append(try Element(value, element))
    }
  }
  public var json: JSONValue { .array(map { $0.json }) }
}

extension Optional: FieldValue where Wrapped: FieldValue {
  public static var kind: Field.Kind { .optional(Wrapped.kind) }
  public static var placeholder: Wrapped? { nil }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    self = json == .null ? nil : try Wrapped(json, place)
  }
  public var json: JSONValue { self?.json ?? .null }
}

/// The bytes of an image file.
public struct ImageData: FieldValue, Equatable {
  /// The bytes of the image file.
  public var bytes: [UInt8]

  /// Creates image data from the bytes of an image file.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  public static var kind: Field.Kind { .image }
  public static var placeholder: ImageData { ImageData([]) }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    bytes = try place.loadImage(try place.text(json, .image))
  }
  /// A `data:` URI in base64.
  public var json: JSONValue { .string("data:;base64," + base64(bytes)) }

  /// Creates image data from a `data:` URI in base64 (RFC 2397); nil for any other text.
  public init?(dataURI text: String) {
    guard text.hasPrefix("data:"), let comma = text.firstIndex(of: ","),
      text[..<comma].hasSuffix(";base64"), let bytes = base64(text[comma...].dropFirst().utf8)
    else { return nil }
    self.bytes = bytes
  }
}

extension Fields {
  /// Returns the bytes of an image in a `data:` URI.
  /// - Throws: `InputError` for any other text.
  public static func dataURI(_ text: String) throws(InputError) -> [UInt8] {
    guard let image = ImageData(dataURI: text) else {
      throw InputError("image", "a data: URI in base64 is expected")
    }
    return image.bytes
  }
}

/// Decodes base64 (RFC 4648, padding optional); nil for anything else.
private func base64(_ text: some Collection<UInt8>) -> [UInt8]? {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.count * 3 / 4)
  var bits: UInt32 = 0
  var count = 0
  var padding = 0
  for byte in text {
    let value: UInt8
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): value = 62
    case UInt8(ascii: "/"): value = 63
    case UInt8(ascii: "="):
      padding += 1
      continue
    default: return nil
    }
    if padding > 0 { return nil }
    bits = bits << 6 | UInt32(value)
    count += 6
    if count >= 8 {
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
  }
  return padding > 2 || count >= 6 ? nil : bytes
}

/// Encodes bytes as base64 (RFC 4648), with padding.
private func base64(_ bytes: [UInt8]) -> String {
  let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var text: [UInt8] = []
  text.reserveCapacity((bytes.count + 2) / 3 * 4)
  var at = 0
  while at < bytes.count {
    let part = bytes[at..<min(at + 3, bytes.count)]
    let bits = part.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - part.count))
    for index in 0..<4 {
      text.append(
        index <= part.count ? digits[Int(bits >> UInt32(18 - 6 * index) & 63)] : UInt8(ascii: "="))
    }
    at += 3
  }
  return String(decoding: text, as: UTF8.self)
}
