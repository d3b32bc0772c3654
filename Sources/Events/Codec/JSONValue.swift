/// A JSON value of any kind, as a tree. The program reads commands and writes answers with it.
///
/// ```swift
/// let value = try JSONValue(object: #"{"user":"al","big":true}"#.utf8)
/// value["big"]     // .bool(true)
/// value.text       // the same bytes
/// ```
/// Events are read and written without such trees, which is faster.
public enum JSONValue: Equatable, Sendable {
  /// The JSON value `null`.
  case null
  /// The JSON value `true` or `false`.
  case bool(Bool)
  /// A number, as written in the JSON text.
  case number(String)
  /// A string, with its escapes decoded.
  case string(String)
  /// An array of values.
  case array([JSONValue])
  /// An object: its fields, in the order of the JSON text.
  case object([Member])

  /// A field of a JSON object: a name and a value.
  public struct Member: Equatable, Sendable {
    /// The field's name.
    public var name: String
    /// The field's value.
    public var value: JSONValue

    /// Creates a field from its name and its value.
    public init(_ name: String, _ value: JSONValue) {
      (self.name, self.value) = (name, value)
    }
  }

  /// Returns a JSON number for an integer.
  public static func int(_ value: some BinaryInteger) -> JSONValue { .number("\(value)") }

  /// Returns a JSON number for a double, in its shortest form.
  public static func double(_ value: Double) -> JSONValue {
    guard value != 0 else { return .number("0") }
    let text = "\(value)"
    return .number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }

  /// Returns a JSON string for a text, or JSON's null for nil.
  public static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

  /// The value of the object's first field with this name. It is nil if the object has no such
  /// field, or if this JSON value is not an object.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// Parses one JSON object strictly (RFC 8259).
  /// - Throws: `LineFault` with the offset of the first byte that is not valid.
  public init(object bytes: some Sequence<UInt8>) throws(LineFault) {
    try self.init(Array(bytes), requiresObject: true)
  }

  /// Parses one JSON value of any kind strictly.
  /// - Throws: `LineFault` with the offset of the first byte that is not valid.
  public init(_ text: String) throws(LineFault) {
    try self.init(Array(text.utf8), requiresObject: false)
  }

  init(_ bytes: [UInt8], requiresObject: Bool) throws(LineFault) {
    var tape = JSONTape()
    self = try bytes.withUnsafeBufferPointer { (raw) throws(LineFault) in
      try tape.parse(raw, requiresObject: requiresObject)
      return Self.value(0, tape, raw)
    }
  }

  // The recursion is bounded, because the parser limits the nesting depth.
  private static func value(
    _ index: Int, _ tape: JSONTape, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> JSONValue {
    let node = tape.nodes[index]
    func text(_ node: JSONTape.Node) -> String {
      node.escaped
        ? String(decoding: JSONString.decode(bytes, node), as: UTF8.self)
        : String(decoding: JSONString.raw(bytes, node), as: UTF8.self)
    }
    switch node.kind {
    case .null: return .null
    case .yes: return .bool(true)
    case .no: return .bool(false)
    case .number: return .number(text(node))
    case .string: return .string(text(node))
    case .array:
      var values: [JSONValue] = []
      var at = index + 1
      while at < node.next {
        values.append(value(at, tape, bytes))
        at = Int(tape.nodes[at].next)
      }
      return .array(values)
    case .object:
      var members: [Member] = []
      var at = index + 1
      while at < node.next {
        members.append(Member(text(tape.nodes[at]), value(at + 1, tape, bytes)))
        at = Int(tape.nodes[at + 1].next)
      }
      return .object(members)
    }
  }

  /// The value as canonical JSON: no white space, and escapes only where JSON requires them.
  public var text: String {
    var out = ByteBuffer()
    out.append(self)
    return out.text
  }
}

extension ByteBuffer {
  /// Appends a value as canonical JSON.
  public mutating func append(_ value: JSONValue) {
    switch value {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .number(let text): append(text)
    case .string(let text): appendJSON(text)
    case .array(let values):
      append("[")
      for (index, value) in values.enumerated() {
        if index > 0 { append(",") }
        append(value)
      }
      append("]")
    case .object(let members):
      append("{")
      for (index, member) in members.enumerated() {
        if index > 0 { append(",") }
        appendJSON(member.name)
        append(":")
        append(member.value)
      }
      append("}")
    }
  }
}

extension JSONValue {
  /// The value as a whole number from 0; nil if it is another value.
  package var uint64: UInt64? {
    if case .number(let digits) = self { UInt64(digits) } else { nil }
  }
}
