import EventLog
import Events
import Projections
import Replaying

/// Reads commands and executes them.
struct DebugLoop {
  let invocation: Invocation
  var debugger: Debugger<LogView>
  var marks: [String: UInt64] = [:]
  private var lastMotion: String?

  init(invocation: Invocation, debugger: Debugger<LogView>) {
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

  /// Executes one line.
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

/// Completions of the last word of a line: commands, paths, event types.
private func completions(_ line: String, _ travel: TimeTravel<some History>) async -> [String] {
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
