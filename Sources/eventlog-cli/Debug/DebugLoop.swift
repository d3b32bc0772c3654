/// A debugging session that reads commands and executes them.
struct DebugLoop {
  let invocation: Invocation
  var debugger: Debugger<LogView>
  var marks: [String: UInt64] = [:]
  private var lastMotion: String?

  init(invocation: Invocation, debugger: Debugger<LogView>) {
    (self.invocation, self.debugger) = (invocation, debugger)
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
        } catch  where LineEditor.isInteractive {
          try? Output.flush()
          Output.error(Failure(of: error).lines("eventlog"))
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
      let (word, names) = (String(parts[0]), DebugCommand.all.map(\.name))
      throw Failure.usage("unknown command \(quoted(word)).\(didYouMean(word, names)) See 'help'.")
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
        throw Failure.usage("\(quoted(rest)) is not a name for a mark")
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
      let usage = command.arguments.isEmpty ? command.name : "\(command.name) \(command.arguments)"
      let term = usage + (command.short.map { ", \($0)" } ?? "")
      let isLong = term.count + 2 > width
      let space = String(repeating: " ", count: isLong ? width : width - term.count)
      Output.line(term + (isLong ? "\n" : "") + space + command.help)
    }
    Output.line("")
    Output.line("A PATH is a piece of state, such as profile/lena.bio ('eventlog paths --help').")
    Output.line(
      "An EXPR is a condition, such as followers/lena.count > 5 ('eventlog watch --help').")
    Output.line("A revision may also be 'here' or a mark. An empty line repeats the last move.")
  }
}

// Commands that move in the log, and commands that query it.
extension DebugLoop {
  mutating func move(_ name: String, _ rest: String) async throws {
    switch name {
    case "next", "back":
      guard let count = rest.isEmpty ? 1 : UInt64(rest), count > 0 else {
        throw Failure.usage("\(name) takes a number of events, not \(quoted(rest))")
      }
      if !debugger.step(name == "next" ? .forward : .back, count) {
        Output.line(name == "next" ? "This is the last event." : "This is before the first event.")
        return
      }
    case "goto":
      debugger.move(to: try Invocation.resolve(resolved(rest), in: debugger.travel.view))
    default:
      if debugger.breakpoints.isEmpty { Output.line("There is no breakpoint; this is the end.") }
      Interrupt.defer()
      defer { Interrupt.end() }
      let direction: Debugger<LogView>.Direction = name == "continue" ? .forward : .back
      switch try debugger.go(direction, isInterrupted: { Interrupt.isAsked }) {
      case .breakpoint(let number):
        Output.line("Breakpoint \(number), \(describe(number))")
      case .end: break
      case .interrupted: Output.line("Interrupted.")
      }
    }
    try await writePlace()
  }

  /// Prints the current event and what it changed.
  func writePlace() async throws {
    let (position, view) = (debugger.position, debugger.travel.view)
    guard let line = try view.line(at: position) else {
      return Output.line(
        styled("revision 0 of \(debugger.head)", .yellow) + ", before the first event")
    }
    let event = line.event
    Output.line(
      styled("event \(position) of \(debugger.head)", .yellow) + "  \(event.time)  "
        + "\(sanitized(event.actor))  " + styled(sanitized(event.type), .bold) + "  "
        + sanitized(String(decoding: event.data, as: UTF8.self)))
    // The deletion of an account may change many pieces of state. The command 'diff' prints them.
    if event.type == EventType.accountDeleted.name, debugger.head > 100_000 { return }
    guard let pieces = try await debugger.travel.change(by: position)?.pieces else { return }
    for piece in pieces { Output.line("  \(sanitized(piece.path))  \(sanitized(piece.words))") }
    if pieces.isEmpty { Output.line("  nothing changed") }
  }

  private func describe(_ number: Int) -> String {
    switch debugger.breakpoints.first(where: { $0.number == number })?.stop {
    case .type(let type)?: "type \(type)"
    case .actor(let actor)?: "actor \(actor)"
    case .condition(let condition)?: "if \(condition.text)"
    case .turns(let condition)?: "watch \(condition.text)"
    case .changes(let path)?: "watch \(path.text)"
    case nil: ""
    }
  }

  mutating func stops(_ name: String, _ rest: String) async throws {
    switch name {
    case "breaks":
      for breakpoint in debugger.breakpoints {
        Output.line("\(breakpoint.number)  \(sanitized(describe(breakpoint.number)))")
      }
      if debugger.breakpoints.isEmpty { Output.line("none") }
    case "delete":
      guard let number = Int(rest), debugger.remove(number) else {
        throw Failure.usage("there is no breakpoint \(quoted(rest)); 'breaks' lists them")
      }
    default:
      let stop = try await name == "watch" ? watched(rest) : broken(rest)
      let number = try await debugger.add(stop)
      Output.line("\(number)  \(sanitized(describe(number)))")
    }
  }

  private func broken(_ rest: String) async throws -> Debugger<LogView>.Stop {
    let parts = rest.split(separator: " ", maxSplits: 1).map(String.init)
    let usage = "break takes type TYPE, actor USER or if EXPR"
    guard parts.count == 2 else { throw Failure.usage(usage) }
    switch parts[0] {
    case "type":
      let names = EventType.allCases.map(\.name)
      if !names.contains(parts[1]), let near = suggestion(for: parts[1], among: names) {
        throw Failure.usage("unknown event type \(quoted(parts[1])); did you mean '\(near)'?")
      }
      return .type(parts[1])
    case "actor":
      let actor = NamedID(.user, parts[1], offset: 0)
      try await invocation.check([actor], in: parts[1], debugger.travel)
      return .actor(parts[1])
    case "if": return .condition(try await condition(parts[1]))
    default: throw Failure.usage("\(usage), not \(quoted(parts[0]))")
    }
  }

  /// Returns a breakpoint that stops when a path's value changes, or a condition turns true or
  /// false.
  private func watched(_ rest: String) async throws -> Debugger<LogView>.Stop {
    if let path = try? StatePath(rest), path.isOfOne, path.type != .truth {
      try await invocation.check(StatePath.ids(in: rest), in: rest, debugger.travel)
      return .changes(path)
    }
    return .turns(try await condition(rest))
  }

  private func condition(_ text: String) async throws -> Expression {
    let condition = try invocation.expression(text)
    try await invocation.check(condition.ids, in: text, debugger.travel)
    return condition
  }

  /// Replaces, in a revision or range, 'here' and the names that the user gave to positions by the
  /// positions' numbers.
  private func resolved(_ word: String) -> String {
    func one(_ text: String) -> String {
      text == "here" ? "\(debugger.position)" : marks[text].map { "\($0)" } ?? text
    }
    guard let dots = word.firstRange(of: "..") else { return one(word) }
    return one(String(word[..<dots.lowerBound])) + ".." + one(String(word[dots.upperBound...]))
  }

  /// Runs one of the program's commands on the session's log, as of the current position.
  func delegate(_ name: String, _ rest: String) async throws {
    var words = rest.split(separator: " ").map { resolved(String($0)) }
    let here = "\(debugger.position)"
    let command: Subcommand
    switch name {
    case "print": command = .paths
    case "show":
      command = .show
      if words.isEmpty { words = [here] }
    case "diff":
      command = .diff
      if let first = words.first, (try? StatePath(first)) == nil {
        if !first.contains("..") { words[0] = "\(first)..\(here)" }
      } else {
        words.insert(here, at: 0)
      }
    case "list":
      guard let count = words.isEmpty ? 5 : UInt64(words[0]) else {
        throw Failure.usage("list takes a number of events, not \(quoted(rest))")
      }
      command = .log
      let from = debugger.position - min(debugger.position, count)
      let to = min(debugger.head, debugger.position + count)
      words = ["\(from)..\(to)", "--oneline", "--reverse"]
    case "history": command = .history
    case "blame": command = .blame
    case "why": command = .why
    case "why-not": command = .whyNot
    default: command = .whatIf
    }
    if command.options.contains(where: { $0.name == "--as-of" }), !words.contains("--as-of") {
      words = ["--as-of", here] + words
    }
    var inner = try ArgumentParser.parse(words, for: command, of: "eventlog")
    inner.session = debugger.travel
    if name == "what-if", debugger.position == 0 {
      throw Failure.usage("at revision 0 there is no event to change")
    }
    try await command.run(inner)
  }
}

extension String {
  fileprivate func trimmingSpace() -> String {
    var text = self[...]
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text.drop { $0.isWhitespace })
  }
}

/// Returns the possible completions of a line's last word: commands, paths, event types or users.
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
