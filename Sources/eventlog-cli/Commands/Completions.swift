extension Subcommand {
  static let completions = Subcommand(
    name: "completions", summary: "Print shell completions for bash, zsh or fish",
    arguments: "SHELL", positionals: 1...1,
    discussion: "Prints a script that completes commands and options.",
    options: [],
    examples: [
      "source <(eventlog completions bash)": "Try it in this shell."
    ],
    run: { try printCompletions($0) })
}

private func printCompletions(_ invocation: Invocation) throws {
  Output.write(try Main.program.completions(for: invocation.positionals[0]))
}
