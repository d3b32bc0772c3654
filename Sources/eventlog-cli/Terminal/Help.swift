extension Program {
  /// Every command under its heading, for a terminal `width` columns wide.
  func overview(width: Int) -> String {
    let column = commands.map { displayWidth($0.name) }.max() ?? 0
    var text = "\(name): \(tagline)\n\n"
    text += "\(styled("Usage:", .bold)) \(name) COMMAND [arguments] [options]\n"
    for group in groups {
      text += "\n\(styled(group.title, .bold))\n"
      for command in group.commands {
        text += entry(command.name, command.summary, column: column + 4, width: width)
      }
    }
    text += "\n'\(name) help COMMAND' tells more about a command, with examples.\n"
    return text
  }

  /// The full help on one command, for a terminal `width` columns wide.
  func help(for command: Subcommand, width: Int) -> String {
    var text = "\(name) \(command.name): \(command.summary)\n\n"
    text += "\(styled("Usage:", .bold)) \(command.usage(of: name))\n"
    if !command.discussion.isEmpty {
      text += "\n\(wrapped(command.discussion, width: width, indent: 0))\n"
    }
    text += "\n\(styled("Options:", .bold))\n"
    let options = command.options + [.help]
    let column = min(options.map { displayWidth($0.signature) }.max() ?? 0, 28)
    for option in options {
      let help = option.repeats ? option.help + " May be repeated." : option.help
      text += entry(option.signature, help, column: column + 4, width: width)
    }
    if !command.examples.isEmpty {
      text += "\n\(styled("Examples:", .bold))\n"
      for example in command.examples {
        text += "  \(example.command)\n"
        text += wrapped(example.help, width: width, indent: 6) + "\n"
      }
    }
    return text
  }

  /// A term and its description, which begins at `column`; a longer term gets a line of its own.
  private func entry(_ term: String, _ help: String, column: Int, width: Int) -> String {
    let taken = 2 + displayWidth(term)
    guard !help.isEmpty else { return "  \(term)\n" }
    let description = wrapped(help, width: width, indent: column)
    guard taken + 2 <= column else { return "  \(term)\n\(description)\n" }
    return "  \(term)\(String(repeating: " ", count: column - taken))"
      + "\(description.dropFirst(column))\n"
  }
}

extension Subcommand {
  /// The usage line, such as `eventlog project NAME [options]`.
  func usage(of program: String) -> String {
    let parts = [program, name, arguments, "[options]"]
    return parts.filter { !$0.isEmpty }.joined(separator: " ")
  }
}

extension Option {
  /// The option as listed in help: `-n, --limit N`, with the long names below each other.
  var signature: String {
    (short.map { "\($0), " } ?? "    ") + name + (value.map { " \($0)" } ?? "")
  }

  /// The words to choose from if the value is declared as `a|b|c`; otherwise empty.
  var choices: [String] {
    guard let value, value.contains("|") else { return [] }
    return value.split(separator: "|").map(String.init)
  }
}
