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
}

/// A value that a member can have on the wire.
protocol WireValue: Equatable, Sendable {
  /// What the schema calls it.
  static var schema: StaticString { get }
  /// Any value; used only by `SchemaReader`.
  static var placeholder: Self { get }
  /// From a node of the strict parser.
  init(_ node: Int, in reader: TapeReader, _ path: () -> String) throws(LineFault)
  /// From the canonical form; nil if it is not canonical and the strict parser has to decide.
  static func fast(_ reader: inout FastReader) -> Self?
  func write(to writer: inout MemberWriter)
}

extension WireValue {
  /// Rare kinds of values have no fast form.
  static func fast(_ reader: inout FastReader) -> Self? { nil }
}

/// Writes the members of one JSON object, canonically.
struct MemberWriter {
  let out: UnsafeMutablePointer<ByteBuffer>
  let names: UnsafePointer<Names>
  private var isFirst = true

  init(_ out: UnsafeMutablePointer<ByteBuffer>, _ names: UnsafePointer<Names>) {
    self.out = out
    self.names = names
  }

  @inline(__always)
  mutating func member(_ name: StaticString, _ value: some WireValue) {
    key(name)
    value.write(to: &self)
  }

  mutating func optional(_ name: StaticString, _ value: (some WireValue)?) {
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
