import EventLog
import EventlogClient
import Events
import FaultTesting
import UseCases

// The promises, checked when everything has come to rest.
extension Simulation {
  /// The events of the log, by the last 64 bits of their ids.
  func events() async throws -> [UInt64: [RecordedEvent]] {
    let all = try await server.log.read(after: 0, limit: .max)
    return Dictionary(grouping: all) { $0.id.low }
  }

  /// The phone's personal log is that which the server makes for the person.
  func checkPersonalLog(of phone: SimulatedPhone) async throws {
    let expected: PersonalLog
    do throws(UseCaseError) {
      expected = try await server.core.personalLog(of: phone.user, server.bounds)
    } catch {
      return try check(
        phone.state.reading == nil, "personal log kept", "\(phone.user) has no account")
    }
    guard var log = phone.state.reading?.log else {
      throw Violation("no personal log", phone.user)
    }
    for index in log.parts.indices {
      log.parts[index].lines.removeAll { $0.type == "FutureEvent" }
    }
    try check(
      log.position == expected.position, "personal log differs",
      "\(phone.user) is at \(log.position) of \(expected.position)")
    let (held, made) = (log.held, expected.held)
    for key in Set(held.parts.keys).union(made.parts.keys).sorted() {
      try check(
        held.parts[key] == made.parts[key], "personal log differs", "\(key) of \(phone.user)")
    }
    try check(held.keys == made.keys, "personal log differs", "the order of \(phone.user)")
  }

  /// The phone answers like the server, and nothing else is on its disk.
  func checkAnswers(of phone: SimulatedPhone, _ ids: KnownIDs) throws {
    var visible = phone.secrets
    for (name, input) in questions(ids) + phone.state.answers.map({ ($0.name, $0.input) }) {
      let expected = server.result(name, input, phone.user)
      if case .success(let answer) = expected { visible.formUnion(answer.secrets) }
      guard let entry = Queries.find(name), let reading = phone.state.reading else { continue }
      let given = Result { () throws(UseCaseError) in try reading.answer(entry, input) }
      switch (given, expected) {
      case (.success(nil), _): continue
      case (.success(let answer?), .success(let other)):
        try check(
          answer == other, "answer differs",
          "\(name) \(input.text) of \(phone.user): \(answer.text) for \(other.text)")
      case (.failure(let error), .failure(let other)) where error == other: continue
      default:
        throw Violation(
          "answer differs", "\(name) \(input.text) of \(phone.user): \(given) for \(expected)")
      }
    }
    let found = JSONValue.string(String(decoding: phone.power.bytes, as: UTF8.self)).secrets
    let hidden = found.subtracting(visible).sorted()
    try check(hidden.isEmpty, "hidden text on disk", "\(hidden) on the disk of \(phone.user)")
  }

  private func questions(_ ids: KnownIDs) -> [(String, JSONValue)] {
    func ask(_ name: String, _ field: String, _ values: [String]) -> [(String, JSONValue)] {
      values.map { (name, .object([.init(field, .string($0))])) }
    }
    let plain = [
      "GetFollowers", "GetFollowing", "GetFriends", "GetPendingRequests", "GetSentRequests",
      "GetBlocked", "GetFriendActivity", "GetGroups", "GetConversations", "GetWeeklyMeters",
    ]
    var questions: [(String, JSONValue)] = plain.map { ($0, .object([])) }
    questions.append(("GetFeed", .object([.init("limit", .int(100))])))
    for name in ["GetProfile", "GetSports", "GetFollowCounts"] {
      questions += ask(name, "user", ids.users)
    }
    questions += ask("GetRelationship", "other", ids.users)
    questions += ask("GetMessages", "with", ids.users)
    for name in ["GetWorkout", "GetChups", "GetReactions", "GetComments"] {
      questions += ask(name, "workout", ids.workouts)
    }
    for name in ["GetGroup", "GetGroupMembers"] { questions += ask(name, "group", ids.groups) }
    return questions
  }

  /// Each command has one outcome, and the log has its events once if it was accepted.
  func checkCommands(of phone: SimulatedPhone, _ events: [UInt64: [RecordedEvent]]) throws {
    var last: UInt64 = 0
    for key in phone.order {
      guard let command = phone.promised[key] else { continue }
      guard let outcome = phone.outcomes[key] else {
        if phone.dismissed.contains(key) { continue }
        throw Violation("no outcome", "\(command.name) \(key) of \(phone.user)")
      }
      let sent = OutboxCommand(key: key, name: command.name, input: command.input)
      let tail = SimulatedServer.key(sent, of: phone.user).tail
      let found = events[tail] ?? []
      let isAppended = outcome.kind == .applied || outcome.kind == .appliedDifferently
      // An erasure gives other ids to the events that name the person.
      try check(
        found.count == (isAppended ? 1 : 0) || hasErased && found.isEmpty,
        found.count > 1 ? "performed twice" : "not performed",
        "\(command.name) \(key) of \(phone.user), \(outcome.kind), has \(found.count) events")
      if let event = found.first {
        try check(
          event.seq > last, "wrong order",
          "\(command.name) \(key) of \(phone.user) is at \(event.seq), one before it at \(last)")
        last = event.seq
      }
      if outcome.kind == .applied, let id = createdID(command), let event = found.first {
        try check(
          String(decoding: event.data, as: UTF8.self).contains(id), "another id",
          "\(command.name) of \(phone.user) was to create \(id)")
      }
    }
  }

  private func createdID(_ command: PendingCommand) -> String? {
    switch (command.name, command.expected) {
    case ("ShareWorkout", .string(let id)), ("SendMessage", .string(let id)),
      ("CreateGroup", .string(let id)):
      return id
    case ("PostComment", let row):
      if case .string(let id)? = row["comment"] { return id }
      return nil
    default: return nil
    }
  }

  /// The rules allow each event of the log after those before it.
  func checkLog() throws {
    let view = try LogView(path: "/log", files: server.power.disk.files)
    let check = try Check(view, by: RuleHistory(server.rules))
    if let finding = check.findings.first {
      throw Violation("log against the rules", "\(finding)")
    }
    if let broken = check.brokenInvariant {
      throw Violation("log against the rules", "\(broken.invariant)")
    }
  }
}

extension JSONValue {
  /// The secrets in all texts of the value.
  fileprivate var secrets: Set<String> {
    var found: Set<String> = []
    for text in texts {
      var rest = text[...]
      while let start = rest.range(of: "zq") {
        let tail = rest[start.upperBound...]
        let digits = tail.prefix { $0.isASCII && $0.isNumber }
        rest = tail.dropFirst(digits.count)
        if !digits.isEmpty, rest.hasPrefix("qz") { found.insert("zq\(digits)qz") }
      }
    }
    return found
  }
}
