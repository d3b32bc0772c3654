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
  /// Reads, writes or changes a text. Its kind says whether a person wrote it: erasure and the
  /// pseudonyms of generated tests replace such texts.
  mutating func text<Text: TextMember>(
    _ name: StaticString, _ text: inout Text, _ kind: TextKind
  ) throws(LineFault)
  /// Reads, writes or changes a place: the fields `latitude` and `longitude`, in degrees.
  mutating func place(_ latitude: inout Double, _ longitude: inout Double) throws(LineFault)
  /// Reads, writes or changes the id of another event.
  mutating func event(_ name: StaticString, _ id: inout EventID) throws(LineFault)
}

extension MemberCoder {
  @inline(__always)
  mutating func text<Text: TextMember>(
    _ name: StaticString, _ text: inout Text, _: TextKind
  ) throws(LineFault) { try text.code(name, with: &self) }

  @inline(__always)
  mutating func place(_ latitude: inout Double, _ longitude: inout Double) throws(LineFault) {
    try self("latitude", &latitude)
    try self("longitude", &longitude)
  }

  @inline(__always)
  mutating func event(_ name: StaticString, _ id: inout EventID) throws(LineFault) {
    try self(name, &id)
  }

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

// A text without a kind does not compile, so that none is forgotten when people's texts are erased.
extension MemberCoder {
  @available(*, unavailable, message: "use text(_:_:_:), which says what kind of text it is")
  mutating func callAsFunction(_: StaticString, _: inout String) throws(LineFault) {}
  @available(*, unavailable, message: "use text(_:_:_:), which says what kind of text it is")
  mutating func callAsFunction(_: StaticString, _: inout String?) throws(LineFault) {}
  @available(*, unavailable, message: "use text(_:_:_:), which says what kind of text it is")
  mutating func callAsFunction(_: StaticString, _: inout Patch<String>) throws(LineFault) {}
}

/// A required text, an optional text, or the patch of a text.
protocol TextMember {
  /// Passes the text to a coder as a field without a kind.
  mutating func code(_ name: StaticString, with coder: inout some MemberCoder) throws(LineFault)
  /// Replaces the text, if there is one. For nil a required text stays, an optional one is removed.
  mutating func mapText(_ map: (String) -> String?)
}

extension String: TextMember {
  @inline(__always)
  mutating func code(_ name: StaticString, with coder: inout some MemberCoder) throws(LineFault) {
    try required(name, &self, with: &coder)
  }
  mutating func mapText(_ map: (String) -> String?) { self = map(self) ?? self }
}

extension Optional: TextMember where Wrapped == String {
  @inline(__always)
  mutating func code(_ name: StaticString, with coder: inout some MemberCoder) throws(LineFault) {
    try optional(name, &self, with: &coder)
  }
  mutating func mapText(_ map: (String) -> String?) { self = flatMap(map) }
}

extension Patch: TextMember where Value == String {
  @inline(__always)
  mutating func code(_ name: StaticString, with coder: inout some MemberCoder) throws(LineFault) {
    try patch(name, &self, with: &coder)
  }
  mutating func mapText(_ map: (String) -> String?) {
    if case .set(let text) = self { self = map(text).map(Patch.set) ?? .clear }
  }
}

// With generic values, the calls choose the functions that are available.
@inline(__always)
private func required<V: WireValue>(
  _ name: StaticString, _ value: inout V, with coder: inout some MemberCoder
) throws(LineFault) { try coder(name, &value) }

@inline(__always)
private func optional<V: WireValue>(
  _ name: StaticString, _ value: inout V?, with coder: inout some MemberCoder
) throws(LineFault) { try coder(name, &value) }

@inline(__always)
private func patch<V: WireValue>(
  _ name: StaticString, _ value: inout Patch<V>, with coder: inout some MemberCoder
) throws(LineFault) { try coder(name, &value) }

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
