import Events
import Projections

extension Command {
  static let debug = Command(
    name: "debug", summary: "Step through a log forward and back, to where something happens",
    arguments: "[R]", positionals: 0...1,
    discussion: """
      An interactive session that starts at revision R, HEAD if not given. 'help' lists its \
      commands; tab completes them, paths and the ids of the log. From a pipe it reads commands \
      line by line, and ends with the first that fails. 'watch', 'break if', 'print' and others \
      take a PATH or an EXPR.

      \(pathHelp)

      \(expressionHelp)
      """,
    options: [.log, .unknown, .jobs, .cold],
    examples: [
      Example(command: "eventlog debug 50%", help: "From the middle."),
      Example(
        command: "printf 'watch followers/lena.count\\nrcontinue\\n' | eventlog debug",
        help: "A script: who changed that number last?"),
    ],
    run: { try await runDebug($0) })
}

/// What the commands of a session share, and where it is.
struct DebugSession: Sendable {
  var view: LogView
  var travel: TimeTravel
}

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

  /// The command of a name, a short name, or the beginning of only one name.
  static func find(_ word: String) -> DebugCommand? {
    if let exact = all.first(where: { $0.name == word || $0.short == word }) { return exact }
    let begun = all.filter { $0.name.hasPrefix(word) }
    return begun.count == 1 ? begun[0] : nil
  }
}

private func runDebug(_ invocation: Invocation) async throws {
  let view = try invocation.openLog()
  if view.path == "-", LineEditor.isInteractive == false {
    throw Failure.usage("debug reads its commands from standard input; name a log or a file")
  }
  let travel = try await invocation.timeTravel(view)
  await travel.keepTimelines()
  let debugger = try await asking { () throws(LogError) in try await Debugger(travel) }
  var loop = DebugLoop(invocation: invocation, debugger: debugger)
  if let text = invocation.positionals.first {
    loop.debugger.move(to: try Invocation.resolve(text, in: view))
  }
  try await loop.run()
  noteTail(of: view)
}

/// Reads commands and does them.
struct DebugLoop {
  let invocation: Invocation
  var debugger: Debugger
  var marks: [String: UInt64] = [:]
  private var lastMotion: String?

  init(invocation: Invocation, debugger: Debugger) {
    self.invocation = invocation
    self.debugger = debugger
  }

  mutating func run() async throws {
    let travel = debugger.travel
    var editor = LineEditor(prompt: "(eventlog) ") { await completions($0, travel) }
    if LineEditor.isInteractive { try await writePlace() }
    while !Output.isBroken {
      switch await editor.next() {
      case .end: return
      case .interrupted: continue
      case .line(let text):
        do {
          if try await perform(text) == false { return }
        } catch let failure as Failure where LineEditor.isInteractive {
          try? Output.flush()
          Output.error(failure.lines("eventlog"))
        }
        try Output.flush()
      }
    }
  }

  /// Does one line.
  /// - Returns: false to end the session.
  mutating func perform(_ text: String) async throws -> Bool {
    var line = text.trimmingSpace()
    if line.isEmpty, LineEditor.isInteractive, let lastMotion { line = lastMotion }
    if line.isEmpty || line.hasPrefix("#") { return true }
    let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    let rest = parts.count > 1 ? String(parts[1]).trimmingSpace() : ""
    guard let command = DebugCommand.find(String(parts[0])) else {
      let names = DebugCommand.all.map(\.name)
      let near = suggestion(for: String(parts[0]), among: names).map { " Did you mean '\($0)'?" }
      throw Failure.usage("no command \(quoted(String(parts[0]))).\(near ?? "") See 'help'.")
    }
    lastMotion = nil
    if command.arguments.isEmpty, !rest.isEmpty {
      throw Failure.usage("\(command.name) takes no arguments")
    }
    if !command.arguments.isEmpty, !command.arguments.hasPrefix("["), rest.isEmpty {
      throw Failure.usage("\(command.name) takes \(command.arguments)")
    }
    switch command.name {
    case "quit": return false
    case "help": writeHelp()
    case "next", "back", "continue", "rcontinue", "goto":
      if command.name != "goto" { lastMotion = line }
      try await move(command.name, rest)
    case "break", "watch", "breaks", "delete": try await stops(command.name, rest)
    case "mark":
      guard Bookmarks.isName(rest), rest != "here" else {
        throw Failure.usage("\(quoted(rest)) is no name for a mark")
      }
      marks[rest] = debugger.position
      Output.line("\(rest) is revision \(debugger.position)")
    case "marks":
      for (name, position) in marks.sorted(by: { $0.key < $1.key }) {
        Output.line("\(name)  \(position)")
      }
    default: try await delegate(command.name, rest)
    }
    return true
  }

  private func writeHelp() {
    let width = 34
    for command in DebugCommand.all {
      let usage = "\(command.name) \(command.arguments)"
      let short = command.short.map { ", \($0)" } ?? ""
      let term = command.arguments.isEmpty ? command.name + short : usage + short
      if term.count + 2 > width {
        Output.line(term)
        Output.line(String(repeating: " ", count: width) + command.help)
      } else {
        Output.line(term + String(repeating: " ", count: width - term.count) + command.help)
      }
    }
    Output.line("")
    Output.line("A PATH is a piece of state, such as profile/lena.bio ('eventlog paths --help').")
    Output.line(
      "An EXPR is a condition, such as followers/lena.count > 5 ('eventlog watch --help').")
    Output.line("A revision may also be 'here' or a mark. An empty line goes on as before.")
  }
}

extension String {
  fileprivate func trimmingSpace() -> String {
    var text = self[...]
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text.drop { $0.isWhitespace })
  }
}

/// What the last word of a line may be: a command, a path, an event type.
private func completions(_ line: String, _ travel: TimeTravel) async -> [String] {
  let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
  let last = words.last ?? ""
  if words.count <= 1 {
    return DebugCommand.all.map(\.name).filter { $0.hasPrefix(last) }
  }
  switch (DebugCommand.find(words[0])?.name, words.count) {
  case ("break", 2): return ["actor", "if", "type"].filter { $0.hasPrefix(last) }
  case ("break", 3) where words[1] == "type":
    return EventType.allCases.map(\.name).filter { $0.hasPrefix(last) }
  case ("break", 3) where words[1] == "actor":
    let found = try? await travel.completions(of: "profile/" + last)
    return found?.map { String($0.dropFirst("profile/".count)) } ?? []
  default: return (try? await travel.completions(of: last)) ?? []
  }
}
