/// One option of a command: a flag such as `--oneline`, or a value such as `--limit N`.
struct Option: Sendable {
  /// The long name with its dashes.
  var name: String
  /// One dash and one ASCII character.
  var short: String?
  /// What help calls the value, `a|b|c` for a choice; nil makes the option a flag.
  var value: String?
  var help: String
  var repeats: Bool

  static func flag(_ name: String, _ help: String, short: String? = nil) -> Option {
    Option(name: name, short: short, value: nil, help: help, repeats: false)
  }

  static func value(
    _ name: String, _ value: String, _ help: String, short: String? = nil, repeats: Bool = false
  ) -> Option {
    Option(name: name, short: short, value: value, help: help, repeats: repeats)
  }

  /// The option that every command has.
  static let help = Option.flag("--help", "Show this help.", short: "-h")
}

/// A line to try, and what it does.
struct Example: Sendable {
  var command: String
  var help: String
}

/// A command as data: parsing, help, suggestions and completions are all derived from it.
struct Subcommand: Sendable {
  var name: String
  /// One line, for the overview.
  var summary: String
  /// The positional arguments as the usage line shows them, such as `[R..R]`.
  var arguments: String
  /// How many positional arguments there may be.
  var positionals: ClosedRange<Int>
  /// Paragraphs separated by blank lines; a line that begins with a space is kept as it is.
  var discussion: String
  /// `--help` need not be listed.
  var options: [Option]
  var examples: [Example]
  var run: @Sendable (Invocation) async throws -> Void
  /// Help on what the words after the command name, where it has any.
  var topic: @Sendable ([String]) throws(Failure) -> String? = { _ in nil }
}

/// A command with the arguments it was given, already checked against its declaration.
struct Invocation: Sendable {
  var command: Subcommand
  var positionals: [String]
  /// The values given for each option by its long name, in order; a flag has an empty one.
  var options: [String: [String]] = [:]
  /// The debugging session that the command was given in.
  var session: DebugSession?

  func flag(_ name: String) -> Bool {
    options[name] != nil
  }

  /// The last value given; nil where the option was not given.
  func value(_ name: String) -> String? {
    options[name]?.last
  }

  /// Every value given, in order.
  func values(_ name: String) -> [String] {
    options[name] ?? []
  }

  /// The last value as a decimal number; a usage failure where it is not one or out of bounds.
  func int(
    _ name: String, default: Int, in bounds: ClosedRange<Int>
  ) throws(Failure) -> Int {
    guard let text = value(name) else { return `default` }
    guard let number = Int(text), bounds.contains(number) else {
      throw .usage("\(name) takes \(wholeNumber(in: bounds)), not \(quoted(text))")
    }
    return number
  }
}

private func wholeNumber(in bounds: ClosedRange<Int>) -> String {
  switch (bounds.lowerBound, bounds.upperBound) {
  case (.min, .max): "a whole number"
  case (.min, let upper): "a whole number up to \(upper)"
  case (let lower, .max): "a whole number from \(lower)"
  case (let lower, let upper): "a whole number from \(lower) to \(upper)"
  }
}
