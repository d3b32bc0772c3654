/// One option of a command: a flag such as `--oneline`, or a value such as `--limit N`.
struct Option: Sendable {
  /// The long name with its dashes.
  var name: String
  /// The short name: one dash and one ASCII character; nil if the option has none.
  var short: String?
  /// The value's name in help, or `a|b|c` for a choice; nil for a flag.
  var value: String?
  var help: String
  var repeats = false

  static func flag(_ name: String, _ help: String, short: String? = nil) -> Option {
    Option(name: name, short: short, help: help)
  }

  static func value(
    _ name: String, _ value: String, _ help: String, short: String? = nil, repeats: Bool = false
  ) -> Option {
    Option(name: name, short: short, value: value, help: help, repeats: repeats)
  }

  /// The option that every command has.
  static let help = Option.flag("--help", "Show this help.", short: "-h")
}

/// The declaration of a command. Parsing, help, suggestions and completions use it.
struct Subcommand: Sendable {
  var name: String
  /// A description of one line, for the overview of all commands.
  var summary: String
  /// The positional arguments as the usage line shows them, such as `[R..R]`.
  var arguments = ""
  /// The allowed number of positional arguments.
  var positionals = 0...0
  /// The help: paragraphs separated by blank lines. Lines that begin with a space are not wrapped.
  var discussion: String
  /// The options, without `--help`, which every command has.
  var options: [Option]
  /// Examples of command lines, each with its purpose.
  var examples: KeyValuePairs<String, String>
  var run: @Sendable (Invocation) async throws -> Void
  /// Returns special help about the words after the command's name; nil if the command's own help
  /// is to be shown.
  var topic: @Sendable ([String]) throws -> String? = { _ in nil }
}

/// A command with its arguments, which were checked against the command's declaration.
struct Invocation: Sendable {
  var command: Subcommand
  var positionals: [String]
  /// For each option's long name, the values that the user gave, in order. A flag's value is empty.
  var options: [String: [String]] = [:]
  /// The log and its index, if the command runs in a debugging session.
  var session: TimeTravel<LogView>?

  func flag(_ name: String) -> Bool { options[name] != nil }

  /// Returns the last value of an option; nil if the option was not given.
  func value(_ name: String) -> String? { options[name]?.last }

  /// Returns every value of an option, in order.
  func values(_ name: String) -> [String] { options[name] ?? [] }

  /// Returns an option's last value as a whole number. Throws a usage failure if it is out of
  /// bounds.
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
