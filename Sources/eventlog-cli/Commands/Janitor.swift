import Events
import UseCases

extension Subcommand {
  static let janitor = Subcommand(
    name: "janitor", summary: "Remove the photos that were replaced or taken down",
    arguments: "", positionals: 0...0,
    discussion: """
      Removes the files of photos that new ones replaced, that were taken down, and those of \
      deleted accounts and removed workouts; and photos that were stored more than an hour ago and \
      that nothing names, except in a clone, which may not know the newest names. serve does the \
      same by itself. How far it has come is kept in a file; a removal that fails is tried again \
      the next time. The first time it goes through the whole log.
      """,
    options: [.log, .position, .follow, .photos, .rules, .unknown, .cold],
    examples: [
      Example(
        command: "eventlog janitor --log my.log --position photos.position",
        help: "The photos in the log's folder.")
    ],
    run: { try await runJanitor($0) })
}

private func runJanitor(_ invocation: Invocation) async throws {
  let position = try invocation.position()
  let core = try await invocation.openCoreForReading(follows: invocation.flag("--follow"))
  let path = invocation.readPath
  let isClone = try failing { () throws(LogError) in try Clone.address(of: path) } != nil
  let janitor = PhotoJanitor(
    core, invocation.photoPorts().storage, from: position, sweeps: !isClone)
  if invocation.flag("--follow") {
    try await following { () async throws(SubscriptionError) in try await janitor.follow() }
  }
  let removed = try await following { () async throws(SubscriptionError) in
    try await janitor.run()
  }
  Output.remark(removed == 0 ? "nothing to remove" : "\(grouped(removed)) removed")
}
