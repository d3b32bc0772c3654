import Foundation
import Testing

@testable import EventLog
@testable import Events

/// faults 29–44: the syntax and the members of one line.
@Suite struct ParserTests {
  private func parse(_ bytes: [UInt8]) throws -> (line: ParsedLine, event: Event?) {
    var parser = LineParser()
    var names = Names()
    return try parser.parse(bytes, names: &names)
  }

  private func parse(_ text: String) throws -> (line: ParsedLine, event: Event?) {
    try parse(Array(text.utf8))
  }

  /// A valid line with one more envelope member.
  private func line(with value: String) -> String {
    #"{"type":"UserFollowed","actor":"a","data":{"follower":"a","followee":"b"},"x":\#(value)}"#
  }

  private func fault(_ bytes: [UInt8]) -> LineFault? {
    do {
      _ = try parse(bytes)
      return nil
    } catch {
      return error as? LineFault
    }
  }

  @Test(
    "Values valid by RFC 8259 are accepted and kept byte for byte",
    arguments: [
      "0", "-0", "1", "-1", "10", "1.5", "-0.5", "0.0", "1e5", "1E5", "1e+5", "1e-5", "0e1", "0e+1",
      "1.5e10", "123456789012345678901234567890", "9007199254740993", "1e308", "-1e-400", "5e-324",
      #""""#, #""a""#, #""\"""#, #""\\""#, #""\/""#, #""\b\f\n\r\t""#, #""\u0000""#, #""\u0041""#,
      #""\uD83D\uDE00""#, #""\ud83d\ude00""#, #""\uFFFF""#, "\"\u{7f}\"", "\"\u{2028}\u{2029}\"",
      "\"\u{fffe}\u{ffff}\"", "\"😀\"", "\"é e\u{301}\"", "\"שלום\"", "\"\u{202e}\"",
      "true", "false", "null", "[]", "[1]", "[1,2]", "[[],[[]]]", "[ 1 , 2 ]", "[\t1\t]", "{}",
      #"{"a":1}"#, #"{"a":1,"b":2}"#, #"{"":0}"#, #"{"a":{"a":{"a":1}}}"#, #"{ "a" : 1 }"#,
      #"[{"a":[{}]},null,true,-1.5e-3,"x"]"#, #"{"A":1,"a":2}"#,
    ])
  func accepted(_ value: String) throws {
    let (parsed, event) = try parse(line(with: value))
    #expect(parsed.extra == Array(#","x":\#(value)"#.utf8))
    #expect(event != nil)
  }

  @Test(
    "Values invalid by RFC 8259 are refused",
    arguments: [
      "", "+1", ".5", "1.", "01", "-01", "00", "-", "1e", "1e+", "1.e1", "0x10", "1_000", "1,5",
      "NaN", "Infinity", "-Infinity", "nan", "1e999", "-1e999", "1e309", "True", "TRUE", "nul",
      "truee", "tru", "None", "undefined", "'a'", "a", #""a"#, #"a""#, #""\x41""#, #""\a""#,
      #""\u12""#, #""\u123g""#, #""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, #""\ud800\ud800""#,
      #""\ud83d""#, #""\ud83dx""#, #""\""#, "\"\t\"", "\"\n\"", "\"\u{0}\"", "\"\u{1f}\"", "[",
      "]", "[1", "[1,", "[1,]", "[,1]", "[1,,2]", "[1 2]", "[1;2]", "[1}", "{", "}", "{]", "{a:1}",
      "{'a':1}", #"{"a"}"#, #"{"a":}"#, #"{"a" 1}"#, #"{"a":1"#, #"{"a":1,}"#, #"{,"a":1}"#,
      #"{"a":1 "b":2}"#, #"{"a":1;"b":2}"#, #"{"a":1,,"b":2}"#, "{1:1}", "{null:1}", "{[]:1}",
      #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"{"x":{"b":1,"b":1}}"#, "/* c */ 1", "// c",
      "1 // c", "# c", "1 1", "\"a\" \"b\"", "[] []", "\u{feff}1", "\u{a0}1", "1\u{2028}", "\\n",
      "[1]x", "\"\\\u{0}\"", "1\u{0}", "[\u{c}1]", "[\u{b}1]",
    ])
  func refused(_ value: String) {
    #expect(fault(Array(line(with: value).utf8)) != nil)
  }

  @Test(
    "faults 32: bytes that are not UTF-8 are refused with their offset, at any place",
    arguments: [
      [0xff], [0xfe], [0x80], [0xbf], [0xc0, 0x80], [0xc1, 0xbf], [0xc2], [0xc2, 0x41],
      [0xe0, 0x80, 0x80],
      [0xe0, 0x9f, 0xbf], [0xe1, 0x80], [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf],
      [0xf0, 0x80, 0x80, 0x80],
      [0xf0, 0x8f, 0xbf, 0xbf], [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80],
      [0xf8, 0x88, 0x80, 0x80, 0x80],
    ] as [[UInt8]])
  func invalidUTF8(_ bad: [UInt8]) {
    let head = Array(
      #"{"type":"UserFollowed","actor":"a","data":{"follower":"a","followee":"b"},"x":""#.utf8)
    let fault = fault(head + bad + Array(#""}"#.utf8))
    #expect(fault?.kind == .notUTF8)
    #expect(fault?.offset == head.count)
  }

  @Test("faults 29–31, 40, 41: blank lines, byte order marks, other encodings and non-objects fail")
  func wholeLines() {
    #expect(fault([])?.kind == .blankLine)
    #expect(fault(Array("  \t".utf8))?.kind == .blankLine)
    #expect(fault([0xef, 0xbb, 0xbf] + Array("{}".utf8))?.kind == .byteOrderMark)
    #expect(fault([0xff, 0xfe, 0x7b, 0x00])?.kind == .utf16)
    #expect(fault([0x7b, 0x00, 0x7d, 0x00])?.kind == .utf16)
    #expect(fault([0x00, 0x7b, 0x00, 0x7d])?.kind == .utf16)
    for text in ["[]", "1", "\"x\"", "null", "true"] {
      #expect(fault(Array(text.utf8))?.kind == .notAnObject)
    }
    #expect(fault(Array((line(with: "1") + "{}").utf8))?.kind == .trailingBytes)
  }

  @Test("faults 38: 500 levels are read, 100,000 are refused without a stack overflow")
  func depth() throws {
    let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
    _ = try parse(line(with: deep))
    let open = fault(Array(line(with: String(repeating: "[", count: 100_000)).utf8))
    #expect(open?.kind == .tooDeep(limit: 512))
    let objects = String(repeating: #"{"a":"#, count: 100_000)
    #expect(fault(Array(line(with: objects).utf8))?.kind == .tooDeep(limit: 512))
  }

  @Test("faults 39: a line over 16 MiB is refused")
  func tooLong() {
    let value = "\"" + String(repeating: "x", count: LineParser.longestLine) + "\""
    #expect(fault(Array(line(with: value).utf8))?.kind == .tooLong(limit: 16 << 20))
  }

  @Test(
    "faults 33, 44: surrogate pairs, U+0000, non-characters and long texts are read back exactly")
  func texts() throws {
    let texts = [
      "\u{0}", "\u{ffff}", "😀", "👨‍👩‍👧‍👦🇯🇵", "\u{2028}", "e\u{301}", "é", "שלום \u{202e}x",
      "\"\\/\u{8}\u{c}\n\r\t",
      String(repeating: "ü🦆", count: 170_000),
    ]
    for text in texts {
      var names = Names()
      let comment = CommentPosted(
        comment: try names.comment("c"), workout: try names.workout("w"),
        user: try names.user("u"), text: text)
      let new = NewEvent(.comment(.posted(comment)), actor: "u", names: names)
      let line = #"{"type":"CommentPosted","actor":"u","data":"#.utf8 + new.data + Array("}".utf8)
      guard case .comment(.posted(let read))? = try parse(Array(line)).event else {
        Issue.record("no comment")
        continue
      }
      #expect(read.text.utf8.elementsEqual(text.utf8))
      #expect(read.text.unicodeScalars.elementsEqual(text.unicodeScalars))
    }
  }

  @Test("faults 35: composed and decomposed names differ")
  func normalization() throws {
    _ = try parse(line(with: "{\"\u{e9}\":1,\"e\u{301}\":2}"))
  }

  @Test("faults 37: integers are exact, and an integer beyond 64 bits has its own error")
  func integers() throws {
    func photo(_ bytes: String) -> [UInt8] {
      Array(
        (#"{"type":"ProfilePhotoSet","actor":"a","data":{"user":"a","url":"u","path":"p","bytes":"#
          + bytes + #","contentType":"image/png"}}"#).utf8)
    }
    for value in [Int64.max, .min, 9_007_199_254_740_993, 0, -1] {
      guard case .profile(.photoSet(let read))? = try parse(photo("\(value)")).event else {
        Issue.record("no photo")
        continue
      }
      #expect(read.bytes == value)
    }
    for text in ["9223372036854775808", "-9223372036854775809"] {
      #expect(fault(photo(text))?.path == "data.bytes")
    }
    #expect(fault(photo(String(repeating: "9", count: 400)))?.offset == 86)
    for text in ["1.0", "1e2", "\"1\"", "null", "true", "[1]"] {
      #expect(fault(photo(text)) != nil, "\(text)")
    }
  }

  @Test(
    "faults 43: the error names a missing, wrong or unknown member",
    arguments: [
      (#"{"actor":"a","data":{}}"#, "type"), (#"{"type":"UserFollowed","data":{}}"#, "actor"),
      (#"{"type":"UserFollowed","actor":"a"}"#, "data"),
      (#"{"type":"UserFollowed","actor":"a","data":[]}"#, "data"),
      (#"{"type":"UserFollowed","actor":"a","data":{}}"#, "data.follower"),
      (
        #"{"type":"UserFollowed","actor":"a","data":{"follower":1,"followee":"b"}}"#,
        "data.follower"
      ),
      (#"{"type":"UserFollowed","actor":"","data":{"follower":"a","followee":"b"}}"#, "actor"),
      (
        #"{"type":"UserFollowed","actor":"a","data":{"follower":"..","followee":"b"}}"#,
        "data.follower"
      ),
      (
        #"{"type":"UserFollowed","actor":"a","data":{"follower":"a","followee":"b","x":1}}"#,
        "data.x"
      ),
      (#"{"type":"UserFollowed","actor":"a","time":"2026-02-30T00:00:00.000Z","data":{}}"#, "time"),
      (#"{"type":"UserFollowed","actor":"a","time":"2026-02-03T00:00:00Z","data":{}}"#, "time"),
      (#"{"type":"UserFollowed","actor":"a","id":"x","data":{}}"#, "id"),
      (#"{"type":"UserFollowed","actor":"a","batch":"3/2","data":{}}"#, "batch"),
      (#"{"type":"UserFollowed","actor":"a","batch":"1/1","data":{}}"#, "batch"),
      (#"{"type":"UserFollowed","actor":"a","seq":0,"data":{}}"#, "seq"),
      (#"{"type":"UserFollowed","actor":"a","stream":"x","data":{}}"#, "stream"),
      (
        #"{"type":"WorkoutDetailAttached","actor":"a","data":{"workout":"w","#
          + #""intervals":[{"orderIndex":0}],"wasManuallyEdited":true}}"#,
        "data.intervals[0].time"
      ),
      (
        #"{"type":"SportSet","actor":"a","data":{"user":"a","sport":"ski","level":"god","#
          + #""isMentor":true}}"#,
        "data.level"
      ),
      (
        #"{"type":"ProfileEdited","actor":"a","data":{"user":"a","climbingSince":"2025-02-29"}}"#,
        "data.climbingSince"
      ),
      (
        #"{"type":"ProfileEdited","actor":"a","data":{"user":"a","isPublic":null}}"#,
        "data.isPublic"
      ),
    ])
  func members(_ text: String, path: String) {
    #expect(fault(Array(text.utf8))?.path == path)
  }

  @Test("faults 42: an unknown type or version is kept in canonical form with the same values")
  func unknown() throws {
    let (line, event) = try parse(
      #"{ "type":"Quake", "actor":"a", "v":7, "data": { "b" : [ 1.50, "A" ], "a":{ } } }"#)
    #expect(event == nil)
    #expect(String(decoding: line.data, as: UTF8.self) == #"{"b":[1.50,"A"],"a":{}}"#)
    for version in [-1, 2, 99] {
      let text = #"{"type":"ChupGiven","v":\#(version),"actor":"a","data":{"z":1}}"#
      #expect(try parse(text).event == nil)
    }
  }

  @Test("faults 30: lines may end in CR LF, but a lone CR is refused")
  func carriageReturns() throws {
    let folder = ScratchFolder()
    func lines(_ text: String) throws -> [String] {
      folder.write(Array(text.utf8), to: "x.jsonl")
      var lines = try ForeignLines(path: folder.path + "/x.jsonl")
      var result: [String] = []
      while let line = try lines.next() { result.append(String(decoding: line, as: UTF8.self)) }
      return result
    }
    #expect(try lines("a\r\nb\nc\r\n") == ["a", "b", "c"])
    #expect(try lines("a\r\nb") == ["a", "b"])
    #expect(try lines("") == [])
    #expect(try lines("\n") == [""])
    for text in ["a\rb\n", "\r\r\n", "a\r"] where text != "a\r" {
      #expect(throws: LogError.self) { try lines(text) }
    }
  }
}
