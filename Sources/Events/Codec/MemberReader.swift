/// Reads, writes or changes the fields of one JSON object. The caller passes each field by name, in
/// the order of the event catalogue (`docs/events.md`).
protocol MemberCoder {
  /// Reads, writes or changes a required field.
  mutating func callAsFunction<V: WireValue>(
    _ name: StaticString, _ value: inout V
  ) throws(LineFault)
  /// Reads, writes or changes an optional field.
  mutating func callAsFunction<V: WireValue>(
    _ name: StaticString, _ value: inout V?
  ) throws(LineFault)
  /// Reads, writes or changes a field of a merge patch, which is absent, null or a value.
  mutating func callAsFunction<V: WireValue>(
    _ name: StaticString, _ value: inout Patch<V>
  ) throws(LineFault)
  /// Reads, writes or changes an id whose kind depends on another field's value.
  mutating func id(_ name: StaticString, _ id: inout AnyID, of kind: IDKind) throws(LineFault)
}

extension MemberCoder {
  mutating func id(_ name: StaticString, _ id: inout AnyID, of kind: IDKind) throws(LineFault) {
    switch kind {
    case .user: try self.id(name, &id, UserID.self)
    case .workout: try self.id(name, &id, WorkoutID.self)
    case .comment: try self.id(name, &id, CommentID.self)
    case .group: try self.id(name, &id, GroupID.self)
    case .message: try self.id(name, &id, MessageID.self)
    case .report: try self.id(name, &id, ReportID.self)
    }
  }

  private mutating func id<ID: DenseID & WireValue>(
    _ name: StaticString, _ id: inout AnyID, _: ID.Type
  ) throws(LineFault) {
    var typed = ID(index: id.index)
    try self(name, &typed)
    id = AnyID(typed)
  }
}

/// Reads the fields of one JSON object. `TapeReader` is strict and accepts any order; `FastReader`
/// only reads canonical lines.
protocol MemberReader: MemberCoder {
  mutating func required<V: WireValue>(_ name: StaticString) throws(LineFault) -> V
  mutating func optional<V: WireValue>(_ name: StaticString) throws(LineFault) -> V?
  mutating func patch<V: WireValue>(_ name: StaticString) throws(LineFault) -> Patch<V>
}

extension MemberReader {
  @inline(__always)
  mutating func callAsFunction<V: WireValue>(
    _ name: StaticString, _ value: inout V
  ) throws(LineFault) { value = try required(name) }

  @inline(__always)
  mutating func callAsFunction<V: WireValue>(
    _ name: StaticString, _ value: inout V?
  ) throws(LineFault) { value = try optional(name) }

  @inline(__always)
  mutating func callAsFunction<V: WireValue>(
    _ name: StaticString, _ value: inout Patch<V>
  ) throws(LineFault) { value = try patch(name) }
}

/// A type of value that a JSON field of an event can have.
protocol WireValue: Equatable, Sendable, Storable {
  /// A description of the type for schemas, such as `user id`.
  static var schema: StaticString { get }
  /// Reads the value from a node of the strict parser.
  init(_ node: Int, in reader: TapeReader, _ path: () -> String) throws(LineFault)
  /// Reads a value in the form that the encoder writes. Returns nil for any other form; the strict
  /// parser then reads the value or reports an error.
  static func fast(_ reader: inout FastReader) -> Self?
  /// The way to copy a value of this type into a column, without making the value.
  static var form: DataField.Form { get }
  func write(to writer: inout JSONWriter)
  /// If the value is an id, replaces it with the id that `map` returns for it.
  mutating func mapIDs(_ map: some IDMap)
}

extension WireValue {
  /// Always returns nil, because rarely used types have no fast reader.
  static func fast(_ reader: inout FastReader) -> Self? { nil }
  static var form: DataField.Form { .other { fast(&$0) != nil } }
  mutating func mapIDs(_ map: some IDMap) {}
}

/// Writes the fields of one JSON object in canonical form.
struct JSONWriter: MemberCoder {
  let out: UnsafeMutablePointer<ByteBuffer>
  let names: UnsafePointer<Names>
  private var isFirst = true

  init(_ out: UnsafeMutablePointer<ByteBuffer>, _ names: UnsafePointer<Names>) {
    (self.out, self.names) = (out, names)
  }

  @inline(__always)
  mutating func callAsFunction<V: WireValue>(_ name: StaticString, _ value: inout V) {
    key(name)
    value.write(to: &self)
  }

  mutating func callAsFunction<V: WireValue>(_ name: StaticString, _ value: inout V?) {
    if var value { self(name, &value) }
  }

  mutating func callAsFunction<V: WireValue>(_ name: StaticString, _ value: inout Patch<V>) {
    switch value {
    case .keep: break
    case .set(var value): self(name, &value)
    case .clear:
      key(name)
      out.pointee.append("null")
    }
  }

  @inline(__always)
  private mutating func key(_ name: StaticString) {
    out.pointee.append(isFirst ? "{\"" : ",\"")
    isFirst = false
    out.pointee.append(name)
    out.pointee.append("\":")
  }

  /// Appends the object's closing brace, or `{}` if no field was written.
  mutating func end() { out.pointee.append(isFirst ? "{}" : "}") }
}

extension Event {
  /// Returns the event's data as canonical JSON.
  public func data(_ names: borrowing Names) -> [UInt8] {
    withUnsafePointer(to: names) { data($0) }
  }

  /// Returns the event's data as canonical JSON. The names are passed by pointer, because copying
  /// the table would take as long as writing a short event.
  func data(_ names: UnsafePointer<Names>) -> [UInt8] {
    if case .app(let record) = self { return record.data }
    var buffer = ByteBuffer()
    appendData(names, to: &buffer)
    return buffer.array
  }

  /// Appends the event's data as canonical JSON.
  func appendData(_ names: UnsafePointer<Names>, to out: inout ByteBuffer) {
    if case .app(let record) = self { return out.append(record.data) }
    withUnsafeMutablePointer(to: &out) { out in
      var writer = JSONWriter(out, names)
      write(to: &writer)
      writer.end()
    }
  }
}
