/// The `eventlog` command.
@main
enum Main {
  static let program = Program(
    name: "eventlog", version: "0.1.0",
    tagline: "a social app's history, as plain text, at database speed",
    groups: [
      ("Make and fill a log", [.initialize, .rules, .import, .generate, .export]),
      ("Use it", [.do, .run, .serve, .notify, .janitor]),
      ("Share it", [.clone, .pull, .push, .remote]),
      ("Read it", [.log, .show, .stats]),
      ("Ask it", [.project, .replay, .checkpoint]),
      (
        "Travel in time",
        [
          .paths, .diff, .history, .blame, .why, .watch, .bisect, .shrink, .whatIf, .debug,
          .genTest, .bookmark, .page,
        ]
      ),
      ("Trust it", [.verify, .check, .repair, .backup, .restore, .forget]),
      ("Other commands", [.completions]),
    ])

  static func main() { program.run(Array(CommandLine.arguments.dropFirst())) }
}
