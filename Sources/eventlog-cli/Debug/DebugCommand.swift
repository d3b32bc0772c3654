/// A command of a session.
struct DebugCommand: Sendable {
  var name: String
  var short: String?
  var arguments = ""
  var help: String

  static let all: [DebugCommand] = [
    .init(name: "next", short: "n", arguments: "[N]", help: "Go to the next event, or N on."),
    .init(name: "back", short: "b", arguments: "[N]", help: "Go back an event, or N."),
    .init(name: "continue", short: "c", help: "Go on to the next breakpoint."),
    .init(name: "rcontinue", short: "rc", help: "Go back to the breakpoint before."),
    .init(name: "goto", short: "g", arguments: "R", help: "Go to a revision or a mark."),
    .init(
      name: "break", arguments: "type TYPE | actor USER | if EXPR",
      help: "Stop at events of a type, at what a user does, or where a condition becomes true."),
    .init(
      name: "watch", short: "w", arguments: "PATH | EXPR",
      help: "Stop where a piece of state changes, or where a condition turns."),
    .init(name: "breaks", help: "List the breakpoints."),
    .init(name: "delete", arguments: "N", help: "Remove breakpoint N."),
    .init(name: "print", short: "p", arguments: "PATH", help: "The pieces of state here."),
    .init(
      name: "diff", short: "d", arguments: "[R] [PATH]",
      help: "What the event here changed, or what differs from revision R to here."),
    .init(name: "show", short: "s", arguments: "[R]", help: "The event here in full."),
    .init(name: "list", short: "l", arguments: "[N]", help: "The events around here."),
    .init(name: "history", short: "h", arguments: "PATH", help: "Every value up to here."),
    .init(name: "blame", arguments: "PATH", help: "Who last set what is there."),
    .init(name: "why", arguments: "PATH", help: "The events that make a value what it is here."),
    .init(
      name: "what-if", arguments: "OPTIONS [PATH]",
      help: "Another world, up to here: --skip R, --move A:B, --insert FILE, --redecide, --diff."),
    .init(name: "mark", short: "m", arguments: "NAME", help: "Name this place for this session."),
    .init(name: "marks", help: "List the marks."),
    .init(name: "help", short: "?", help: "This list."),
    .init(name: "quit", short: "q", help: "End the session."),
  ]

  /// The command with this name or short name, or the only one whose name begins with it.
  static func find(_ word: String) -> DebugCommand? {
    if let exact = all.first(where: { $0.name == word || $0.short == word }) { return exact }
    let begun = all.filter { $0.name.hasPrefix(word) }
    return begun.count == 1 ? begun[0] : nil
  }
}
