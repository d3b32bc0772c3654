/// A reader that turns lines into rows of typed columns, without making events.
///
/// It checks data in the encoder's layout like `FastReader`, but copies texts and ids from the line
/// instead of numbering them. So its memory does not grow with the number of ids. The strict parser
/// reads lines in another layout and those of older versions.
package struct ColumnReader: ~Copyable {
  /// The conditions that an event must meet to become a row.
  package struct Selection: Sendable {
    /// The wanted types of the core.
    package var types = EventTypes.all
    /// The names of the wanted types that the core does not know; nil means all.
    package var otherTypes: Set<String>?
    /// The range of wanted times.
    package var times = Timestamp.earliest...Timestamp.latest
    /// The range of wanted positions.
    package var positions: ClosedRange<UInt64> = 1...UInt64.max

    package init() {}

    func contains(_ moment: Moment) -> Bool {
      times.contains(moment.time) && positions.contains(moment.seq)
    }
  }

  /// The number of rows so far.
  package private(set) var rows = 0
  /// The columns; each may lack nulls at the end until `finish`.
  package private(set) var columns: [ColumnBuilder]
  private let selection: Selection
  /// For each event type, and for each field of its data, the index of its column or -1.
  private let places: [[Int]]
  private let envelope: [(field: EnvelopeColumn, column: Int)]
  private let readsHead: Bool
  private let cleared: Int?
  private var parser = LineParser()
  private let table = Table()
  private var found: [Found] = []

  /// The names of ids, which a `FastReader` needs. It is a class, because a reader has a pointer to
  /// the names while the columns change.
  private final class Table {
    var names = Names()
  }

  /// A value of the current line.
  private struct Found {
    var column: Int
    var value: Value
  }

  private enum Value {
    case text(UnsafeBufferPointer<UInt8>)
    case decoded(String)
    case word(UInt64)
  }

  package init(_ columns: [EventColumn], _ selection: Selection) {
    self.columns = columns.map { ColumnBuilder($0) }
    self.selection = selection
    var index: [String: Int] = [:]
    for (place, column) in columns.enumerated() { index[column.name] = place }
    places = DataField.all.map { fields in fields.map { index[$0.column] ?? -1 } }
    envelope = EnvelopeColumn.allCases.compactMap { field in
      index[field.rawValue].map { (field, $0) }
    }
    readsHead = envelope.contains { $0.field.isInHead }
    cleared = index[EnvelopeColumn.cleared.rawValue]
  }

  /// Appends a line's event as a row if it is selected.
  /// - Throws: the strict parser's fault for data of a wrong form.
  mutating func append(
    _ line: ScannedLine, _ bytes: UnsafeBufferPointer<UInt8>
  ) throws(LineFault) {
    guard selection.contains(line.moment) else { return }
    found.removeAll(keepingCapacity: true)
    if let type = line.type, line.data > 1, line.version == type.version {
      if readFast(line, type, bytes) {
        commit(line, type.wireName, version: line.version)
        return
      }
      found.removeAll(keepingCapacity: true)
    }
    try appendStrictly(line, bytes)
  }

  /// Appends the missing nulls at the end of each column, and returns the columns.
  package mutating func finish() -> [ColumnBuilder] {
    for index in columns.indices { columns[index].pad(to: rows) }
    return columns
  }

  private mutating func commit(_ line: ScannedLine, _ type: StaticString, version: Int) {
    for (field, column) in envelope {
      switch field {
      case .seq: columns[column].set(rows, word: line.moment.seq)
      case .time:
        columns[column].set(rows, word: UInt64(bitPattern: line.moment.time.milliseconds))
      case .type:
        columns[column].set(
          rows, UnsafeBufferPointer(start: type.utf8Start, count: type.utf8CodeUnitCount))
      case .v: columns[column].set(rows, word: UInt64(version))
      default: break
      }
    }
    for value in found { set(value) }
    rows += 1
  }

  private mutating func set(_ found: Found) {
    switch found.value {
    case .word(let word): columns[found.column].set(rows, word: word)
    case .text(let bytes): columns[found.column].set(rows, bytes)
    case .decoded(var text):
      text.withUTF8 { columns[found.column].set(rows, $0) }
    }
  }
}

extension ColumnReader {
  /// Finds the values of a line in the encoder's layout; returns false for another layout.
  private mutating func readFast(
    _ line: ScannedLine, _ type: EventType, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard let base = bytes.baseAddress else { return false }
    let end = base + (bytes.count - sumLength)
    let (start, fields) = (base + line.data, DataField.all[Int(type.rawValue)])
    let table = table
    return withUnsafeMutablePointer(to: &table.names) { names in
      if readsHead, !head(FastReader(base, end, names), base + line.stream, end) { return false }
      var reader = FastReader(start, end, names)
      guard self.data(fields, places[Int(type.rawValue)], &reader, isStrict: false),
        reader.endsLine()
      else { return false }
      for (field, column) in envelope {
        if field == .data {
          let count = reader.at + 1 - start
          found.append(
            Found(column: column, value: .text(UnsafeBufferPointer(start: start, count: count))))
        } else if field == .correlation, let id = LineHead.correlation(bytes) {
          found.append(Found(column: column, value: .text(id)))
        }
      }
      return true
    }
  }

  /// Finds the wanted fields between `stream` and `data`. `stream` is the start of the stream's
  /// name.
  private mutating func head(
    _ reader: FastReader, _ stream: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> Bool {
    var r = FastReader(
      stream - Envelope.stream.utf8CodeUnitCount, end, reader.names,
      separator: UInt8(ascii: ","))
    guard let name = try? r.text("stream"), r.take("rev"), let rev = r.integer(), rev > 0,
      r.take("actor"), let actor = r.id(), let id = try? r.text("id"), Self.isCanonicalID(id),
      let cause = try? r.text("cause") as UnsafeBufferPointer<UInt8>??,
      cause.map(Self.isCanonicalID) ?? true,
      let batch = try? r.text("batch") as UnsafeBufferPointer<UInt8>??
    else { return false }
    for (field, column) in envelope {
      let value: Value? =
        switch field {
        case .stream: .text(name)
        case .rev: .word(UInt64(rev))
        case .actor: .text(actor)
        case .id: .text(id)
        case .cause: cause.map { .text($0) }
        case .batch: batch.map { .text($0) }
        default: nil
        }
      if let value { found.append(Found(column: column, value: value)) }
    }
    return true
  }

  /// Whether a text is an event's id in lower case, as the encoder writes it.
  @inline(__always)
  private static func isCanonicalID(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count == EventID.length, let base = text.baseAddress else { return false }
    return EventID(lowercase: base) != nil
  }

  /// Finds the values of an event's data, up to its closing brace.
  private mutating func data(
    _ fields: [DataField], _ places: [Int], _ r: inout FastReader, isStrict: Bool
  ) -> Bool {
    var nulls = ""
    for (index, field) in fields.enumerated() {
      guard r.take(field.name) else {
        if field.isRequired { return false }
        continue
      }
      if field.isPatch, r.skip("null") {
        if cleared != nil { nulls += (nulls.isEmpty ? "" : ",") + "\(field.name)" }
        continue
      }
      guard let value = Self.value(field.form, &r, isStrict) else { return false }
      if places[index] >= 0 { found.append(Found(column: places[index], value: value)) }
    }
    if let cleared, !nulls.isEmpty {
      found.append(Found(column: cleared, value: .decoded(nulls)))
    }
    return true
  }

  @inline(__always)
  private static func value(
    _ form: DataField.Form, _ r: inout FastReader, _ isStrict: Bool
  ) -> Value? {
    switch form {
    case .id: return r.id().map { .text($0) }
    case .text:
      if let text = r.plainText() { return .text(text) }
      return r.string().map { .decoded($0) }
    case .integer:
      if let value = r.integer() { return .word(UInt64(bitPattern: value)) }
      return isStrict ? digits(&r).flatMap { Int64($0) }.map { .word(UInt64(bitPattern: $0)) } : nil
    case .number:
      if let value = r.double() { return .word(value.bitPattern) }
      return isStrict ? digits(&r).flatMap { Double($0) }.map { .word($0.bitPattern) } : nil
    case .boolean: return Bool.fast(&r).map { .word($0 ? 1 : 0) }
    case .eventID:
      let start = r.at
      guard r.eventID() != nil else { return nil }
      let text = UnsafeBufferPointer(start: start + 1, count: EventID.length)
      return isCanonicalID(text) ? .text(text) : nil
    case .other(let read):
      let start = r.at
      if !read(&r) {
        // Only the strict parser reads some numbers. It has checked the value.
        guard isStrict else { return nil }
        r.at = start
        guard skipValue(&r) else { return nil }
      }
      let isText = start.pointee == UInt8(ascii: "\"")
      let text = UnsafeBufferPointer(
        start: start + (isText ? 1 : 0), count: r.at - start - (isText ? 2 : 0))
      // A text with escapes is decoded; the JSON of an array stays as it is.
      guard isText, text.contains(UInt8(ascii: "\\")) else { return .text(text) }
      r.at = start
      return r.string().map { .decoded($0) }
    }
  }

  /// Reads the text of a number of any length.
  private static func digits(_ r: inout FastReader) -> String? {
    let start = r.at
    guard skipValue(&r) else { return nil }
    return String(decoding: UnsafeBufferPointer(start: start, count: r.at - start), as: UTF8.self)
  }

  /// Moves to the comma or brace after a JSON value; returns false if there is none.
  private static func skipValue(_ r: inout FastReader) -> Bool {
    var depth = 0
    while r.at < r.end {
      switch r.at.pointee {
      case UInt8(ascii: "\""):
        guard r.string() != nil else { return false }
        continue
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 { return true }
        depth -= 1
      case UInt8(ascii: ","):
        if depth == 0 { return true }
      default: break
      }
      r.at += 1
    }
    return false
  }
}

extension ColumnReader {
  /// Appends a line in any layout, and of any type, as a row.
  private mutating func appendStrictly(
    _ line: ScannedLine, _ bytes: UnsafeBufferPointer<UInt8>
  ) throws(LineFault) {
    let table = table
    if table.names.idCount > 8_192 { table.names.removeAll() }
    let (parsed, event) = try parser.parse(bytes, names: &table.names)
    guard let recorded = RecordedEvent(parsed) else { throw parsed.missing }
    if event == nil, let wanted = selection.otherTypes, !wanted.contains(recorded.type) { return }
    let data = event.map { $0.data(table.names) } ?? recorded.data
    for (field, column) in envelope {
      let value: Value? =
        switch field {
        case .seq: .word(line.moment.seq)
        case .time: .word(UInt64(bitPattern: line.moment.time.milliseconds))
        case .type: .decoded(recorded.type)
        case .v: .word(UInt64(bitPattern: Int64(event?.version ?? recorded.version)))
        case .stream: .decoded(recorded.stream)
        case .rev: .word(recorded.rev)
        case .actor: .decoded(recorded.actor)
        case .id: .decoded("\(recorded.id)")
        case .cause: recorded.cause.map { .decoded("\($0)") }
        case .batch: recorded.batch.map { .decoded("\($0.index)/\($0.count)") }
        case .correlation: recorded.correlation.map { .decoded("\($0)") }
        case .cleared: nil
        case .data: .decoded(String(decoding: data, as: UTF8.self))
        }
      if let value { found.append(Found(column: column, value: value)) }
    }
    try data.withUnsafeBufferPointer { (data) throws(LineFault) in
      if let event, let base = data.baseAddress, case let index = Int(event.type.rawValue),
        index < places.count
      {
        let isRead = withUnsafeMutablePointer(to: &table.names) { names in
          var reader = FastReader(base, base + data.count, names)
          return self.data(DataField.all[index], places[index], &reader, isStrict: true)
            && reader.isAtEnd()
        }
        // No value of the row is set yet, so the rows before remain whole.
        guard isRead else { throw LineFault(.truncated, path: "data") }
      }
      for value in found { set(value) }
    }
    rows += 1
  }
}
