import Testing

@testable import Events

/// Lines of version 1 of the types that have a second version.
@Suite struct VersionsTests {
  private static func line(_ type: String, _ data: String, version: Int = 1) -> [UInt8] {
    Array(#"{"type":"\#(type)","v":\#(version),"actor":"a","data":\#(data)}"#.utf8)
  }

  /// The upcast data, which the fast reader and the strict parser must agree on.
  private static func upcast(_ line: [UInt8]) throws -> String {
    var (names, others) = (Names(), Names())
    var strict = LineParser(takesShortcut: false)
    let found = try #require(try strict.parse(line, names: &names).event)
    let fast = try #require(
      line.withUnsafeBufferPointer { LineParser.canonical($0, &others) })
    #expect(fast.event?.data(others) == found.data(names))
    return String(decoding: found.data(names), as: UTF8.self)
  }

  private static let workout =
    #"{"workout":"w","owner":"a","localID":"l","date":"2026-01-01T00:00:00Z","workoutType":"2k","#
    + #""totalTime":"07:00.0","totalDistance":2000,"averageSplit":"01:45.0","isErgTest":false}"#

  @Test("A workout shared in version 1 stays with friends; everything else reads as written")
  func upcast() throws {
    let audience = Self.workout.dropLast() + #","audience":"friends"}"#
    #expect(try Self.upcast(Self.line("WorkoutShared", Self.workout)) == audience)
    let same = [
      ("ProfileCreated", #"{"user":"a","handle":"al","isPublic":true}"#),
      (
        "ProfilePhotoSet",
        #"{"user":"a","url":"u","path":"p","bytes":1,"contentType":"image/png"}"#
      ), ("WorkoutEdited", #"{"workout":"w","totalTime":"1","text":null}"#),
    ]
    for (type, data) in same { #expect(try Self.upcast(Self.line(type, data)) == data) }
  }

  @Test(
    "Data that version 1 did not allow is refused by the fast reader and the strict parser",
    arguments: [
      ("ProfileCreated", #"{"user":"a","isPublic":true}"#, "data.handle"),
      ("ProfilePhotoSet", #"{"user":"a","url":"u","path":"p","bytes":1}"#, "data.contentType"),
      ("ProfilePhotoSet", #"{"user":"a","url":"u"}"#, "data.path"),
      ("WorkoutEdited", #"{"workout":"w","audience":"public"}"#, "data.audience"),
      ("WorkoutEdited", #"{"workout":"w","totalTime":null}"#, "data.totalTime"),
      ("WorkoutShared", workout.dropLast() + #","audience":"friends"}"#, "data.audience"),
      (
        "WorkoutShared", workout.replacing(#""localID":"l","#, with: ""), "data.localID"
      ),
      (
        "WorkoutShared", workout.replacing(#","totalDistance":2000"#, with: ""),
        "data.totalDistance"
      ),
    ])
  func refused(type: String, data: String, path: String) throws {
    var (names, others) = (Names(), Names())
    for takesShortcut in [true, false] {
      var parser = LineParser(takesShortcut: takesShortcut)
      let fault = #expect(throws: LineFault.self) {
        try parser.parse(Self.line(type, data), names: &names)
      }
      #expect(fault?.path == path)
    }
    // In version 2 all of it is allowed.
    var parser = LineParser()
    #expect(try parser.parse(Self.line(type, data, version: 2), names: &others).event != nil)
  }

  @Test("A version later than this code's is an unknown type")
  func later() throws {
    var (parser, names) = (LineParser(), Names())
    for type in EventType.allCases {
      let line = Self.line(type.name, "{}", version: type.version + 1)
      #expect(try parser.parse(line, names: &names).event == nil)
    }
  }

  @Test(
    "A text of bytes 0xFF is refused as invalid UTF-8 at any offset", arguments: 1...17)
  func invalidBytes(count: Int) throws {
    for length in 0..<8 {
      var bytes = Array(#"{"type":"ProfileCreated","actor":"a","data":{"user":"a","handle":""#.utf8)
      bytes += Array(repeating: UInt8(ascii: "h"), count: length)
      let start = bytes.count
      bytes += Array(repeating: 0xff, count: count) + Array(#"s","isPublic":true}}"#.utf8)
      var (parser, names) = (LineParser(), Names())
      #expect(throws: LineFault(.notUTF8, at: start)) {
        try parser.parse(bytes, names: &names)
      }
    }
  }
}
