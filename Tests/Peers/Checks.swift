#if Server
  import Aggregates
  import EventLog
  import Events
  import FaultTesting
  import UseCases

  // The promises, checked at the end of a run.
  extension Simulation {
    func checkAll() throws {
      let lines = network.database.lines(after: 0, limit: .max)
      try checkClones(lines)
      let events = try events(lines)
      try checkCommands(events)
      try checkHandles(events)
      try checkRules(lines)
    }

    /// Each clone has the bytes of the shared log, and shows all of them.
    private func checkClones(_ lines: [UInt8]) throws {
      for server in servers {
        let own = server.logBytes
        try check(
          own == lines, "clones differ",
          "server \(server.number) has \(own.count) of \(lines.count) bytes")
        try check(
          server.position == network.database.head.seq, "behind",
          "server \(server.number) shows \(server.position) of \(network.database.head.seq)")
      }
    }

    private func events(_ lines: [UInt8]) throws -> [RecordedEvent] {
      var parser = LineParser()
      var names = Names()
      return try lines.split(separator: UInt8(ascii: "\n")).map { line in
        guard let event = RecordedEvent(try parser.parse(Array(line), names: &names).line) else {
          throw Violation("log", "a line has no event")
        }
        return event
      }
    }

    /// Each acknowledged command has its events once, a refused one has none, and each event
    /// belongs to one command.
    private func checkCommands(_ events: [RecordedEvent]) throws {
      var owners: [UInt64: SimulatedCommand] = [:]
      let texts = events.map { String(decoding: $0.data, as: UTF8.self) }
      for command in clients.flatMap(\.commands) {
        let answer = command.answers.first
        try check(
          answer != nil || command.key == nil, "no outcome", "\(command.description) has no answer")
        for seq in answer?.seqs ?? [] {
          try check(
            seq <= UInt64(events.count), "acknowledged and lost", "\(command.description): \(seq)")
          let event = events[Int(seq) - 1]
          try check(
            event.actor == command.user, "another's event", "\(command.description): \(event)")
          try check(
            owners[seq] == nil, "one event for two", "\(command.description): \(event)")
          owners[seq] = command
        }
        guard let text = command.text else { continue }
        let places = texts.indices.filter { texts[$0].contains(text) }
        let allowed: ClosedRange<Int> =
          if let answer { command.isAccepted(answer) ? 1...1 : 0...0 } else { 0...1 }
        try check(
          allowed.contains(places.count), places.count > 1 ? "performed twice" : "not performed",
          "\(command.description) is at \(places.map { $0 + 1 })")
        for place in places { owners[UInt64(place) + 1] = command }
      }
      for event in events where owners[event.seq] == nil {
        // A command without a key whose answer was lost may have been performed, once.
        let command = clients.lazy.flatMap(\.commands).first {
          $0.key == nil && $0.answers.isEmpty && $0.user == event.actor && $0.text == nil
            && event.stream.hasPrefix("follow/")
        }
        guard let command else { throw Violation("performed twice", "\(event) is nobody's") }
        command.answers.append(.init(status: 200, text: "", seqs: [event.seq]))
      }
    }

    /// No handle was given to two users at a time.
    private func checkHandles(_ events: [RecordedEvent]) throws {
      var users: [String: String] = [:]
      for event in events where ["ProfileCreated", "ProfileEdited"].contains(event.type) {
        guard let handle = try JSONValue(object: event.data)["handle"]?.plain, handle != "" else {
          continue
        }
        try check(
          users[handle] == nil || users[handle] == event.actor, "handle given twice",
          "\(handle) of \(event.actor) and \(users[handle] ?? "")")
        for (old, user) in users where user == event.actor { users[old] = nil }
        users[handle] = event.actor
      }
    }

    /// The rules allow each event of the log after those before it.
    private func checkRules(_ lines: [UInt8]) throws {
      let disk = SimulatedDisk()
      disk.makeFolder("/log")
      disk["/log/0000000000000001.jsonl"] = lines
      let check = try Check(LogView(path: "/log", files: disk.files), by: RuleHistory(.climb))
      if let finding = check.findings.first {
        throw Violation("log against the rules", "\(finding)")
      }
      if let broken = check.brokenInvariant {
        throw Violation("log against the rules", "\(broken.invariant)")
      }
    }
  }
#endif
