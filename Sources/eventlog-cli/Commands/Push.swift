extension Subcommand {
  static let push = Subcommand(
    name: "push", summary: "Append to the shared log what it lacks of a clone",
    discussion: """
      As a rule there is nothing to push: what a clone appends is in the shared log first. It is \
      for a shared log that lost what it had (a standby promoted without the last commits, a \
      backup restored), and for a log that becomes shared. Where the shared log has gone on \
      otherwise, it says from which event on (exit 65) and changes nothing.
      """,
    options: [.log],
    examples: ["eventlog push --log team": "What the server lost."],
    run: { invocation in
      let (path, remote) = try invocation.requiredRemote()
      try await pushed(path, to: remote)
    })
}

/// Appends to a shared log what it lacks of a clone, and says how much it was.
/// - Parameter address: of a log that becomes a clone, what it notes; nil for a clone.
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
      ? "\(remote.name) has it all" : "pushed \(counted(Int(count), "event")) to \(remote.name)")
}
