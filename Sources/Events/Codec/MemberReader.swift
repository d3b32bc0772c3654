/// Reads, writes or changes the members of one object by name, in the catalogue's order.
protocol MemberCoder {
  /// A required member.
  mutating func callAsFunction<V: WireValue>(
    _ name: StaticString, _ value: inout V
  ) throws(LineFault)
  /// A member that may be absent.
  mutating func callAsFunction<V: WireValue>(
    _ name: StaticString, _ value: inout V?
  ) throws(LineFault)
  /// A member of a merge patch: absent, null or a value.
  mutating func callAsFunction<V: WireValue>(
    _ name: StaticString, _ value: inout Patch<V>
  ) throws(LineFault)
  /// An id whose kind another member says.
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

/// Reads the members of one JSON object: `TapeReader` strictly and in any order, `FastReader` in
/// canonical lines only.
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
  /// What the schema calls it.
  static var schema: StaticString { get }
  /// From a node of the strict parser.
  init(_ node: Int, in reader: TapeReader, _ path: () -> String) throws(LineFault)
  /// From the canonical form; nil if it is not canonical and the strict parser has to decide.
  static func fast(_ reader: inout FastReader) -> Self?
  func write(to writer: inout JSONWriter)
  /// Replaces the value if it is an id.
  mutating func mapIDs(_ map: some IDMap)
}

extension WireValue {
  /// Rare kinds of values have no fast form.
  static func fast(_ reader: inout FastReader) -> Self? { nil }
  mutating func mapIDs(_ map: some IDMap) {}
}

/// Writes the members of one JSON object, canonically.
struct JSONWriter: MemberCoder {
  let out: UnsafeMutablePointer<ByteBuffer>
  let names: UnsafePointer<Names>
  private var isFirst = true

  init(_ out: UnsafeMutablePointer<ByteBuffer>, _ names: UnsafePointer<Names>) {
    self.out = out
    self.names = names
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

  /// Ends the object; one without members is `{}`.
  mutating func end() { out.pointee.append(isFirst ? "{}" : "}") }
}
