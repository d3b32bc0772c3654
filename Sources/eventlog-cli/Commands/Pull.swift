extension Subcommand {
  static let pull = Subcommand(
    name: "pull", summary: "Fetch what others appended to the shared log",
    discussion: """
      Adds to a clone what the shared log has and it has not, each line checked, and takes over \
      rewritings. Where the two are no longer the same log, it says from which event on (exit 65) \
      and changes nothing.

      With --follow it goes on until interrupted, and the clone is a second or less behind; other \
      commands can use the clone meanwhile.
      """,
    options: [.log, .flag("--follow", "Go on, until interrupted.")],
    examples: [
      "eventlog pull --log team": "Once.",
      "eventlog pull --log team --follow": "A copy that stays new.",
    ],
    run: { invocation in
      let (path, remote) = try invocation.requiredRemote()
      if invocation.flag("--follow") { return try await follow(path, remote) }
      // Opening the clone repairs the end that a power failure left.
      let before = (try? LogView(path: path).head().seq) ?? 0
      let log = try await FileLog.open(clone: path, of: remote)
      let new = Int(clamping: await log.head() - min(before, await log.head()))
      Output.remark(new == 0 ? "nothing new" : "\(counted(new, "new event"))")
    })
}

/// Fetches new events as long as there are some, then leaves the clone to other commands for a
/// moment. Waits while the server cannot be reached, and says so once.
private func follow(_ path: String, _ remote: any RemoteLog) async throws {
  var said = ""
  while true {
    do throws(LogError) {
      let theirs = try await remote.head()
      if (try? ours(path)) != theirs {
        let log = try await FileLog.open(clone: path, of: remote)
        try await stay(log)
      }
      if !said.isEmpty { Output.remark("\(remote.name): going on") }
      said = ""
    } catch LogError.locked, LogError.rewritten {
      // Another command has the clone open, or it is being rewritten.
    } catch {
      switch error.remoteFault {
      case .unreachable, .unknownOutcome:
        if said.isEmpty { Output.remark("\(error); trying again") }
        said = "\(error)"
      default: throw error
      }
    }
    try? await Task.sleep(for: .milliseconds(200))
  }
}

private func ours(_ path: String) throws(LogError) -> RemoteHead {
  let view = try LogView(path: path)
  let head = try view.head()
  return RemoteHead(seq: head.seq, sum: head.sum, rewritings: try view.rewritings().entries.count)
}

/// Keeps a clone open while something comes for it.
private func stay(_ log: FileLog) async throws(LogError) {
  var (head, idle) = (await log.head(), 0)
  while idle < 5 {
    try? await Task.sleep(for: .milliseconds(50))
    let next = try await log.latest()
    idle = next == head ? idle + 1 : 0
    head = next
  }
}
