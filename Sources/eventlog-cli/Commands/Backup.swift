extension Subcommand {
  static let backup = Subcommand(
    name: "backup", summary: "Back up a log with its photos and its other files",
    arguments: "FOLDER", positionals: 1...1,
    discussion: """
      Copies what is new since the last backup into FOLDER, which is made if it is not there: \
      events, photos, bookmarks, the ledger of rewritings, retries, and every other file in the \
      log's folder except checkpoints. A server or another program may write meanwhile.

      FOLDER holds the last finished backup until this one is finished. Interrupted, run it again: \
      it keeps what it copied. After the log forgot somebody, the next backup replaces all events \
      and removes the photos of the forgotten.

      Exit 65 if FOLDER is a backup of another log, or if new events are damaged; 73 if FOLDER \
      holds something else.
      """,
    options: [.log, .photos, .format],
    examples: [
      "eventlog backup /backups/my --log my.log": "Every night, beside the server."
    ],
    run: { invocation in
      let format = try invocation.format()
      let log = try invocation.writePath()
      let photos = invocation.value("--photos") ?? log + "/photos"
      let bar = Progress(label: "backing up", total: 0, unit: "bytes")
      // Finishes an interrupted rewriting, if that is allowed.
      try? ForgettableLog.settle(log)
      let backup = Backup(of: log, photos: photos, in: invocation.positionals[0])
      let report = try backup.run { label, done in bar.update(done, label) }
      bar.finish()
      if report.wasRewritten {
        Output.remark("the log was rewritten since the last backup: all events were copied again")
      }
      for path in report.missingPhotos {
        Output.remark("note: \(path) is named by an event, and there is no such photo")
      }
      var rows = Rows([
        .number("events"), .number("newEvents", "NEW"), .number("photos"),
        .number("newPhotos", "NEW"),
        .number("removedPhotos", "REMOVED"), .number("files", "OTHER FILES"),
        .text("sum", "SUM OF ALL"),
      ])
      rows.add([
        .int(Int(report.head)), .int(Int(report.newEvents)), .int(report.photos),
        .int(report.newPhotos), .int(report.removedPhotos), .int(report.files.count),
        report.head == 0 ? .null : .sum(report.sum),
      ])
      rows.write(format, footer: "backed up to \(invocation.positionals[0])")
    })
}
