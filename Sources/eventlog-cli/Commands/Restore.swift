extension Subcommand {
  static let restore = Subcommand(
    name: "restore", summary: "Create a log from a backup",
    arguments: "FOLDER", positionals: 1...1,
    discussion: """
      Creates the log PATH from the backup in FOLDER, with its photos and its other files, as it \
      was when the backup was made. Each line, each file and each photo is checked. PATH appears \
      only when it is complete.

      Exit 73 if PATH holds something, 65 if the backup is damaged, 66 if FOLDER has no finished \
      backup.
      """,
    options: [
      .value("--log", "PATH", "The new log's folder, which must be empty or missing."),
      .value(
        "--photos", "FOLDER",
        "A new or empty folder for the photos; the folder photos in the log if not given."),
      .flag("--check", "Only check the backup, and write nothing."), .format,
    ],
    examples: [
      "eventlog restore /backups/my --log again.log": "Restore the log to the folder again.log."
    ],
    run: { invocation in
      let format = try invocation.format()
      let isCheck = invocation.flag("--check")
      let log = isCheck ? "" : try invocation.writePath()
      let folder = invocation.positionals[0]
      let bar = Progress(label: isCheck ? "checking" : "restoring", total: 0, unit: "bytes")
      let restoration = try Restoration(from: folder)
      let report =
        isCheck
        ? try restoration.check { bar.update($0) }
        : try restoration.run(to: log, photos: invocation.value("--photos")) { bar.update($0) }
      bar.finish()
      var rows = Rows([
        .number("events"), .number("photos"), .number("files", "OTHER FILES"),
        .text("time", "BACKED UP"), .text("sum", "CHECKSUM"),
      ])
      rows.add([
        .int(Int(report.head)), .int(report.photos), .int(report.files), .text("\(report.time)"),
        report.head == 0 ? .null : .sum(report.sum),
      ])
      rows.write(format, footer: isCheck ? "checked: nothing is wrong" : "restored to \(log)")
    })
}
