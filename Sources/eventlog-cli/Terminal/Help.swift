extension Program {
  /// The list of all commands under their headings.
  var overview: String {
    let column = commands.map { displayWidth($0.name) }.max() ?? 0
    var text = "\(name): \(tagline)\n\n"
    text += "\(styled("Usage:", .bold)) \(name) COMMAND [arguments] [options]\n"
    for group in groups {
      text += "\n\(styled(group.title, .bold))\n"
      for command in group.commands {
        text += entry(command.name, command.summary, column: column + 4)
      }
    }
    return text + "\n'\(name) help COMMAND' shows a command's options and examples.\n"
  }

  /// Returns the full help of one command.
  func help(for command: Subcommand) -> String {
    var text = "\(name) \(command.name): \(command.summary)\n\n"
    text += "\(styled("Usage:", .bold)) \(command.usage(of: name))\n"
    text += "\n\(wrapped(command.discussion, width: helpWidth, indent: 0))\n"
    text += "\n\(styled("Options:", .bold))\n"
    let options = command.options + [.help]
    let column = min(options.map { displayWidth($0.signature) }.max() ?? 0, 28)
    for option in options {
      let help = option.repeats ? option.help + " May be repeated." : option.help
      text += entry(option.signature, help, column: column + 4)
    }
    text += "\n\(styled("Examples:", .bold))\n"
    for (command, help) in command.examples {
      text += "  \(command)\n\(wrapped(help, width: helpWidth, indent: 6))\n"
    }
    return text
  }

  /// Returns a term and its description, which begins at `column`. A long term has its own line.
  private func entry(_ term: String, _ help: String, column: Int) -> String {
    let description = wrapped(help, width: helpWidth, indent: column)
    let space = column - displayWidth(term) - 2
    guard space >= 2 else { return "  \(term)\n\(description)\n" }
    return "  \(term)\(String(repeating: " ", count: space))\(description.dropFirst(column))\n"
  }
}

extension Subcommand {
  /// Returns the usage line, such as `eventlog project NAME [options]`.
  func usage(of program: String) -> String {
    [program, name, arguments, "[options]"].filter { !$0.isEmpty }.joined(separator: " ")
  }
}

extension Option {
  /// The option in the form that help lists, such as `-n, --limit N`. The long names are aligned.
  var signature: String {
    (short.map { "\($0), " } ?? "    ") + name + (value.map { " \($0)" } ?? "")
  }

  var names: [String] { [name] + (short.map { [$0] } ?? []) }

  /// The possible values if the value is declared as `a|b|c`; otherwise empty.
  var choices: [String] {
    value.map { $0.contains("|") ? $0.split(separator: "|").map(String.init) : [] } ?? []
  }
}
