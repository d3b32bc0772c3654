import FaultTesting
import PropertyTesting
import Testing

@testable import EventLog
@testable import Events

/// Reading returns the written event, and each event has exactly one encoding.
@Suite struct CodecPropertiesTests {
  @Test("The types whose data is copied have only ids, texts and booleans as fields")
  func oneSpelling() {
    for type in EventType.allCases where LineParser.typesWithOneSpelling.contains(type) {
      for member in Schema(type).members {
        #expect(
          ["string", "boolean", "user id", "workout id", "comment id", "message id"]
            .contains(member.type), "\(type) \(member.name)")
      }
    }
  }

  @Test("An id and a checksum are written with all their digits")
  func hexadecimal() async throws {
    try await check(runs: Sweep.size(500, 1_500, 50_000)) { t in
      let (high, low) = (t.draw(.int(0...Int.max), "high"), t.draw(.int(0...Int.max), "low"))
      let id = EventID(high: UInt64(high) << 1, low: ~UInt64(low))
      let digits = [id.high, id.low].map { $0.padded(to: 16, radix: 16) }.joined()
      #expect("\(id)".filter { $0 != "-" } == digits)
      #expect(EventID("\(id)") == id)
      var out = ByteBuffer()
      out.appendHex(id.high)
      #expect(out.text == id.high.padded(to: 16, radix: 16))
    }
  }

  /// Events of every type, with arbitrary texts.
  private static let histories = Generator.hostileHistory(max: 12)

  @Test("Decoding an encoded event returns the event, and encoding it again gives the same bytes")
  func identity() async throws {
    let types = EventType.allCases.map { ($0.name, 0.02) }
    try await check(
      runs: Sweep.size(400, 1_200, 40_000), covering: Dictionary(uniqueKeysWithValues: types)
    ) { t in
      let history = t.draw(Self.histories, "history")
      for event in history.newEvents {
        t.label(event.type)
        // Canonical JSON: the general encoder parses and writes the same bytes.
        #expect(try JSONValue(object: event.data).text.utf8.elementsEqual(event.data))
        var names = Names()
        for takesShortcut in [true, false] {
          var parser = LineParser(takesShortcut: takesShortcut)
          let line = Array(
            #"{"type":"\#(event.type)","v":\#(event.version),"actor":"\#(event.actor)","data":"#
              .utf8)
          let parsed = try parser.parse(line + event.data + [0x7d], names: &names)
          let read = try #require(parsed.event)
          #expect(read.data(names) == event.data)
          #expect(read.streamName(names) == event.stream)
        }
      }
    }
  }

  @Test("Escaped non-ASCII letters, as surrogate pairs if needed, decode to the same text")
  func escapes() async throws {
    try await check(runs: Sweep.size(200, 600, 20_000), covering: ["a pair": 0.2]) { t in
      let texts = Generator<String>.text(1...6)
      for event in t.draw(.hostileHistory(max: 12, texts: texts), "history").newEvents {
        var escaped = ""
        for scalar in String(decoding: event.data, as: UTF8.self).unicodeScalars {
          guard scalar.value >= 0x80 else {
            escaped.unicodeScalars.append(scalar)
            continue
          }
          t.label("a pair", if: scalar.value > 0xffff)
          for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16, uppercase: t.draw(.bool))
            escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
          }
        }
        let line =
          #"{"type":"\#(event.type)","v":\#(event.version),"actor":"a","data":\#(escaped)}"#
        for takesShortcut in [true, false] {
          var (parser, names) = (LineParser(takesShortcut: takesShortcut), Names())
          let read = try #require(try parser.parse(Array(line.utf8), names: &names).event)
          #expect(read.data(names) == event.data, "\(line)")
        }
      }
    }
  }

  /// The result of parsing a line with or without the fast reader, as text.
  private func read(_ line: [UInt8], takesShortcut: Bool) -> String {
    var (parser, names) = (LineParser(takesShortcut: takesShortcut), Names())
    do throws(LineFault) {
      let (parsed, event) = try parser.parse(line, names: &names)
      return "\(parsed) \(event?.type.name ?? "") \(event?.data(names) ?? [])"
    } catch {
      return "\(error)"
    }
  }

  @Test("The fast reader and the strict parser agree on any line, valid or not")
  func differential() async throws {
    let pieces = [
      "\"", "\\", "\\u0041", "\\ud800", ",", ":", "{", "}", "[", "]", "1", "-0", "1e5", " ", "\t",
      "null", "true", "\"type\":", "\"x\":1,", "é", "\u{0}", "\u{1f600}", "\"rev\":1,",
      "\"batch\":\"1/2\",", "\"correlation\":\"c 1\",", "\"sum\"",
    ]
    try await check(
      runs: Sweep.size(700, 4_500, 150_000), covering: ["read": 0.2, "refused": 0.3]
    ) { t in
      let log = try await t.draw(Self.histories, "history").log()
      let events = await log.read(after: 0, limit: .max)
      try t.assume(!events.isEmpty)
      var event = t.draw(.element(of: events))
      if t.draw(.bool, "with a correlation id") { event.correlation = CorrelationID("c-1") }
      var line = event.line(after: 0)
      if line.last == 0x0a { line.removeLast() }
      t.times(0...3) {
        let start = t.draw(.int(0...line.count), "at")
        let end = min(line.count, start + t.draw(.int(0...4), "without"))
        line.replaceSubrange(start..<end, with: t.draw(.element(of: pieces), "with").utf8)
      }
      t.note(String(decoding: line, as: UTF8.self))
      let fast = read(line, takesShortcut: true)
      #expect(fast == read(line, takesShortcut: false))
      t.label(fast.hasPrefix("ParsedLine") ? "read" : "refused")
    }
  }

  @Test("Importing an exported log gives the same log, byte for byte")
  func importing() async throws {
    try await check(runs: Sweep.size(60, 180, 6_000), covering: ["a batch": 0.3]) { t in
      let history = t.draw(.history(max: 30), "history")
      let disk = SimulatedDisk()
      do {
        let log = try FileLog(path: "/log", creating: true, files: disk.files)
        // Some events are appended together, as one commit.
        var rest = history.newEvents[...]
        while !rest.isEmpty {
          let count = t.draw(.int(1...3), "commit of")
          t.label("a batch", if: min(count, rest.count) > 1)
          try await log.append(Commit(Array(rest.prefix(count))))
          rest = rest.dropFirst(count)
        }
      }
      let exported = disk["/log/0000000000000001.jsonl"] ?? []
      disk["/exported.jsonl"] = exported
      do {
        let copy = try FileLog(path: "/copy", creating: true, files: disk.files)
        var job = Import(try ForeignLines(path: "/exported.jsonl", files: disk.files))
        try await job.run(into: copy)
        // A second import adds nothing.
        var again = Import(try ForeignLines(path: "/exported.jsonl", files: disk.files))
        try await again.run(into: copy)
        #expect(await copy.head() == UInt64(history.count))
      }
      #expect(disk["/copy/0000000000000001.jsonl"] ?? [] == exported)
      _ = try LogView(path: "/copy", files: disk.files).verify()
    }
  }
}

/// Values that the fast reader reads eight bytes at a time, or without the standard library.
@Suite struct FastValuesTests {
  private func double(_ text: String) -> Double? {
    var names = Names()
    let bytes = Array((text + "}").utf8)
    return bytes.withUnsafeBufferPointer { bytes in
      withUnsafeMutablePointer(to: &names) { names in
        var reader = FastReader(bytes.baseAddress!, bytes.baseAddress! + bytes.count, names)
        return reader.double()
      }
    }
  }

  @Test("A number of up to 15 digits is read as the nearest double")
  func doubles() async throws {
    for (text, value) in [("0", 0.0), ("-0", 0), ("1.5", 1.5), ("-0.001", -0.001), ("10", 10)] {
      #expect(double(text)?.bitPattern == value.bitPattern, "\(text)")
    }
    for text in [
      "", "-", "01", "1.", ".5", "1e5", "+1", "1.5x", "1234567890123456", "--1", "1.2.3",
    ] {
      #expect(double(text) == nil, "\(text)")
    }
    try await check(runs: Sweep.size(2_000, 6_000, 200_000)) { t in
      let digits = t.draw(.int(0...999_999_999_999_999), "digits")
      var text = String(digits)
      let point = t.draw(.int(0...text.count), "point")
      if point > 0, point < text.count {
        text.insert(".", at: text.index(text.startIndex, offsetBy: point))
      }
      if t.draw(.bool, "negative") { text = "-" + text }
      let expected = Double(text).map { $0 == 0 ? 0 : $0 }
      #expect(double(text)?.bitPattern == expected?.bitPattern, "\(text)")
    }
  }

  @Test("An id is read in upper or lower case; any other byte for a digit or hyphen is refused")
  func ids() throws {
    let text = "01928f6e-1234-7abc-8def-0123456789ab"
    let id = try #require(EventID(text))
    #expect("\(id)" == text && EventID(text.uppercased()) == id)
    for place in 0..<36 {
      for byte in UInt8.min...UInt8.max {
        var changed = Array(text.utf8)
        changed[place] = byte
        let isHyphen = [8, 13, 18, 23].contains(place)
        let isRight = isHyphen ? byte == UInt8(ascii: "-") : hexDigit(byte) != nil
        let read = changed.withUnsafeBufferPointer { EventID($0) }
        #expect((read != nil) == isRight, "\(place), \(byte)")
        let expected = String(decoding: changed, as: UTF8.self).lowercased()
        if let read { #expect("\(read)" == expected) }
      }
    }
  }
}
