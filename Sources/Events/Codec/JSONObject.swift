/// The members of a JSON object in their order, for tools that show data of any type.
///
/// ```swift
/// try JSONObject(#"{"user":"al","big":true}"#.utf8).members  // [("user", "al"), ("big", "true")]
/// ```
public struct JSONObject: Sendable {
  /// Names, unescaped, and values: a string's text without quotes, anything else as written.
  public let members: [(name: String, value: String)]

  /// - Throws: `LineFault` for what is not one JSON object.
  public init(_ bytes: some Sequence<UInt8>) throws(LineFault) {
    let bytes = Array(bytes)
    var tape = JSONTape()
    members = try bytes.withUnsafeBufferPointer { (raw) throws(LineFault) in
      try tape.parse(raw)
      var result: [(name: String, value: String)] = []
      var at = 1
      while at < tape.nodes[0].next {
        let name = String(decoding: JSONString.decode(raw, tape.nodes[at]), as: UTF8.self)
        let value = tape.nodes[at + 1]
        let text =
          value.kind == .string ? JSONString.decode(raw, value) : Array(JSONString.raw(raw, value))
        result.append((name, String(decoding: text, as: UTF8.self)))
        at = Int(value.next)
      }
      return result
    }
  }
}
