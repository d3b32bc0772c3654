/// Any JSON value as a tree, for reading commands and writing answers.
///
/// ```swift
/// let value = try JSONValue(object: #"{"user":"al","big":true}"#.utf8)
/// value["big"]     // .bool(true)
/// value.text       // the same bytes
/// ```
/// Events are read and written without this tree.
public enum JSONValue: Equatable, Sendable {
  /// The value null.
  case null
  /// True or false.
  case bool(Bool)
  /// A number, as its text.
  case number(String)
  /// A text, without escapes.
  case string(String)
  /// A list of values.
  case array([JSONValue])
  /// An object: its members in order.
  case object([Member])

  /// A member of an object.
  public struct Member: Equatable, Sendable {
    /// The member's name.
    public var name: String
    /// The member's value.
    public var value: JSONValue

    /// Creates a member.
    public init(_ name: String, _ value: JSONValue) {
      (self.name, self.value) = (name, value)
    }
  }

  /// Returns an integer as a number.
  public static func int(_ value: some BinaryInteger) -> JSONValue { .number("\(value)") }

  /// Returns a number in its shortest form.
  public static func double(_ value: Double) -> JSONValue {
    guard value != 0 else { return .number("0") }
    let text = "\(value)"
    return .number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }

  /// Returns a text, or null if there is none.
  public static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

  /// The first member of an object with this name; nil if there is none or this is not an object.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// Parses one JSON object strictly (RFC 8259).
  /// - Throws: `LineFault` with the offset of the first wrong byte.
  public init(object bytes: some Sequence<UInt8>) throws(LineFault) {
    try self.init(Array(bytes), requiresObject: true)
  }

  /// Parses one JSON value of any kind strictly.
  /// - Throws: `LineFault` with the offset of the first wrong byte.
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

  // The recursion is bounded, because the parser limits the depth.
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
