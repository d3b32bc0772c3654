extension Subcommand {
  static let initialize = Subcommand(
    name: "init", summary: "Make a new, empty log",
    arguments: "[PATH]", positionals: 0...1,
    discussion:
      "Makes the folder with an empty first segment; exit 73 if there is a log with events in it.",
    options: [.value("--log", "PATH", "The folder; the same as the argument.")],
    examples: [Example(command: "eventlog init my.log", help: "A log in the folder my.log.")],
    run: { invocation in
      guard let path = try invocation.positionals.first ?? invocation.writePath() as String? else {
        return
      }
      try await makeLog(path)
      Output.remark("made an empty log at \(path)")
    })
}
