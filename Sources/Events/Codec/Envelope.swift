/// The layout of a line, for the encoder and for all who look for what it wrote: the members of the
/// envelope in their order, and the bytes between their values.
///
/// Each piece leads from the end of the value before it to the beginning of its member's own, the
/// quotes of texts among it.
package enum Envelope {
  /// Every member that a line can have, in order. Members that are not among them are kept, and
  /// stand between `data` and `sum`.
  static let members: [StaticString] = [
    "seq", "time", "type", "v", "stream", "rev", "actor", "id", "cause", "batch", "data", "sum",
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
  @inline(__always) static var sum: StaticString { ",\"sum\":\"" }
  @inline(__always) package static var end: StaticString { "\"}" }

  /// `version`, a version of 1 and `stream`, in one piece: what nearly every line has there.
  @inline(__always) static var version1ToStream: StaticString { "\",\"v\":1,\"stream\":\"" }
  @inline(__always) static var version2ToStream: StaticString { "\",\"v\":2,\"stream\":\"" }
}
