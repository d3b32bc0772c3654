import EventLog
import Events

extension Subcommand {
  static let push = Subcommand(
    name: "push", summary: "Append to the shared log what it lacks of a clone",
    arguments: "", positionals: 0...0,
    discussion: """
      As a rule there is nothing to push: what a clone appends is in the shared log first. It is \
      for a shared log that lost what it had (a standby promoted without the last commits, a \
      backup restored), and for a log that becomes shared. Where the shared log has gone on \
      otherwise, it says from which event on (exit 65) and changes nothing.
      """,
    options: [.log],
    examples: [Example(command: "eventlog push --log team", help: "What the server lost.")],
    run: { invocation in
      let path = try invocation.writePath()
      guard let remote = try invocation.remote(of: path) else {
        throw Failure.usage("\(RemoteFault.isNoClone(path: path))")
      }
      try await pushed(path, to: remote)
    })
}

/// Appends to a shared log what it lacks of a clone, and says how much it was.
/// - Parameter address: of a log that becomes a clone, what it notes; nil for a clone.
func pushed(
  _ path: String, to remote: any RemoteLog, becomingCloneOf address: String? = nil
) async throws(Failure) {
  let bar = Progress(
    label: "pushing",
    total: try failing { () throws(LogError) in Int(clamping: try LogView(path: path).head().seq) },
    unit: "events")
  let count = try await asking { () throws(LogError) in
    let progress = { (done: UInt64, _: UInt64) in bar.update(Int(clamping: done)) }
    if let address {
      return try await Clone.share(path, with: remote, address: address, progress: progress)
    }
    return try await FileLog.push(path, to: remote, progress: progress)
  }
  bar.finish()
  Output.remark(
    count == 0
      ? "\(remote.name) has it all" : "pushed \(counted(Int(count), "event")) to \(remote.name)")
}
