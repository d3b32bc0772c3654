/// Reads the members of one JSON object by name, in the catalogue's order.
///
/// Three kinds: `TapeReader` (strict, any order), `FastReader` (canonical lines only) and
/// `SchemaReader` (reads nothing, records the members asked for).
protocol MemberReader {
  /// A member that must be there.
  mutating func required<V: WireValue>(_ name: StaticString) throws(LineFault) -> V
  /// A member that may be absent.
  mutating func optional<V: WireValue>(_ name: StaticString) throws(LineFault) -> V?
  /// A member of a merge patch: absent, null or a value.
  mutating func patch<V: WireValue>(_ name: StaticString) throws(LineFault) -> Patch<V>
  /// An id whose kind another member says.
  mutating func id(_ name: StaticString, of kind: IDKind) throws(LineFault) -> AnyID
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
}

extension WireValue {
  /// Rare kinds of values have no fast form.
  static func fast(_ reader: inout FastReader) -> Self? { nil }
}

/// Writes the members of an event's data by name, in the catalogue's order.
///
/// Two kinds: `JSONWriter`, and one that writes records of tables.
protocol MemberWriter {
  mutating func member<V: WireValue>(_ name: StaticString, _ value: V)
  mutating func optional<V: WireValue>(_ name: StaticString, _ value: V?)
  mutating func patch<V: WireValue>(_ name: StaticString, _ patch: Patch<V>)
}

/// Writes the members of one JSON object, canonically.
struct JSONWriter: MemberWriter {
  let out: UnsafeMutablePointer<ByteBuffer>
  let names: UnsafePointer<Names>
  private var isFirst = true

  init(_ out: UnsafeMutablePointer<ByteBuffer>, _ names: UnsafePointer<Names>) {
    self.out = out
    self.names = names
  }

  @inline(__always)
  mutating func member<V: WireValue>(_ name: StaticString, _ value: V) {
    key(name)
    value.write(to: &self)
  }

  mutating func optional<V: WireValue>(_ name: StaticString, _ value: V?) {
    if let value { member(name, value) }
  }

  mutating func patch<V: WireValue>(_ name: StaticString, _ patch: Patch<V>) {
    switch patch {
    case .keep: break
    case .set(let value): member(name, value)
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
