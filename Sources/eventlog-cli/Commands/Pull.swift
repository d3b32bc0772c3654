extension Subcommand {
  static let pull = Subcommand(
    name: "pull", summary: "Fetch the shared log's new events into a clone",
    discussion: """
      Adds the events that only the shared log has to a clone, checks each line, and applies \
      rewritings. If the two are no longer the same log, reports the first event that differs \
      (exit 65) and changes nothing.

      With --follow it runs until interrupted and keeps the clone a second or less behind. Other \
      commands can use the clone meanwhile.
      """,
    options: [.log, .flag("--follow", "Run until interrupted.")],
    examples: [
      "eventlog pull --log team": "Fetch once.",
      "eventlog pull --log team --follow": "Keep the clone up to date.",
    ],
    run: { invocation in
      let (path, remote) = try invocation.requiredRemote()
      if invocation.flag("--follow") { return try await follow(path, remote) }
      // Opening the clone repairs an incomplete end that a power failure left.
      let before = (try? LogView(path: path).head().seq) ?? 0
      let log = try await FileLog.open(clone: path, of: remote)
      let new = Int(clamping: await log.head() - min(before, await log.head()))
      Output.remark(new == 0 ? "nothing new" : "\(counted(new, "new event"))")
    })
}

/// Fetches a shared log's new events into its clone, for ever. When no more arrive, closes the
/// clone for a moment, so that other commands can open it. If it cannot reach the shared log,
/// reports the error once and retries.
///
/// It asks for the shared log's end when events are announced, and five times a second. As long as
/// each new event was announced, it asks once a second.
private func follow(_ path: String, _ remote: any RemoteLog) async throws {
  var said = ""
  var (isHeard, isAnnounced) = (false, false)
  while true {
    do throws(LogError) {
      let theirs = try await remote.head()
      if (try? ours(path)) != theirs {
        isAnnounced = isHeard
        let log = try await FileLog.open(clone: path, of: remote)
        try await stay(log, remote)
      }
      if !said.isEmpty { Output.remark("\(remote.name): reached again") }
      said = ""
    } catch LogError.locked, LogError.rewritten {
      // Another command has the clone open, or the log is being rewritten. Tries again.
    } catch {
      switch error.remoteFault {
      case .unreachable, .unknownOutcome:
        if said.isEmpty { Output.remark("\(error); retrying") }
        said = "\(error)"
      default: throw error
      }
    }
    let pause: Duration = isAnnounced ? .seconds(1) : .milliseconds(200)
    isHeard = await remote.awaitEvents(within: pause) != nil
  }
}

private func ours(_ path: String) throws(LogError) -> RemoteHead {
  let view = try LogView(path: path)
  let head = try view.head()
  return RemoteHead(seq: head.seq, sum: head.sum, rewritings: try view.rewritings().entries.count)
}

/// Fetches events into an open clone until no event has arrived for a quarter of a second.
private func stay(_ log: FileLog, _ remote: any RemoteLog) async throws(LogError) {
  var (head, idle) = (await log.head(), 0)
  while idle < 5 {
    _ = await remote.awaitEvents(within: .milliseconds(50))
    let next = try await log.latest()
    idle = next == head ? idle + 1 : 0
    head = next
  }
}
