/// A strict parser for the lines of a log. It accepts a line's fields in any order and checks every
/// rule of the format.
///
/// ```swift
/// var parser = LineParser()
/// let (line, event) = try parser.parse(bytes, names: &names)
/// line.type            // "ProfileCreated"
/// event?.type == .profileCreated  // true: the data, typed; nil for an unknown type
/// ```
/// - Complexity: O(bytes of the line); the parser reuses its storage for the next line.
public struct LineParser: Sendable {
  /// The longest line, in bytes without its line feed: 16 MiB.
  public static let longestLine = 16 << 20

  private var tape = JSONTape()
  private var upcastTape = JSONTape()
  /// Whether the parser tries `FastReader` first, which returns the same result if it accepts the
  /// line.
  private let takesShortcut: Bool
  /// Whether the lines come from elsewhere. A line without a checksum may then have a time in any
  /// form that `Timestamp(foreign:)` reads, and a line without `v` has its type's present version.
  private let isForeign: Bool

  /// Creates a parser for the lines of a log.
  public init() { self.init(takesShortcut: true) }

  package init(takesShortcut: Bool, isForeign: Bool = false) {
    (self.takesShortcut, self.isForeign) = (takesShortcut, isForeign)
  }

  /// A parser for imported lines. A line without a checksum may have its time in any form that
  /// `Timestamp(foreign:)` reads, and a line without `v` has its type's present version.
  public static var foreign: LineParser { LineParser(takesShortcut: true, isForeign: true) }
}

/// The fields of one parsed line. Fields that an unsealed line may omit are optional.
public struct ParsedLine: Equatable, Sendable {
  /// The event's position in the log: 1, 2, 3 …
  public var seq: UInt64?
  /// The time at which the event was recorded.
  public var time: Timestamp?
  /// The name of the event's type, as in the line.
  public var type: String
  /// The schema version of the event's data, as in the line. If the line has none, `foreign` sets
  /// it to the present version of a known type; elsewhere nil means 1.
  public var version: Int?
  /// Whether the line has no `v`, and its type has several versions, so that `foreign` chose one.
  package var versionIsAssumed = false
  /// The name of the event's stream.
  public var stream: String?
  /// The event's number in its stream: 1, 2, 3 …
  public var rev: UInt64?
  /// The id of the user or service that caused the event.
  public var actor: String
  /// The event's id.
  public var id: EventID?
  /// The id of the earlier event that led to this event.
  public var cause: EventID?
  /// The event's place in its commit; nil if the commit has only this event.
  public var batch: Batch?
  /// The event's data as canonical JSON.
  public var data: [UInt8]
  /// The line's unknown fields, as written: `,"name":value` for each; empty if there are none.
  public var extra: [UInt8]
  /// The id of the request that appended the event.
  public var correlation: CorrelationID?
  /// The checksum at the end of the line; nil for an unsealed line.
  public var sum: UInt64?

  /// Sets the version of a line without `v` to its type's present version.
  mutating func assumeVersion(of type: EventType) {
    guard version == nil, type.version != 1 else { return }
    (version, versionIsAssumed) = (type.version, true)
  }
}

extension LineParser {
  /// Parses one line without its line feed; the event is nil if its type is unknown.
  /// - Throws: `LineFault` with the first fault of the line.
  public mutating func parse(_ line: [UInt8], names: inout Names) throws(LineFault) -> (
    line: ParsedLine, event: Event?
  ) {
    try line.withUnsafeBufferPointer { (bytes) throws(LineFault) in
      try parse(bytes, names: &names)
    }
  }

  package mutating func parse(
    _ bytes: UnsafeBufferPointer<UInt8>, names: inout Names
  ) throws(LineFault) -> (line: ParsedLine, event: Event?) {
    if bytes.count > Self.longestLine { throw LineFault(.tooLong(limit: Self.longestLine)) }
    if takesShortcut, let found = Self.canonical(bytes, &names, isForeign) { return found }
    try tape.parse(bytes)
    let isForeign = isForeign
    return try withUnsafePointer(to: tape) { (tape) throws(LineFault) in
      try withUnsafeMutablePointer(to: &names) { (names) throws(LineFault) in
        var reader = TapeReader(tape, bytes, names, object: 0, path: "")
        var (line, data) = try Self.envelope(&reader, isForeign)
        let event = try Self.event(line, data, reader, &upcastTape)
        if let event, line.version ?? 1 == event.type.version {
          line.data = event.data(UnsafePointer(names))
        } else {
          var out = ByteBuffer()
          Self.rewrite(data, reader, &out)
          line.data = out.array
        }
        if let event {
          let expected = event.streamName(names.pointee)
          if let stream = line.stream, stream != expected {
            throw LineFault(
              .wrongStream(expected: expected), at: reader.offset(of: "stream"), path: "stream")
          }
        }
        return (line, event)
      }
    }
  }

  private static func envelope(
    _ r: inout TapeReader, _ isForeign: Bool
  ) throws(LineFault) -> (line: ParsedLine, data: Int) {
    let seq = try positive(&r, "seq")
    let time = try time(&r, isForeign: isForeign && r.find("sum") == nil)
    let type: String = try r.required("type")
    let version: Int64? = try r.optional("v")
    let stream: String? = try r.optional("stream")
    if let stream, !isValidStream(stream) {
      throw LineFault(
        .wrongType(expected: "a stream such as follow/alice/bob"), at: r.offset(of: "stream"),
        path: "stream")
    }
    let rev = try positive(&r, "rev")
    let actor: String = try r.required("actor")
    guard isValidID(actor.utf8) else {
      throw LineFault(.wrongType(expected: "a user id"), at: r.offset(of: "actor"), path: "actor")
    }
    let id = try eventID(&r, "id")
    let cause = try eventID(&r, "cause")
    var batch: Batch?
    if let text: String = try r.optional("batch") {
      guard let value = Batch(text) else {
        throw LineFault(
          .wrongType(expected: "a place such as 2/3"), at: r.offset(of: "batch"), path: "batch")
      }
      batch = value
    }
    guard let data = r.find("data") else { throw LineFault(.missingMember, path: "data") }
    guard r.node(data).kind == .object else {
      throw LineFault(
        .wrongType(expected: "an object"), at: Int(r.node(data).start), path: "data")
    }
    var sum: UInt64?
    if let text: String = try r.optional("sum") {
      guard text.utf8.count == 16, text.utf8.allSatisfy(isLowercaseHex),
        let value = UInt64(text, radix: 16)
      else {
        throw LineFault(
          .wrongType(expected: "16 lowercase hexadecimal digits"), at: r.offset(of: "sum"),
          path: "sum")
      }
      sum = value
    }
    let correlation = correlation(r)
    var line = ParsedLine(
      seq: seq, time: time, type: type, version: version.map { Int(clamping: $0) }, stream: stream,
      rev: rev, actor: actor, id: id, cause: cause, batch: batch, data: [],
      extra: extra(r, correlation), correlation: correlation, sum: sum)
    if isForeign, let type = TypeTable.shared.find(type) { line.assumeVersion(of: type) }
    return (line, data)
  }

  private static func time(
    _ r: inout TapeReader, isForeign: Bool
  ) throws(LineFault) -> Timestamp? {
    guard let text: String = try r.optional("time") else { return nil }
    guard let value = Timestamp(text) ?? (isForeign ? Timestamp(foreign: text) : nil) else {
      throw LineFault(
        .wrongType(
          expected: isForeign
            ? "a time with its offset, such as 2026-01-19T09:00:00Z or 2026-01-19 10:00:00.5+01"
            : "a time such as 2026-01-19T09:00:00.000Z"),
        at: r.offset(of: "time"), path: "time")
    }
    guard (Timestamp.earliest...Timestamp.latest).contains(value) else {
      throw LineFault(
        .outOfRange("years 0000 to 9999, in UTC"), at: r.offset(of: "time"), path: "time")
    }
    return value
  }

  private static func isLowercaseHex(_ byte: UInt8) -> Bool {
    hexDigit(byte) != nil && !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
  }

  /// Whether a text is a valid stream name: two to four ids joined by slashes.
  package static func isValidStream(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { bytes in
      var start = 0
      var parts = 0
      for end in 0...bytes.count where end == bytes.count || bytes[end] == UInt8(ascii: "/") {
        guard isValidID(bytes[start..<end]) else { return false }
        parts += 1
        start = end + 1
      }
      return (2...4).contains(parts)
    }
  }

  private static func positive(
    _ r: inout TapeReader, _ name: StaticString
  ) throws(LineFault) -> UInt64? {
    guard let value: Int64 = try r.optional(name) else { return nil }
    guard value > 0 else {
      throw LineFault(.outOfRange("1, 2, 3 …"), at: r.offset(of: name), path: "\(name)")
    }
    return UInt64(value)
  }

  private static func eventID(
    _ r: inout TapeReader, _ name: StaticString
  ) throws(LineFault) -> EventID? {
    guard let text: String = try r.optional(name) else { return nil }
    guard let id = EventID(text) else {
      throw LineFault(.wrongType(expected: "a UUID"), at: r.offset(of: name), path: "\(name)")
    }
    return id
  }

  private static let known: Set<[UInt8]> = Set(
    Envelope.members.map {
      Array(UnsafeBufferPointer(start: $0.utf8Start, count: $0.utf8CodeUnitCount))
    })

  /// Returns the value of the field `correlation`; nil if it is absent or has another form. A field
  /// of another form is kept like an unknown field, because older versions kept any.
  private static func correlation(_ r: TapeReader) -> CorrelationID? {
    guard let value = r.find("correlation"), r.node(value).kind == .string else { return nil }
    return CorrelationID(JSONString.decode(r.bytes, r.node(value)))
  }

  /// Returns the line's unknown fields, as written and in their order.
  private static func extra(_ r: TapeReader, _ correlation: CorrelationID?) -> [UInt8] {
    // All known fields except `data` and `correlation` have been read. If the object has no more
    // fields than these, none is unknown.
    guard r.memberCount > r.taken + (correlation == nil ? 1 : 2) else { return [] }
    var known = known
    if correlation == nil { known.remove(Array("correlation".utf8)) }
    var out: [UInt8] = []
    for member in r.members where !known.contains(JSONString.decode(r.bytes, r.node(member))) {
      out.append(UInt8(ascii: ","))
      out.append(contentsOf: r.text(of: member))
      out.append(UInt8(ascii: ":"))
      out.append(contentsOf: r.text(of: member + 1))
    }
    return out
  }

  private static func event(
    _ line: ParsedLine, _ data: Int, _ outer: TapeReader, _ upcastTape: inout JSONTape
  ) throws(LineFault) -> Event? {
    guard let type = TypeTable.shared.find(line.type) else { return nil }
    let version = line.version ?? 1
    if Upcaster.isReadAsPresent(type, version) {
      var reader = TapeReader(outer.tape, outer.bytes, outer.names, object: data, path: "data")
      return try read(type, version, &reader)
    }
    guard Upcaster.reads(type, version) else { return nil }
    var old = ByteBuffer()
    rewrite(data, outer, &old)
    let upcast = try Upcaster.upcast(old.array, type, from: version)
    return try upcast.withUnsafeBufferPointer { (bytes) throws(LineFault) in
      try upcastTape.parse(bytes)
      return try withUnsafePointer(to: upcastTape) { (tape) throws(LineFault) in
        var reader = TapeReader(tape, bytes, outer.names, object: 0, path: "data")
        return try read(type, type.version, &reader)
      }
    }
  }

  private static func read(
    _ type: EventType, _ version: Int, _ reader: inout TapeReader
  ) throws(LineFault) -> Event {
    let event = try Upcaster.event(type, version, from: &reader)
    try reader.end(known: Schema.all[Int(type.rawValue)].names)
    return event
  }

  /// Appends a node's JSON to `out`, without white space and with canonical escapes. Numbers stay
  /// as written.
  ///
  /// The recursion is bounded, because the parser limits the nesting depth.
  private static func rewrite(_ index: Int, _ r: TapeReader, _ out: inout ByteBuffer) {
    let node = r.node(index)
    switch node.kind {
    case .string:
      JSONString.decode(r.bytes, node).withUnsafeBufferPointer { JSONString.append($0, to: &out) }
    case .object, .array:
      let isObject = node.kind == .object
      out.append(isObject ? "{" : "[")
      var at = index + 1
      while at < node.next {
        if at > index + 1 { out.append(",") }
        if isObject {
          rewrite(at, r, &out)
          out.append(":")
          at += 1
        }
        rewrite(at, r, &out)
        at = Int(r.node(at).next)
      }
      out.append(isObject ? "}" : "]")
    default: out.append(r.text(of: index))
    }
  }
}

extension TapeReader {
  func offset(of name: StaticString) -> Int { find(name).map { Int(node($0).start) } ?? 0 }
}
