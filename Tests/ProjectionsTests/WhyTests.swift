import EventLog
import Events
import FaultTesting
import Testing

@testable import Projections
@testable import Replaying

/// All projections, fed with all events but one.
struct WholeState {
  var rows = FollowerRanking()
  var following = FollowLists()
  var profiles = Profiles()
  var relationships = Relationships()
  var blocks = Blocks()
  var search = Search()
  var workouts = Workouts()
  var chups = Chups()
  var reactions = Reactions()
  var comments = Comments()
  var leaderboard = Leaderboard()
  var notifications = Notifications()
  var groups = Groups()
  var conversations = Conversations()
  var reports = Reports()
  var names = Names()

  init(_ view: LogView, without seq: UInt64? = nil, until: UInt64 = .max) throws {
    var names = Names()
    try view.forEachTypedEvent(until: until, &names) { event, _, moment in
      if moment.seq != seq { apply(event, moment) }
    }
    self.names = names
    rows.settle()
  }

  private mutating func apply(_ event: borrowing Event, _ moment: Moment) {
    rows.apply(event, at: moment)
    following.apply(event, at: moment)
    profiles.apply(event, at: moment)
    relationships.apply(event, at: moment)
    blocks.apply(event, at: moment)
    search.apply(event, at: moment)
    workouts.apply(event, at: moment)
    chups.apply(event, at: moment)
    reactions.apply(event, at: moment)
    comments.apply(event, at: moment)
    leaderboard.apply(event, at: moment)
    notifications.apply(event, at: moment)
    groups.apply(event, at: moment)
    conversations.apply(event, at: moment)
    reports.apply(event, at: moment)
  }

  var facts: [String: JSONValue] {
    let projections: [any ExplainedProjection] = [
      rows, following, profiles, relationships, blocks, search, workouts, chups, reactions,
      comments, leaderboard, notifications, groups, conversations, reports,
    ]
    let all = projections.flatMap { $0.facts(names) }.map { ($0.path, $0.value) }
    return Dictionary(all) { first, _ in first }
  }
}

@Suite struct WhyTests {
  @Test(
    "Without an event that is not a reason, or that changed nothing, the value stays the same",
    arguments: [
      (1, Sweep.size(60, 90, 90), false), (2, 90, false), (2, Sweep.size(90, 140, 140), true),
    ]
      + (4..<UInt64(Sweep.size(8, 24, 304))).map { ($0, 10 + 10 * Int($0 % 5), false) })
  func bruteForce(seed: UInt64, count: Int, isPlausible: Bool) async throws {
    let view = try await TimeTravelTests.view(count, seed: seed, isPlausible: isPlausible)
    try await leaveOutEach(of: count, view)
  }

  private func leaveOutEach(of count: Int, _ view: LogView) async throws {
    let travel = TimeTravel(view)
    let present = try WholeState(view).facts
    let others = try (1...UInt64(count)).map { try WholeState(view, without: $0).facts }
    var ever: Set<String> = Set(present.keys)
    for facts in others { ever.formUnion(facts.keys) }
    for text in ever.sorted() {
      let path = try StatePath(text)
      let why = try await travel.why(path)
      #expect(why.value == present[text], "\(text)")
      let roles = Dictionary(uniqueKeysWithValues: why.reasons.map { ($0.event.seq, $0.role) })
      for seq in 1...UInt64(count) {
        let isOther = others[Int(seq) - 1][text] != present[text]
        let role = roles[seq]
        #expect(!isOther || role != nil && role != .nothing, "\(text) without \(seq)")
      }
      // A count has as many counting reasons as its value; any other value has one.
      if case .number(let number)? = why.value, path.members.last == "count" {
        #expect(why.reasons.count { $0.role == .counts } == Int(number), "\(text)")
      } else if path.type != .list {
        let counting = why.reasons.filter { $0.role == .counts }
        #expect(counting.count == (why.value == nil ? 0 : 1), "\(text)")
      }
    }
  }

  @Test(
    "A deletion that changed nothing itself is a reason for the effect of later events",
    arguments: [
      (path: "workout/run.intervals", deletion: 2, lines: [share(), delete("ann"), detail]),
      ("comment/hello.hearts", 2, [post("ann"), delete("ann"), heart]),
      ("comment/hello.hearts", 3, [share(), post("bob"), delete("ann"), heart]),
      (
        "handle/top", 3,
        [create("ann", "top"), create("bob", "top"), delete("bob"), rename("ann", "down")]
      ),
      ("workout/run.totalDistance", 1, [delete("ann"), share(), share("bob"), delete("ann")]),
    ])
  func deletions(path: String, deletion: UInt64, lines: [String]) async throws {
    let log = InMemoryLog()
    for line in lines { try await log.append(Commit([try NewEvent(line: Array(line.utf8))])) }
    let why = try await TimeTravel(log.view()).why(try StatePath(path))
    #expect(why.reasons.first { $0.event.seq == deletion }?.role == .condition)
    try await leaveOutEach(of: lines.count, log.view())
  }

  @Test("An event's cause is named by its position, if it also affects the value")
  func causes() async throws {
    let log = InMemoryLog()
    let profile = #""data":{"user":"ann","handle":"ann","isPublic":true}}"#
    let request = EventID(time: .epoch, random: (7, 7))
    let elsewhere = EventID(time: .epoch, random: (8, 8))
    let pair = #""data":{"sender":"ann","receiver":"bob"}}"#
    for line in [
      #"{"type":"ProfileCreated","actor":"ann",\#(profile)"#,
      #"{"type":"FriendRequested","actor":"ann","id":"\#(request)",\#(pair)"#,
      #"{"type":"FriendRequestAccepted","actor":"bob","cause":"\#(request)",\#(pair)"#,
      #"{"type":"FriendRemoved","actor":"ann","cause":"\#(elsewhere)","#
        + #""data":{"user":"ann","friend":"bob"}}"#,
    ] {
      try await log.append(Commit([try NewEvent(line: Array(line.utf8))]))
    }
    let why = try await TimeTravel(log.view()).why(try StatePath("relationship/ann/bob"))
    #expect(why.reasons.map(\.causedBy) == [nil, 2, nil])
    #expect(why.reasons.map(\.event.cause) == [nil, request, elsewhere])
    #expect(why.value == nil && why.reasons.map(\.role) == [.undone, .undone, .undoes])
  }

  @Test(
    "Blame names the last event that changed a piece of state",
    arguments: [(1, false), (2, false), (3, true)])
  func blame(seed: UInt64, isPlausible: Bool) async throws {
    let count = UInt64(Sweep.size(80, 150, 150))
    let view = try await TimeTravelTests.view(Int(count), seed: seed, isPlausible: isPlausible)
    let travel = TimeTravel(view)
    let states = try (0...count).map { try WholeState(view, until: $0).facts }
    let present = states[Int(count)]
    let paths = try TimeTravelTests.paths(present.map { Fact($0.key, $0.value) })
    for path in paths {
      let blames = try await travel.timeline(of: path).blame()
      let under = present.filter { path.contains($0.key) }
      #expect(Set(blames.map(\.path)) == Set(under.keys), "\(path.text)")
      for blame in blames {
        func isSet(_ seq: UInt64) -> Bool {
          let (before, after) = (states[Int(seq) - 1][blame.path], states[Int(seq)][blame.path])
          guard let item = blame.item else { return before != after && after == blame.value }
          func has(_ value: JSONValue?) -> Bool {
            if case .array(let items)? = value { return items.contains(.string(item)) }
            return false
          }
          return !has(before) && has(after)
        }
        #expect((1...count).last(where: isSet) == blame.event.seq, "\(blame.path)")
        if blame.item == nil { #expect(blame.value == present[blame.path]) }
      }
    }
  }
}

// MARK: Lines

private func line(_ type: String, _ data: String) -> String {
  #"{"type":"\#(type)","actor":"eva","data":{\#(data)}}"#
}

private func create(_ user: String, _ handle: String) -> String {
  line("ProfileCreated", #""user":"\#(user)","handle":"\#(handle)","isPublic":true"#)
}

private func rename(_ user: String, _ handle: String) -> String {
  line("ProfileEdited", #""user":"\#(user)","handle":"\#(handle)""#)
}

private func delete(_ user: String) -> String { line("AccountDeleted", #""user":"\#(user)""#) }

private func post(_ user: String) -> String {
  line("CommentPosted", #""comment":"hello","workout":"run","user":"\#(user)","text":"Hello""#)
}

private let heart = line("CommentHearted", #""comment":"hello","user":"eva""#)

private func share(_ owner: String = "ann") -> String {
  line(
    "WorkoutShared",
    #""workout":"run","owner":"\#(owner)","localID":"1","date":"2026-02-01T00:00:00Z","#
      + #""workoutType":"run","totalTime":"10:00.0","totalDistance":3000,"#
      + #""averageSplit":"02:00.0","isErgTest":false"#)
}

private let detail = line(
  "WorkoutDetailAttached", #""workout":"run","intervals":[],"wasManuallyEdited":false"#)
