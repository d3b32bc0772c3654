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

extension Command {
  static let completions = Command(
    name: "completions", summary: "Print shell completions for bash, zsh or fish",
    arguments: "SHELL", positionals: 1...1,
    discussion: "Prints a script that completes commands and options.",
    options: [],
    examples: [
      Example(command: "source <(eventlog completions bash)", help: "Try it in this shell.")
    ],
    run: { try printCompletions($0) })
}

private func printCompletions(_ invocation: Invocation) throws {
  Output.write(try Main.program.completions(for: invocation.positionals[0]))
}
