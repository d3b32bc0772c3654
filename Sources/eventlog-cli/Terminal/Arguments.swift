/// A parser that checks the words after a command's name against the command's declaration.
///
/// It accepts `--name value`, `--name=value`, `-n value`, `-nvalue` and bundled flags. After `--`
/// every word is positional. `-` and negative numbers are positional unless an option takes them.
struct ArgumentParser {
  private let program: String
  private let command: Subcommand
  private var rest: ArraySlice<String>
  private var invocation: Invocation

  /// Parses the words. Throws a usage failure that explains the first wrong word.
  static func parse(
    _ arguments: [String], for command: Subcommand, of program: String
  ) throws(Failure) -> Invocation {
    var parser = ArgumentParser(
      program: program, command: command, rest: arguments[...],
      invocation: Invocation(command: command, positionals: []))
    return try parser.parse()
  }

  private mutating func parse() throws(Failure) -> Invocation {
    while let word = rest.popFirst() {
      if word == "--" {
        invocation.positionals += rest
        break
      } else if word.hasPrefix("--") {
        try parseLong(word)
      } else if word.hasPrefix("-") && word != "-" && !isNegativeNumber(word) {
        try parseShort(word)
      } else {
        invocation.positionals.append(word)
      }
    }
    try checkPositionals()
    return invocation
  }

  private mutating func parseLong(_ word: String) throws(Failure) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = command.options.first(where: { $0.name == name }) else {
      throw unknownOption(name)
    }
    if parts.count == 2 {
      guard option.value != nil else { throw .usage("\(name) takes no value") }
      record(option, String(parts[1]))
    } else {
      record(option, option.value == nil ? "" : try nextValue(of: option, as: name))
    }
  }

  private mutating func parseShort(_ word: String) throws(Failure) {
    let name = String(word.prefix(2))
    guard let option = command.options.first(where: { $0.short == name }) else {
      throw unknownOption(word)
    }
    let tail = word.dropFirst(2)
    if option.value == nil {
      record(option, "")
      if !tail.isEmpty { try parseShort("-" + tail) }
    } else {
      record(option, tail.isEmpty ? try nextValue(of: option, as: name) : String(tail))
    }
  }

  private mutating func record(_ option: Option, _ value: String) {
    invocation.options[option.name, default: []].append(value)
  }

  private mutating func nextValue(of option: Option, as name: String) throws(Failure) -> String {
    let needed = "\(name) needs a value: \(name) \(option.value ?? "VALUE")"
    guard let word = rest.first else { throw .usage(needed) }
    guard !word.hasPrefix("-") || word == "-" || looksNumeric(word) else {
      throw .usage(
        "\(needed); write a value that begins with a dash as \(option.name)=\(excerpt(word))")
    }
    rest.removeFirst()
    return word
  }

  private func looksNumeric(_ word: String) -> Bool {
    var bytes = word.utf8.dropFirst()
    if bytes.first == UInt8(ascii: ".") { bytes = bytes.dropFirst() }
    return bytes.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
  }

  private func isNegativeNumber(_ word: String) -> Bool {
    looksNumeric(word) && !command.options.contains { $0.short == String(word.prefix(2)) }
  }

  private func unknownOption(_ name: String) -> Failure {
    let names = (command.options + [.help]).flatMap(\.names)
    return .usage(
      "\(command.name) has no option \(quoted(name)).\(didYouMean(name, names))"
        + " See '\(program) \(command.name) --help'.")
  }

  private func checkPositionals() throws(Failure) {
    let count = invocation.positionals.count
    let allowed = command.positionals
    guard !allowed.contains(count) else { return }
    let usage = "Usage: \(command.usage(of: program))"
    if count > allowed.upperBound {
      let surplus = quoted(invocation.positionals[allowed.upperBound])
      throw .usage("\(command.name) does not expect \(surplus). \(usage)")
    }
    let missing = allowed.lowerBound - count
    throw .usage(
      "\(command.name) needs \(missing) \(count > 0 ? "more " : "")"
        + "argument\(missing == 1 ? "" : "s"). \(usage)")
  }
}

/// Quotes a word of the user for a message, and shortens it to 60 columns.
func quoted(_ word: String) -> String {
  "'\(excerpt(word))'"
}

private func excerpt(_ word: String) -> String {
  truncated(sanitized(word), to: 60)
}
