extension String: WireValue {
  static var schema: StaticString { "string" }
  static var form: DataField.Form { .text }
  init(_ node: Int, in reader: TapeReader, _ path: () -> String) throws(LineFault) {
    guard reader.node(node).kind == .string else {
      throw reader.fault(.wrongType(expected: "a string"), node, path)
    }
    let entry = reader.node(node)
    self =
      entry.escaped
      ? String(decoding: JSONString.decode(reader.bytes, entry), as: UTF8.self)
      : String(decoding: JSONString.raw(reader.bytes, entry), as: UTF8.self)
  }
  static func fast(_ reader: inout FastReader) -> String? { reader.string() }
  func write(to writer: inout JSONWriter) { JSONString.append(self, to: &writer.out.pointee) }
}

extension Bool: WireValue {
  static var schema: StaticString { "boolean" }
  static var form: DataField.Form { .boolean }
  init(_ node: Int, in reader: TapeReader, _ path: () -> String) throws(LineFault) {
    switch reader.node(node).kind {
    case .yes: self = true
    case .no: self = false
    default: throw reader.fault(.wrongType(expected: "true or false"), node, path)
    }
  }
  @inline(__always)
  static func fast(_ reader: inout FastReader) -> Bool? {
    if reader.skip("false") { return false }
    return reader.skip("true") ? true : nil
  }
  func write(to writer: inout JSONWriter) {
    writer.out.pointee.append(self ? "true" : "false")
  }
}

extension Int64: WireValue {
  static var schema: StaticString { "integer" }
  static var form: DataField.Form { .integer }
  init(_ node: Int, in reader: TapeReader, _ path: () -> String) throws(LineFault) {
    guard reader.node(node).kind == .number else {
      throw reader.fault(.wrongType(expected: "an integer"), node, path)
    }
    let text = reader.text(of: node)
    guard text.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 || $0 == UInt8(ascii: "-") }) else {
      throw reader.fault(
        .wrongType(expected: "an integer without point or exponent"), node, path)
    }
    guard let value = Int64(String(decoding: text, as: UTF8.self)) else {
      throw reader.fault(.outOfRange("beyond a 64-bit integer"), node, path)
    }
    self = value
  }
  static func fast(_ reader: inout FastReader) -> Int64? { reader.integer() }
  func write(to writer: inout JSONWriter) {
    if self < 0 { writer.out.pointee.append(UInt8(ascii: "-")) }
    writer.out.pointee.append(magnitude)
  }
}

extension Double: WireValue {
  static var schema: StaticString { "number" }
  static var form: DataField.Form { .number }
  init(_ node: Int, in reader: TapeReader, _ path: () -> String) throws(LineFault) {
    guard reader.node(node).kind == .number,
      let value = Double(String(decoding: reader.text(of: node), as: UTF8.self))
    else { throw reader.fault(.wrongType(expected: "a number"), node, path) }
    self = value == 0 ? 0 : value
  }
  static func fast(_ reader: inout FastReader) -> Double? { reader.double() }

  /// Writes the shortest decimal text that reads back as the same double, without `.0`. Negative
  /// zero becomes 0.
  func write(to writer: inout JSONWriter) {
    guard self != 0 else { return writer.out.pointee.append("0") }
    var text = description
    if text.hasSuffix(".0") { text.removeLast(2) }
    writer.out.pointee.append(text)
  }
}

extension DateTime: WireValue {
  static var schema: StaticString { "RFC 3339 date and time" }
  init(_ node: Int, in reader: TapeReader, _ path: () -> String) throws(LineFault) {
    guard let value = DateTime(try String(node, in: reader, path)) else {
      throw reader.fault(
        .wrongType(expected: "a date and time such as 2026-01-19T09:00:00Z"), node, path)
    }
    self = value
  }
  static func fast(_ reader: inout FastReader) -> DateTime? {
    reader.string().flatMap(DateTime.init)
  }
  func write(to writer: inout JSONWriter) { text.write(to: &writer) }
}

extension CalendarDate: WireValue {
  static var schema: StaticString { "date, YYYY-MM-DD" }
  init(_ node: Int, in reader: TapeReader, _ path: () -> String) throws(LineFault) {
    guard let value = CalendarDate(try String(node, in: reader, path)) else {
      throw reader.fault(.wrongType(expected: "a date such as 2026-01-19"), node, path)
    }
    self = value
  }
  static func fast(_ reader: inout FastReader) -> CalendarDate? {
    reader.string().flatMap(CalendarDate.init)
  }
  func write(to writer: inout JSONWriter) { description.write(to: &writer) }
}

extension EventID: WireValue {
  static var schema: StaticString { "event id" }
  static var form: DataField.Form { .eventID }
  init(_ node: Int, in reader: TapeReader, _ path: () -> String) throws(LineFault) {
    guard let id = EventID(try String(node, in: reader, path)) else {
      throw reader.fault(.wrongType(expected: "the id of an event, a UUID"), node, path)
    }
    self = id
  }
  static func fast(_ reader: inout FastReader) -> EventID? { reader.eventID() }
  func write(to writer: inout JSONWriter) { description.write(to: &writer) }
}

extension SportID: WireValue {
  static var schema: StaticString { "sport id" }
  static var form: DataField.Form { .id }
  init(_ node: Int, in reader: TapeReader, _ path: () -> String) throws(LineFault) {
    self.init(
      unchecked: try readID(node, in: reader, path) { String(decoding: $0, as: UTF8.self) })
  }
  static func fast(_ reader: inout FastReader) -> SportID? {
    reader.id().map { SportID(unchecked: String(decoding: $0, as: UTF8.self)) }
  }
  func write(to writer: inout JSONWriter) { name.write(to: &writer) }
}

extension WireValue where Self: DenseID {
  static var schema: StaticString { kind.schema }
  static var form: DataField.Form { .id }
  init(_ node: Int, in reader: TapeReader, _ path: () -> String) throws(LineFault) {
    let index = try readID(node, in: reader, path) {
      reader.names.pointee[table: Self.kind].intern($0)
    }
    self.init(index: index)
  }
  @inline(__always)
  static func fast(_ reader: inout FastReader) -> Self? {
    reader.id(in: &reader.names.pointee[table: kind]).map { Self(index: $0) }
  }
  @inline(__always)
  func write(to writer: inout JSONWriter) {
    let names = writer.names
    // This does not use `names.pointee[table:]`, which would copy all tables. The copies took a
    // tenth of the time of `generate`.
    switch Self.kind {
    case .user: writeID(index, names.pointee.users, &writer.out.pointee)
    case .workout: writeID(index, names.pointee.workouts, &writer.out.pointee)
    case .comment: writeID(index, names.pointee.comments, &writer.out.pointee)
    case .group: writeID(index, names.pointee.groups, &writer.out.pointee)
    case .message: writeID(index, names.pointee.messages, &writer.out.pointee)
    case .report: writeID(index, names.pointee.reports, &writer.out.pointee)
    }
  }
}

extension WireValue where Self: DenseID {
  mutating func mapIDs(_ map: some IDMap) { self = map(self) }
}

extension UserID: WireValue {}
extension WorkoutID: WireValue {}
extension CommentID: WireValue {}
extension GroupID: WireValue {}
extension MessageID: WireValue {}
extension ReportID: WireValue {}

extension IDKind {
  fileprivate var schema: StaticString {
    switch self {
    case .user: "user id"
    case .workout: "workout id"
    case .comment: "comment id"
    case .group: "group id"
    case .message: "message id"
    case .report: "report id"
    }
  }
}

extension [Interval]: WireValue {
  static var schema: StaticString { "array of intervals" }
  init(_ node: Int, in reader: TapeReader, _ path: () -> String) throws(LineFault) {
    guard reader.node(node).kind == .array else {
      throw reader.fault(.wrongType(expected: "an array"), node, path)
    }
    self = []
    var at = node + 1
    while at < reader.node(node).next {
      let place = "\(path())[\(count)]"
      guard reader.node(at).kind == .object else {
        throw reader.fault(.wrongType(expected: "an object"), at, { place })
      }
      var inner = TapeReader(
        reader.tape, reader.bytes, reader.names, object: at, path: place)
      append(try Interval(from: &inner))
      try inner.end(known: Schema.interval.names)
      at = Int(reader.node(at).next)
    }
  }
  static func fast(_ reader: inout FastReader) -> [Interval]? {
    guard reader.skip("[") else { return nil }
    var found: [Interval] = []
    if reader.skip("]") { return found }
    repeat {
      var inner = FastReader(reader.at, reader.end, reader.names)
      guard let interval = try? Interval(from: &inner), inner.close() else { return nil }
      reader.at = inner.at
      found.append(interval)
    } while reader.skip(",")
    return reader.skip("]") ? found : nil
  }
  func write(to writer: inout JSONWriter) {
    writer.out.pointee.append("[")
    for (index, interval) in enumerated() {
      if index > 0 { writer.out.pointee.append(",") }
      var inner = JSONWriter(writer.out, writer.names)
      interval.write(to: &inner)
      inner.end()
    }
    writer.out.pointee.append("]")
  }
}

private func readID<T>(
  _ node: Int, in reader: TapeReader, _ path: () -> String,
  _ body: (UnsafeBufferPointer<UInt8>) -> T
) throws(LineFault) -> T {
  let entry = reader.node(node)
  guard entry.kind == .string else {
    throw reader.fault(.wrongType(expected: "an id"), node, path)
  }
  let bytes = entry.escaped ? JSONString.decode(reader.bytes, entry) : nil
  func take(_ raw: UnsafeBufferPointer<UInt8>) throws(LineFault) -> T {
    guard isValidID(raw) else {
      throw reader.fault(
        .wrongType(
          expected: "an id: 1 to 128 printable ASCII characters without space, quote, \\ and /"),
        node, path)
    }
    return body(raw)
  }
  guard let bytes else { return try take(JSONString.raw(reader.bytes, entry)) }
  return try bytes.withUnsafeBufferPointer { (raw) throws(LineFault) in try take(raw) }
}

@inline(__always)
private func writeID(_ index: UInt32, _ table: borrowing NameInterner, _ out: inout ByteBuffer) {
  out.append(UInt8(ascii: "\""))
  table.withBytes(index) { out.append($0) }
  out.append(UInt8(ascii: "\""))
}
