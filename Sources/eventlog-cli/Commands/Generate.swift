import HistoryGeneration

extension Subcommand {
  static let generate = Subcommand(
    name: "generate", summary: "Create a log with a plausible, deterministic history",
    discussion: """
      Writes a history that a social app could have had: users join, a few become very popular, \
      every type of event occurs, and no rule of the domain is broken. The same numbers give the \
      same bytes on every machine.
      """,
    options: [
      .value("--events", "N", "The number of events; 1000 if not given."),
      .value("--users", "U", "The maximum number of users; 100 if not given."),
      .value("--seed", "S", "The seed of the random history; 1 if not given."),
      .value("--log", "PATH", "The log to create; exit 73 if it holds events."),
    ],
    examples: [
      "eventlog generate --events 1000000 --users 50000 --seed 7 --log big.log": "A million events."
    ],
    run: { invocation in
      let path = try invocation.writePath()
      let events = try invocation.int("--events", default: 1_000, in: 0...4_000_000_000)
      let users = try invocation.int("--users", default: 100, in: 1...100_000_000)
      let seed = try invocation.int("--seed", default: 1, in: 0...Int.max)
      try await makeLog(path)
      // The event ids come from the seed too.
      let random = SeededIDs(seed: UInt64(seed))
      let log = try HistoryWriter(path: path, random: { random.next() })
      var history = HistoryGenerator(events: events, users: users, seed: UInt64(seed))
      var names = Names()
      let bar = Progress(label: "generating", total: events, unit: "events")
      Interrupt.defer()
      var done = 0
      var batch = history.batch(min(16_384, events), &names)
      while !batch.items.isEmpty {
        // The log writes one batch of events while the generator draws the next.
        let current = batch
        async let isWritten: Void = log.append(current)
        batch = history.batch(min(16_384, events - done - current.items.count), &names)
        try await isWritten
        done += current.items.count
        bar.update(done)
        do {
          try Interrupt.check("\(sanitized(path)) holds \(grouped(done)) whole events")
        } catch {
          try await log.finish()
          throw error
        }
      }
      try await log.finish()
      bar.finish()
      Output.remark(
        "\(grouped(events)) events, \(byteSize(try LogView(path: path).size)), at \(path)")
    })
}
