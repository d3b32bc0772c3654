import Aggregates
import Events
import Projections

extension String: FieldValue {
  public static var kind: Field.Kind { .text }
  public static var placeholder: String { "" }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    self = try place.text(json)
  }
}

extension Bool: FieldValue {
  public static var kind: Field.Kind { .flag }
  public static var placeholder: Bool { false }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    guard case .bool(let value) = json else { throw place.expected(.flag, json) }
    self = value
  }
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

  /// Returns the value of a JSON number that is an integer by JSON Schema, such as 5, 5.0 or 1e3.
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
}

/// A field's value that is one of a few words, in upper or lower case.
public protocol ChoiceField: FieldValue, CaseIterable, RawRepresentable where RawValue == String {}

extension ChoiceField {
  public static var kind: Field.Kind { .choice(allCases.map { $0.rawValue }) }
  public static var placeholder: Self { allCases[allCases.startIndex] }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    guard let value = Self(rawValue: try place.text(json, Self.kind).lowercased()) else {
      throw place.expected(Self.kind, json)
    }
    self = value
  }
}

extension Audience: ChoiceField {}
extension RiderType: ChoiceField {}
extension SkillLevel: ChoiceField {}
extension Leaderboard.Span: ChoiceField {}
extension MemberRole: ChoiceField {}
extension ReportedContent.Kind: ChoiceField {}
extension ReportOutcome: ChoiceField {}

extension Array: FieldValue where Element: UseCaseInput {
  public static var kind: Field.Kind { .list(Fields.of(Element.self)) }
  public static var placeholder: [Element] { [] }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    guard case .array(let values) = json else { throw place.expected(Self.kind, json) }
    var elements: [Element] = []
    for (index, value) in values.enumerated() {
      elements.append(
        try Fields.read(value, prefix: "\(place.name)[\(index)]", image: place.loadImage))
    }
    self = elements
  }
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
