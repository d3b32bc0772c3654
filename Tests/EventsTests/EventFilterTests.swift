import Testing

@testable import EventLog
@testable import Events

@Suite struct EventFilterTests {
  private func seqs(
    _ view: LogView, _ set: (inout EventFilter) -> Void
  ) throws -> [UInt64] {
    var filter = EventFilter()
    set(&filter)
    var (lines, events): ([UInt64], [UInt64]) = ([], [])
    try view.forEachLine { line in
      if filter.passes(line) { lines.append(line.event.seq) }
      if filter.passes(line.event) { events.append(line.event.seq) }
      return true
    }
    #expect(lines == events)
    return lines
  }

  private func story() async throws -> LogView {
    let log = InMemoryLog()
    let lines = [
      #"{"type":"ProfileCreated","actor":"ann","#
        + #""data":{"user":"ann","handle":"Ann","isPublic":true}}"#,
      #"{"type":"ProfileCreated","actor":"bob","#
        + #""data":{"user":"bob","handle":"bob","isPublic":true}}"#,
      #"{"type":"UserFollowed","actor":"ann","data":{"follower":"ann","followee":"bob"}}"#,
      #"{"type":"UserFollowed","actor":"bob","data":{"follower":"bob","followee":"ann"}}"#,
      #"{"type":"UserUnfollowed","actor":"ann","data":{"follower":"ann","followee":"bob"}}"#,
      #"{"type":"climbr.RouteSet","stream":"route/karma","actor":"ann","#
        + #""data":{"name":"Karma","owner":"bob"}}"#,
    ]
    for line in lines { try await log.append(Commit([try NewEvent(line: Array(line.utf8))])) }
    return log.view()
  }

  @Test("Each condition selects the matching events, and several conditions must all hold")
  func conditions() async throws {
    let view = try await story()
    #expect(try seqs(view) { _ in } == [1, 2, 3, 4, 5, 6])
    #expect(try seqs(view) { $0.types = ["UserFollowed", "climbr.RouteSet"] } == [3, 4, 6])
    #expect(try seqs(view) { $0.actor = "bob" } == [2, 4])
    #expect(try seqs(view) { $0.user = "bob" } == [2, 3, 4, 5, 6])
    #expect(try seqs(view) { $0.user = "bo" } == [])
    #expect(try seqs(view) { $0.stream = "follow/" } == [3, 4, 5])
    #expect(try seqs(view) { $0.stream = "follow/ann/bob" } == [3, 5])
    #expect(try seqs(view) { $0.stream = "follow" } == [])
    #expect(try seqs(view) { $0.text = "kARMa" } == [6])
    #expect(try seqs(view) { $0.text = "\"handle\":\"a" } == [1])
    #expect(
      try seqs(view) {
        $0.actor = "ann"
        $0.user = "bob"
        $0.types = ["UserFollowed"]
      } == [3])
  }

  @Test("Both time bounds are inclusive, and a condition set back to nil selects all events again")
  func bounds() async throws {
    let view = try await story()
    let second = try #require(try view.line(at: 2)).event.time
    let fourth = try #require(try view.line(at: 4)).event.time
    let within = try seqs(view) { ($0.since, $0.until) = (second, fourth) }
    #expect(within.starts(with: within.contains(1) ? [1, 2, 3, 4] : [2, 3, 4]))
    #expect(try seqs(view) { $0.until = .epoch } == [])
    #expect(try seqs(view) { $0.since = .latest } == [])
    #expect(
      try seqs(view) {
        ($0.text, $0.user) = ("karma", "nobody")
        ($0.text, $0.user) = (nil, nil)
      }.count == 6)
  }

  /// A type that sets up a filter in its initializer.
  private struct Search {
    var filter: EventFilter
    init(user: String) {
      filter = EventFilter()
      filter.user = user
    }
  }

  @Test("Conditions set in an initializer are applied")
  func initialized() async throws {
    let event = try #require(try await story().line(at: 2)).event
    #expect(Search(user: "bob").filter.passes(event))
    #expect(
      EventFilter(user: "ann", text: "KARMA").passes(try #require(try await story().line(at: 6))))
    #expect(!EventFilter(user: "ann", text: "KARMA").passes(event))
  }

  @Test("A CloudEvent has the event's place in the log as extensions, and its data unchanged")
  func cloudEvent() async throws {
    let event = try #require(try await story().line(at: 4)).event
    let text = String(decoding: event.cloudEvent(source: "/a\"b"), as: UTF8.self)
    #expect(
      text == #"{"specversion":"1.0","id":"\#(event.id)","source":"/a\"b","#
        + #""type":"UserFollowed","time":"\#(event.time)","subject":"follow/bob/ann","#
        + #""datacontenttype":"application/json","sequence":"4","sequencetype":"Integer","#
        + #""schemaversion":1,"revision":1,"actor":"bob","#
        + #""data":{"follower":"bob","followee":"ann"}}"#)
  }
}

extension EventFilter {
  fileprivate init(user: String, text: String) {
    self.init()
    self.user = user
    self.text = text
  }
}
