/// The layout of a log's line: its fields in order, and the bytes between the fields' values.
///
/// Each literal contains the bytes between the previous field's value and its own field's value,
/// including the quotes of texts. The encoder and the readers of canonical lines use these
/// literals.
package enum Envelope {
  /// The names of all known fields of a line, in order. The log keeps unknown fields between `data`
  /// and `correlation`.
  static let members: [StaticString] = [
    "seq", "time", "type", "v", "stream", "rev", "actor", "id", "cause", "batch", "data",
    "correlation", "sum",
  ]

  @inline(__always) package static var seq: StaticString { "{\"seq\":" }
  @inline(__always) static var time: StaticString { ",\"time\":\"" }
  @inline(__always) static var type: StaticString { "\",\"type\":\"" }
  @inline(__always) static var version: StaticString { "\",\"v\":" }
  @inline(__always) static var stream: StaticString { ",\"stream\":\"" }
  @inline(__always) static var rev: StaticString { "\",\"rev\":" }
  @inline(__always) static var actor: StaticString { ",\"actor\":\"" }
  @inline(__always) static var id: StaticString { "\",\"id\":\"" }
  @inline(__always) static var cause: StaticString { "\",\"cause\":\"" }
  @inline(__always) static var batch: StaticString { "\",\"batch\":\"" }
  @inline(__always) static var data: StaticString { "\",\"data\":" }
  @inline(__always) static var correlation: StaticString { ",\"correlation\":\"" }
  @inline(__always) static var sum: StaticString { ",\"sum\":\"" }
  @inline(__always) package static var end: StaticString { "\"}" }

  /// `version`, the value 1 and `stream` as one literal, because nearly every line has version 1.
  @inline(__always) static var version1ToStream: StaticString { "\",\"v\":1,\"stream\":\"" }
  @inline(__always) static var version2ToStream: StaticString { "\",\"v\":2,\"stream\":\"" }
}
