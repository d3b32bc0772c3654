extension Subcommand {
  static let janitor = Subcommand(
    name: "janitor", summary: "Delete photo files that are no longer used",
    discussion: """
      Deletes the files of photos that were replaced or removed, and those of deleted accounts and \
      removed workouts. Also deletes photos that were stored more than an hour ago and that \
      nothing names, except in a clone, which may not know the newest names. 'serve' does the same \
      by itself. The position file keeps the progress; a deletion that fails is tried again on the \
      next run. The first run reads the whole log.
      """,
    options: [.log, .position, .follow, .photos, .rules, .unknown, .cold],
    examples: [
      "eventlog janitor --log my.log --position photos.position":
        "Clean up the photos in the log's folder."
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
