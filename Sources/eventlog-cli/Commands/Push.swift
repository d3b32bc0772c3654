extension Subcommand {
  static let push = Subcommand(
    name: "push", summary: "Append the events that only a clone has to the shared log",
    discussion: """
      Usually there is nothing to push, because a clone appends to the shared log first. Use it \
      for a shared log that lost events (a standby promoted without the last commits, a backup \
      restored), and for a log that becomes shared. If others have appended different events to \
      the shared log, reports the first event that differs (exit 65) and changes nothing.
      """,
    options: [.log],
    examples: ["eventlog push --log team": "Restore the events that the server lost."],
    run: { invocation in
      let (path, remote) = try invocation.requiredRemote()
      try await pushed(path, to: remote)
    })
}

/// Appends to a shared log the events that only its clone has, and prints their number.
/// - Parameter address: the shared log's address, if the local log is not a clone yet and becomes
///   one; nil if it is a clone.
func pushed(
  _ path: String, to remote: any RemoteLog, becomingCloneOf address: String? = nil
) async throws {
  let head = try LogView(path: path).head().seq
  let bar = Progress(label: "pushing", total: Int(clamping: head), unit: "events")
  let progress = { @Sendable (done: UInt64, _: UInt64) in bar.update(Int(clamping: done)) }
  let count =
    if let address {
      try await Clone.share(path, with: remote, address: address, progress: progress)
    } else {
      try await FileLog.push(path, to: remote, progress: progress)
    }
  bar.finish()
  Output.remark(
    count == 0
      ? "nothing to push: \(remote.name) has all events"
      : "pushed \(counted(Int(count), "event")) to \(remote.name)")
}
