import EventLog
import Events
import Projections
import Replaying
import TimeMachine

// The commands that move a session, and those that ask about it.
extension DebugLoop {
  mutating func move(_ name: String, _ rest: String) async throws {
    switch name {
    case "next", "back":
      guard let count = rest.isEmpty ? 1 : UInt64(rest), count > 0 else {
        throw Failure.usage("\(name) takes how many events, not \(quoted(rest))")
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
      let end: Debugger<LogView>.End
      do throws(LogError) {
        end = try debugger.go(direction) { Interrupt.isAsked }
      } catch {
        throw Failure(error)
      }
      switch end {
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
    guard let line = try failing({ () throws(LogError) in try view.line(at: position) }) else {
      return Output.line(
        styled("revision 0 of \(debugger.head)", .yellow) + ", before the first event")
    }
    let event = line.event
    Output.line(
      styled("event \(position) of \(debugger.head)", .yellow) + "  \(event.time)  "
        + "\(sanitized(event.actor))  " + styled(sanitized(event.type), .bold) + "  "
        + sanitized(String(decoding: event.data, as: UTF8.self)))
    // Deleting an account may change a lot: 'diff' prints it.
    if event.type == EventType.accountDeleted.name, debugger.head > 100_000 { return }
    let travel = debugger.travel
    let step = try await asking { () throws(LogError) in try await travel.change(by: position) }
    for piece in step?.pieces ?? [] {
      Output.line("  \(sanitized(piece.path))  \(sanitized(piece.words))")
    }
    if let step, step.pieces.isEmpty { Output.line("  nothing changed") }
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
      let number: Int
      do throws(LogError) { number = try await debugger.add(stop) } catch { throw Failure(error) }
      Output.line("\(number)  \(sanitized(describe(number)))")
    }
  }

  private func broken(_ rest: String) async throws(Failure) -> Debugger<LogView>.Stop {
    let parts = rest.split(separator: " ", maxSplits: 1).map(String.init)
    guard parts.count == 2 else {
      throw .usage("break takes type TYPE, actor USER or if EXPR")
    }
    switch parts[0] {
    case "type":
      let names = EventType.allCases.map(\.name)
      if !names.contains(parts[1]), let near = suggestion(for: parts[1], among: names) {
        throw .usage("no event type \(quoted(parts[1])); did you mean '\(near)'?")
      }
      return .type(parts[1])
    case "actor":
      let actor = NamedID(.user, parts[1], offset: 0)
      try await invocation.check([actor], in: parts[1], debugger.travel)
      return .actor(parts[1])
    case "if": return .condition(try await condition(parts[1]))
    default: throw .usage("break takes type TYPE, actor USER or if EXPR, not \(quoted(parts[0]))")
    }
  }

  /// A path that is not a condition by itself is watched for any change.
  private func watched(_ rest: String) async throws(Failure) -> Debugger<LogView>.Stop {
    if let path = try? StatePath(rest), path.isOfOne, path.type != .truth {
      try await invocation.check(StatePath.ids(in: rest), in: rest, debugger.travel)
      return .changes(path)
    }
    return .turns(try await condition(rest))
  }

  private func condition(_ text: String) async throws(Failure) -> Expression {
    let condition = try invocation.expression(text)
    try await invocation.check(condition.ids, in: text, debugger.travel)
    return condition
  }

  /// A revision, which may also be 'here' or a mark.
  private func resolved(_ word: String) -> String {
    func one(_ text: String) -> String {
      text == "here" ? "\(debugger.position)" : marks[text].map { "\($0)" } ?? text
    }
    guard let dots = word.firstRange(of: "..") else { return one(word) }
    return one(String(word[..<dots.lowerBound])) + ".." + one(String(word[dots.upperBound...]))
  }

  /// Runs one of the program's commands on this log, as of the current position.
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
        throw Failure.usage("list takes how many events, not \(quoted(rest))")
      }
      command = .log
      let from = debugger.position - min(debugger.position, count)
      let to = min(debugger.head, debugger.position + count)
      words = ["\(from)..\(to)", "--oneline", "--reverse"]
    case "history": command = .history
    case "blame": command = .blame
    case "why": command = .why
    default: command = .whatIf
    }
    if command.options.contains(where: { $0.name == "--as-of" }), !words.contains("--as-of") {
      words = ["--as-of", here] + words
    }
    var inner = try ArgumentParser.parse(words, for: command, of: "eventlog")
    inner.session = DebugSession(view: debugger.travel.view, travel: debugger.travel)
    if name == "what-if", debugger.position == 0 {
      throw Failure.usage("nothing has happened yet here")
    }
    try await command.run(inner)
  }
}
