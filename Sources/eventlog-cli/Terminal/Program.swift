import Dispatch

/// A command-line program: its commands, the overview that groups them, and `main`.
struct Program: Sendable {
  var name: String
  var version: String
  /// The format of the checkpoints that the program reads and writes.
  var checkpointFormat: @Sendable () -> String
  /// A short description of the program, without a full stop.
  var tagline: String
  /// The commands under their headings, in the order of the overview.
  var groups: [CommandGroup]

  var commands: [Subcommand] { groups.flatMap(\.commands) }

  /// Runs the command that `arguments` name, and ends the process.
  ///
  /// It is not asynchronous, because then the Swift runtime would open file descriptors before this
  /// function runs. If standard output is closed, one of these would become standard output.
  func run(_ arguments: [String]) -> Never {
    Output.prepare()
    Task.detached { exit(await main(arguments)) }
    dispatchMain()
  }

  /// Runs the command that `arguments` name. They do not include the program's own name.
  /// - Returns: the exit code, after standard output is flushed and a failure is reported.
  func main(_ arguments: [String]) async -> Int32 {
    Output.prepare()
    var code = ExitCode.ok
    do {
      try await dispatch(arguments)
    } catch {
      code = report(error)
    }
    do {
      try Output.flush()
    } catch {
      let failed = report(error)
      if code == .ok { code = failed }
    }
    return code.rawValue
  }

  private func dispatch(_ arguments: [String]) async throws {
    guard let first = arguments.first else { return Output.write(overview) }
    let rest = Array(arguments.dropFirst())
    switch first {
    case "help", "--help", "-h":
      try showHelp(rest.filter { !$0.hasPrefix("-") })
    case "--version":
      Output.line("\(name) \(version)\ncheckpoint format \(checkpointFormat())")
    default:
      let command = try command(named: first)
      if asksForHelp(rest, command) { return try showHelp([command.name] + rest) }
      var invocation = try ArgumentParser.parse(rest, for: command, of: name)
      if let address = invocation.sharedLogAddress {
        invocation = try await invocation.withCachedClone(of: address)
      }
      try await command.run(invocation)
    }
  }

  private func showHelp(_ words: [String]) throws {
    guard let word = words.first else { return Output.write(overview) }
    let command = try command(named: word)
    let special = try command.topic(Array(words.dropFirst()))
    Output.write(special ?? help(for: command))
  }

  private func asksForHelp(_ arguments: [String], _ command: Subcommand) -> Bool {
    let shortIsFree = !command.options.contains { $0.short == "-h" }
    return arguments.prefix { $0 != "--" }.contains {
      $0 == "--help" || ($0 == "-h" && shortIsFree)
    }
  }

  private func command(named word: String) throws(Failure) -> Subcommand {
    if let command = commands.first(where: { $0.name == word }) { return command }
    if word.hasPrefix("-") {
      let option = word.prefix { $0 != "=" }
      let known = commands.contains { $0.options.contains { $0.name == option } }
      throw .usage(
        known
          ? "\(option) comes after the command: '\(name) COMMAND \(option)'. See '\(name) --help'."
          : "unknown option \(quoted(word)) before a command. See '\(name) --help'.")
    }
    throw .usage(
      "unknown command \(quoted(word)).\(didYouMean(word, commands.map(\.name) + ["help"]))"
        + " See '\(name) --help'.")
  }

  /// Prints an error as one line to standard error, and returns the exit code for it.
  private func report(_ error: any Error) -> ExitCode {
    let failure = Failure(of: error)
    try? Output.flush()
    if !failure.isReported { Output.error(failure.lines(name)) }
    return failure.code
  }
}

/// The width of help texts.
var helpWidth: Int { min(max(Terminal.width, 40), 100) }
