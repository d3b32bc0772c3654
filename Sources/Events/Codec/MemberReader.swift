/// Reads, writes or changes the members of one object by name, in the catalogue's order.
protocol MemberCoder {
  /// Handles a required member.
  mutating func callAsFunction<V: WireValue>(
    _ name: StaticString, _ value: inout V
  ) throws(LineFault)
  /// Handles an optional member.
  mutating func callAsFunction<V: WireValue>(
    _ name: StaticString, _ value: inout V?
  ) throws(LineFault)
  /// Handles a member of a merge patch: absent, null or a value.
  mutating func callAsFunction<V: WireValue>(
    _ name: StaticString, _ value: inout Patch<V>
  ) throws(LineFault)
  /// Handles an id whose kind depends on another member.
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

/// Reads the members of one JSON object: `TapeReader` strictly and in any order, `FastReader` only
/// in canonical lines.
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

/// A value that a member can have on the wire.
protocol WireValue: Equatable, Sendable, Storable {
  /// The type's name in the schema.
  static var schema: StaticString { get }
  /// Reads a node of the strict parser.
  init(_ node: Int, in reader: TapeReader, _ path: () -> String) throws(LineFault)
  /// Reads the canonical form; returns nil if the strict parser has to decide.
  static func fast(_ reader: inout FastReader) -> Self?
  func write(to writer: inout JSONWriter)
  /// Replaces the value if it is an id.
  mutating func mapIDs(_ map: some IDMap)
}

extension WireValue {
  /// Always returns nil: rare types have no fast form.
  static func fast(_ reader: inout FastReader) -> Self? { nil }
  mutating func mapIDs(_ map: some IDMap) {}
}

/// Writes the members of one JSON object in canonical form.
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

  /// Ends the object; an object without members is `{}`.
  mutating func end() { out.pointee.append(isFirst ? "{}" : "}") }
}

extension Event {
  /// Returns the event's data as canonical JSON.
  public func data(_ names: borrowing Names) -> [UInt8] {
    withUnsafePointer(to: names) { data($0) }
  }

  /// Takes names behind a pointer, because copying the table would cost as much as a short event.
  func data(_ names: UnsafePointer<Names>) -> [UInt8] {
    if case .app(let record) = self { return record.data }
    var buffer = ByteBuffer()
    withUnsafeMutablePointer(to: &buffer) { buffer in
      var writer = JSONWriter(buffer, names)
      write(to: &writer)
      writer.end()
    }
    return buffer.array
  }
}
