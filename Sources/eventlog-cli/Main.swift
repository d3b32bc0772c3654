/// The `eventlog` command.
@main
enum Main {
  static let program = Program(
    name: "eventlog", version: "0.1.0",
    tagline: "a social app's history, as plain text, at database speed",
    commands: [
      Command.initialize, .import, .export, .generate, .do, .run, .log, .show, .project, .replay,
      .checkpoint, .paths, .diff, .history, .blame, .why,
      .watch, .bisect, .shrink, .whatIf, .debug, .genTest, .bookmark,
      .stats, .verify, .check, .repair, .completions,
    ],
    groups: [
      ("Make and fill a log", ["init", "import", "generate", "export"]),
      ("Use it", ["do", "run"]),
      ("Read it", ["log", "show", "stats"]),
      ("Ask it", ["project", "replay", "checkpoint"]),
      (
        "Travel in time",
        [
          "paths", "diff", "history", "blame", "why", "watch", "bisect", "shrink", "what-if",
          "debug", "gen-test", "bookmark",
        ]
      ),
      ("Trust it", ["verify", "check", "repair"]),
    ])

  static func main() { program.run(Array(CommandLine.arguments.dropFirst())) }
}
