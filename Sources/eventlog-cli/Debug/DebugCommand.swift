/// A command of a debugging session.
struct DebugCommand: Sendable {
  var name: String
  var short: String?
  var arguments = ""
  var help: String

  static let all: [DebugCommand] = [
    .init(name: "next", short: "n", arguments: "[N]", help: "Go forward one event, or N."),
    .init(name: "back", short: "b", arguments: "[N]", help: "Go back one event, or N."),
    .init(name: "continue", short: "c", help: "Go forward to the next breakpoint."),
    .init(name: "rcontinue", short: "rc", help: "Go back to the previous breakpoint."),
    .init(name: "goto", short: "g", arguments: "R", help: "Go to a revision or a mark."),
    .init(
      name: "break", arguments: "type TYPE | actor USER | if EXPR",
      help: "Stop at events of a type, at events by a user, or where a condition becomes true."),
    .init(
      name: "watch", short: "w", arguments: "PATH | EXPR",
      help: "Stop where a piece of state changes, or a condition becomes true or false."),
    .init(name: "breaks", help: "List the breakpoints."),
    .init(name: "delete", arguments: "N", help: "Remove breakpoint N."),
    .init(name: "print", short: "p", arguments: "PATH", help: "Print the pieces of state here."),
    .init(
      name: "diff", short: "d", arguments: "[R] [PATH]",
      help: "Print what the event here changed, or how the state differs from revision R."),
    .init(name: "show", short: "s", arguments: "[R]", help: "Print the event here in full."),
    .init(name: "list", short: "l", arguments: "[N]", help: "Print the events around here."),
    .init(name: "history", short: "h", arguments: "PATH", help: "Print every change up to here."),
    .init(name: "blame", arguments: "PATH", help: "Print who last set each member."),
    .init(name: "why", arguments: "PATH", help: "Print the events that the value here comes from."),
    .init(
      name: "why-not", arguments: "USECASE [key=value …] --as USER",
      help: "Print why a command would be refused here, or what it would append."),
    .init(
      name: "what-if", arguments: "OPTIONS [PATH]",
      help: "Try a different past: --skip R, --move A:B, --insert FILE, --redecide, --diff."),
    .init(
      name: "mark", short: "m", arguments: "NAME", help: "Name this revision for this session."),
    .init(name: "marks", help: "List the marks."),
    .init(name: "help", short: "?", help: "Print this list."),
    .init(name: "quit", short: "q", help: "End the session."),
  ]

  /// Returns the command whose name or short name is `word`; otherwise the only command whose name
  /// begins with `word`. Returns nil if no name, or more than one, begins with `word`.
  static func find(_ word: String) -> DebugCommand? {
    if let exact = all.first(where: { $0.name == word || $0.short == word }) { return exact }
    let begun = all.filter { $0.name.hasPrefix(word) }
    return begun.count == 1 ? begun[0] : nil
  }
}
