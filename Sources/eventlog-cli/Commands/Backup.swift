extension Subcommand {
  static let backup = Subcommand(
    name: "backup", summary: "Back up a log with its photos and its other files",
    arguments: "FOLDER", positionals: 1...1,
    discussion: """
      Copies everything new since the last backup into FOLDER, which is created if missing: \
      events, photos, bookmarks, the ledger of rewritings, retries, and every other file in the \
      log's folder except checkpoints, refusals and link.key. Servers and other programs may write \
      to the log meanwhile.

      FOLDER holds the last finished backup until the new one is finished. If a backup is \
      interrupted, run it again: it reuses the files already copied. After the log forgot \
      somebody, the next backup replaces all events and removes that person's photos.

      Exit 65 if FOLDER is a backup of another log, or if new events are damaged; 73 if FOLDER \
      holds something else.
      """,
    options: [.log, .photos, .format],
    examples: [
      "eventlog backup /backups/my --log my.log": "Every night, while the server runs."
    ],
    run: { invocation in
      let format = try invocation.format()
      let log = try invocation.writePath()
      let photos = invocation.value("--photos") ?? log + "/photos"
      let bar = Progress(label: "backing up", total: 0, unit: "bytes")
      // Finishes an interrupted rewriting of the log, if this process may write to the log.
      try? ForgettableLog.settle(log)
      let backup = Backup(of: log, photos: photos, in: invocation.positionals[0])
      let report = try backup.run { label, done in bar.update(done, label) }
      bar.finish()
      if report.wasRewritten {
        Output.remark("the log was rewritten since the last backup: all events were copied again")
      }
      for path in report.missingPhotos {
        Output.remark("note: an event names the photo \(path), but there is no such file")
      }
      var rows = Rows([
        .number("events"), .number("newEvents", "NEW"), .number("photos"),
        .number("newPhotos", "NEW"),
        .number("removedPhotos", "REMOVED"), .number("files", "OTHER FILES"),
        .text("sum", "CHECKSUM"),
      ])
      rows.add([
        .int(Int(report.head)), .int(Int(report.newEvents)), .int(report.photos),
        .int(report.newPhotos), .int(report.removedPhotos), .int(report.files.count),
        report.head == 0 ? .null : .sum(report.sum),
      ])
      rows.write(format, footer: "backed up to \(invocation.positionals[0])")
    })
}
