/// The `eventlog` command.
@main
enum Main {
  static let program = Program(
    name: "eventlog", version: "0.1.0",
    checkpointFormat: { Replay<CoreState>().checkpointFormat() },
    tagline: "a social app's history, as plain text, at database speed",
    groups: [.make, .use, .share, .read, .ask, .travel, .trust, .other])

  static func main() { program.run(Array(CommandLine.arguments.dropFirst())) }
}
