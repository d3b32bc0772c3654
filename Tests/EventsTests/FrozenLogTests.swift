import EventLog
import Events
import Foundation
import Testing

/// Logs written once that every later version must read.
@Suite struct FrozenLogTests {
  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "eventlogs").path

  private func view(_ name: String) throws -> LogView {
    try LogView(path: Self.folder + "/" + name)
  }

  @Test(
    "The shipped logs verify and have no torn tail",
    arguments: ["demo", "climb", "erg", "ride", "format-1"])
  func whole(_ name: String) throws {
    let view = try view(name)
    #expect(view.tail == .none)
    #expect(try view.verify().head.seq == view.head().seq)
  }

  @Test("The log of format 1 still has the sum it had when it was frozen")
  func sum() throws {
    let head = try view("format-1").head()
    #expect(head.seq == 9)
    #expect(head.sum == 0x89ee_1072_7790_e8c6)
  }

  @Test("Every line of the shipped logs is encoded again byte for byte")
  func canonical() throws {
    for name in ["demo", "climb", "erg", "ride", "format-1"] {
      var lines = 0
      try view(name).forEachLine { line in
        #expect(line.event.line(after: line.previousSum) == line.bytes, "\(name) \(line.event.seq)")
        lines += 1
        return true
      }
      #expect(lines > 0)
    }
  }

  @Test(
    "A ChupGiven of version 0, which had no big, is upcast on reading and stays unchanged on disk")
  func upcast() throws {
    let line = try #require(try view("format-1").line(at: 6))
    #expect(line.event.version == 0)
    #expect(String(decoding: line.event.data, as: UTF8.self) == #"{"workout":"w1","user":"bob"}"#)
    var names = Names()
    var parser = LineParser()
    let event = try parser.parse(line.bytes, names: &names).event
    let chup = ChupGiven(
      workout: try names.workout("w1"), user: try names.user("bob"), big: false)
    #expect(event == .chup(.given(chup)))
    var chups: [Event] = []
    try view("format-1").forEachTypedEvent(&names, unknown: .skip) { event, _, _ in
      if case .chup(.given) = event { chups.append(copy event) }
    }
    #expect(chups == [.chup(.given(chup))])
  }

  @Test("The demo log has every type of event")
  func coverage() throws {
    let types = try view("demo").statistics().types.keys.map(\.name)
    #expect(Set(types) == Set(EventType.allCases.map(\.name)))
  }

  @Test(
    "No workout in the shipped logs is shared before it ends",
    arguments: [
      "demo", "climb", "erg", "ride", "mysteries/drifting-count", "mysteries/lost-friendship",
      "mysteries/stolen-handle", "mysteries/refused-message",
    ])
  func isOver(_ name: String) throws {
    var names = Names()
    _ = try view(name).forEachTypedEvent(&names) { event, _, moment in
      guard case .workout(.shared(let workout)) = event else { return }
      let seconds = (workout.totalTime ?? "0").split(separator: ":")
        .reduce(0.0) { $0 * 60 + (Double($1) ?? .infinity) }
      let end = Double(workout.date.instant.milliseconds) + seconds * 1_000
      #expect(end < Double(moment.time.milliseconds), "\(name) \(moment.seq)")
    }
  }

  @Test("Members and types that this code does not know are kept unchanged")
  func unknown() throws {
    let line = try #require(try view("format-1").line(at: 8))
    #expect(line.event.type == "BadgeWon")
    #expect(
      String(decoding: line.event.extra, as: UTF8.self) == #","trace":"00-ab","region":"eu""#)
  }
}
