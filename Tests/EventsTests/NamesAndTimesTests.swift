import Testing

@testable import Events

@Suite struct NamesAndTimesTests {
  @Test("Names are numbered densely in order of appearance, and a lookup adds no name")
  func names() throws {
    var names = Names()
    var random = SplitMix64(seed: 5)
    var known: [String: UInt32] = [:]
    for _ in 0..<50_000 {
      let length = Int.random(in: 1...12, using: &random)
      let name = String((0..<length).map { _ in "abcXYZ019._-~!#".randomElement(using: &random)! })
      guard isValidID(name.utf8) else { continue }
      let expected = known[name] ?? UInt32(known.count)
      #expect(names.find(user: name).map(\.index) == known[name])
      let user = try names.user(name)
      if user.index != expected { Issue.record("\(name) is \(user.index), not \(expected)") }
      known[name] = expected
    }
    #expect(names.userCount == known.count)
    for (name, index) in known { #expect(names[UserID(index: index)] == name) }
    #expect(names.workoutCount == 0)
  }

  @Test("After removeAll no old name is found, and the next name gets number 0")
  func removeAll() throws {
    var names = Names()
    for round in 0..<3 {
      for number in 0..<300 {
        #expect(try names.user("a-user-of-round-\(round)-\(number)").index == number)
        #expect(try names.workout("w\(round)-\(number)").index == number)
      }
      #expect(names[UserID(index: 299)] == "a-user-of-round-\(round)-299")
      names.removeAll()
      #expect(names.idCount == 0 && names.find(workout: "w\(round)-7") == nil)
    }
  }

  @Test("An id is 1 to 128 printable ASCII bytes without space, quote, backslash and slash")
  func ids() {
    for text in ["a", "A.b-c_d~!@#$%^&*()", "...", ".a", String(repeating: "x", count: 128)] {
      #expect(isValidID(text.utf8), "\(text)")
    }
    for text in [
      "", ".", "..", "a b", "a/b", "a\\b", "a\"b", "é", "a\n", "\u{7f}",
      String(repeating: "x", count: 129),
    ] {
      #expect(!isValidID(text.utf8), "\(text)")
    }
  }

  @Test("A friendship's stream names the pair in byte order, in either order of the arguments")
  func streams() throws {
    var names = Names()
    let (zoe, ann, Bob) = (try names.user("zoe"), try names.user("ann"), try names.user("Bob"))
    #expect(names.name(of: .friendship(zoe, ann)) == "friendship/ann/zoe")
    #expect(names.name(of: .friendship(ann, zoe)) == "friendship/ann/zoe")
    #expect(names.name(of: .friendship(ann, Bob)) == "friendship/Bob/ann")
    #expect(StreamID.friendship(zoe, ann) == .friendship(ann, zoe))
    #expect(names.name(of: .follow(zoe, ann)) == "follow/zoe/ann")
    let comment = try names.comment("c")
    #expect(names.name(of: .heart(comment, ann)) == "heart/c/ann")
  }

  @Test(
    "Times are read and written exactly, to the millisecond",
    arguments: [
      ("1970-01-01T00:00:00.000Z", 0), ("2026-01-19T09:00:00.001Z", 1_768_813_200_001),
      ("2000-02-29T23:59:59.999Z", 951_868_799_999),
      ("0000-01-01T00:00:00.000Z", -62_167_219_200_000),
      ("9999-12-31T23:59:59.999Z", 253_402_300_799_999), ("1969-12-31T23:59:59.999Z", -1),
    ] as [(String, Int64)])
  func times(_ text: String, _ milliseconds: Int64) {
    #expect(Timestamp(text)?.milliseconds == milliseconds)
    #expect(Timestamp(milliseconds: milliseconds).description == text)
  }

  @Test(
    "A text that is not a time is refused",
    arguments: [
      "", "2026-01-19", "2026-01-19T09:00:00Z", "2026-01-19T09:00:00.00Z",
      "2026-01-19 09:00:00.000Z",
      "2026-02-29T00:00:00.000Z", "2026-13-01T00:00:00.000Z", "2026-00-01T00:00:00.000Z",
      "2026-01-32T00:00:00.000Z", "2026-01-01T24:00:00.000Z", "2026-01-01T00:60:00.000Z",
      "2026-01-01T00:00:60.000Z", "2026-01-01T00:00:00.000z", "2026-01-01T00:00:00.000+00:00",
      "1900-02-29T00:00:00.000Z", "+026-01-01T00:00:00.000Z",
    ])
  func noTimes(_ text: String) { #expect(Timestamp(text) == nil) }

  @Test("Every day of eight centuries is written and read back")
  func days() {
    var day = Day(sinceEpoch: -146_097)
    while day.sinceEpoch < 146_097 {
      let time = Timestamp(milliseconds: day.sinceEpoch * 86_400_000)
      if Timestamp(time.description) != time { Issue.record("\(time)") }
      day.sinceEpoch += 1
    }
  }

  @Test(
    "RFC 3339 times with offsets, fractions and leap seconds are read, and kept as written",
    arguments: [
      ("2026-01-01T10:00:00+01:00", "2026-01-01T09:00:00.000Z"),
      ("2026-01-01T00:00:00-00:30", "2026-01-01T00:30:00.000Z"),
      ("2026-01-01t10:00:00z", "2026-01-01T10:00:00.000Z"),
      ("2026-01-01T10:00:00.12345678Z", "2026-01-01T10:00:00.123Z"),
      ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999Z"),
      ("2016-12-31T15:59:60.25-08:00", "2016-12-31T23:59:59.999Z"),
    ])
  func dateTimes(_ text: String, _ instant: String) {
    #expect(DateTime(text)?.instant == Timestamp(instant))
    #expect(DateTime(text)?.text == text)
  }

  @Test(
    "A text that is not an RFC 3339 time is refused",
    arguments: [
      "", "2026-01-01", "2026-01-01T10:00Z", "2026-01-01T10:00:00", "2026-01-01T10:00:00.Z",
      "2026-01-01T10:00:00+1:00", "2026-01-01T10:00:00+24:00", "2026-01-01T10:00:00Zx",
      "2026-02-30T10:00:00Z", "2026-01-01T10:00:00+0100",
    ])
  func noDateTimes(_ text: String) { #expect(DateTime(text) == nil) }

  @Test("Event ids are UUIDs of version 7 that sort by time")
  func eventIDs() throws {
    let early = EventID(time: Timestamp(milliseconds: 1_000), random: (.max, .max))
    let late = EventID(time: Timestamp(milliseconds: 1_001), random: (0, 0))
    #expect("\(early)" < "\(late)")
    let text = Array("\(late)")
    #expect(text[14] == "7" && "89ab".contains(text[19]) && text.count == 36)
    #expect(EventID("\(early)") == early)
    #expect(EventID("\(early)".uppercased()) == early)
    for text in [
      "", "x", "0193b3c0000070008000000000000001", "0193b3c0-0000-7000-8000-00000000000g",
    ] {
      #expect(EventID(text) == nil)
    }
  }
}
