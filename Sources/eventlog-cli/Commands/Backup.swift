import EventLog
import Events
import TimeMachine

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
      Example(
        command: "eventlog backup /backups/my --log my.log",
        help: "Every night, beside the server.")
    ],
    run: { try runBackup($0) })
}

private func runBackup(_ invocation: Invocation) throws {
  let format = try invocation.format()
  let log = try invocation.writePath()
  let photos = invocation.value("--photos") ?? log + "/photos"
  let bar = Progress(label: "backing up", total: 0, unit: "bytes")
  // Finishes a forgetting that was interrupted, where that is allowed.
  try? ForgettableLog.settle(log)
  let backup = Backup(of: log, photos: photos, in: invocation.positionals[0])
  let report = try backingUp { () throws(BackupError) in
    try backup.run { label, done in bar.update(done, label) }
  }
  bar.finish()
  if report.wasRewritten {
    Output.remark("the log was rewritten since the last backup: all events were copied again")
  }
  for path in report.missingPhotos {
    Output.remark("note: \(path) is named by an event, and there is no such photo")
  }
  var rows = Rows([
    .init(name: "events", title: "EVENTS", alignment: .right),
    .init(name: "newEvents", title: "NEW", alignment: .right),
    .init(name: "photos", title: "PHOTOS", alignment: .right),
    .init(name: "newPhotos", title: "NEW", alignment: .right),
    .init(name: "removedPhotos", title: "REMOVED", alignment: .right),
    .init(name: "files", title: "OTHER FILES", alignment: .right),
    .init(name: "sum", title: "SUM OF ALL"),
  ])
  rows.add([
    .int(Int(report.head)), .int(Int(report.newEvents)), .int(report.photos),
    .int(report.newPhotos), .int(report.removedPhotos), .int(report.files.count),
    report.head == 0 ? .null : .text(report.sum.padded(to: 16, radix: 16)),
  ])
  rows.write(format, footer: "backed up to \(invocation.positionals[0])")
}

/// Converts an error of a backup into the command's failure.
func backingUp<T>(_ body: () throws(BackupError) -> T) throws(Failure) -> T {
  do throws(BackupError) {
    return try body()
  } catch {
    switch error {
    case .log(let cause): throw Failure(cause)
    case .notABackup, .occupied, .inUse, .cannotMake: throw Failure(.cannotCreate, "\(error)")
    case .noBackup: throw Failure(.noInput, "\(error)")
    case .otherLog, .damaged: throw Failure(.data, "\(error)")
    case .within: throw .usage("\(error)")
    case .neverStill: throw Failure(.inputOutput, "\(error)")
    }
  }
}
