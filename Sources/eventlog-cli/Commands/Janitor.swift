extension Subcommand {
  static let janitor = Subcommand(
    name: "janitor", summary: "Remove the photos that were replaced or taken down",
    discussion: """
      Removes the files of photos that new ones replaced, that were taken down, and those of \
      deleted accounts and removed workouts; and photos that were stored more than an hour ago and \
      that nothing names, except in a clone, which may not know the newest names. serve does the \
      same by itself. How far it has come is kept in a file; a removal that fails is tried again \
      the next time. The first time it goes through the whole log.
      """,
    options: [.log, .position, .follow, .photos, .rules, .unknown, .cold],
    examples: [
      "eventlog janitor --log my.log --position photos.position": "The photos in the log's folder."
    ],
    run: { invocation in
      let position = try invocation.positionFile()
      let core = try await invocation.openCoreForReading(follows: invocation.flag("--follow"))
      let isClone = try Clone.address(of: invocation.readPath) != nil
      let janitor = PhotoJanitor(
        core, invocation.photoPorts().storage, from: position, sweeps: !isClone)
      if invocation.flag("--follow") { try await janitor.follow() }
      let removed = try await janitor.run()
      Output.remark(removed == 0 ? "nothing to remove" : "\(grouped(removed)) removed")
    })
}
