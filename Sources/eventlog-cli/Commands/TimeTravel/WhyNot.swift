extension Subcommand {
  static let whyNot = Subcommand(
    name: "why-not", summary: "Show why a command would be refused, and what would change that",
    arguments: "USECASE [key=value …]", positionals: 1...64,
    discussion: """
      Decides a command at a revision without appending anything. If it would be accepted, prints \
      the events that it would append; exit 0. If not, exit 1, and prints:

      - the facts that the decision read: a path or condition of the time machine, its value, and \
      the event that made it so; * marks the facts that the refusal rests on;
      - the smallest sets of events without which the command would be accepted, at most three. If \
      one event of a set is kept, the command is still refused. 'with' lists the events that \
      cannot happen without those of the set;
      - what the caller could do.

      The input is that of 'eventlog do'. The command may be one argument: \
      'SendMessage to=bob text=hi'. The sets obey the domain: an event that the rules \
      would refuse without them does not happen either. To check a set, skip its events and those \
      after 'with': what-if --skip A --skip B --redecide. Reads only the events on which the \
      decision may depend.
      """,
    options: [
      .log, .actor, .service, .asOf,
      .value(
        "--rules", "climb|erg|ride|FILE",
        "The rules for the command; those of the log, or climb, if not given."),
      .flag(
        "--exhaustive", "Search until no smaller set can exist. May take very long."),
      .format, .unknown, .jobs, .cold,
    ],
    examples: [
      "eventlog why-not 'SendMessage to=bob text=hi' --as u1 --log my.log":
        "Why a message would be refused.",
      "eventlog why-not GiveChup workout=w-bob-1 --as alice": "The event that it would append.",
    ],
    run: { try await runWhyNot($0) })
}

private func runWhyNot(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  var words = invocation.positionals
  if words.count == 1 { words = try shellWords(words[0]) }
  guard let name = words.first else {
    throw Failure.usage("why-not needs the name of a use case; see 'eventlog do --list'")
  }
  let entry = try useCase(named: name)
  let request = try invocation.request(entry, Array(words.dropFirst()))
  let view = try invocation.openLog()
  let past = try invocation.recordedRules() ?? RuleHistory(.climb)
  let rules = try invocation.givenRules()
  let position =
    invocation.value("--as-of") == nil ? nil : try invocation.revision("--as-of", in: view)
  let whyNot = try await WhyNot(try await invocation.timeTravel(view), past: past, rules: rules)
  let why: Explanation
  do throws(UseCaseError) {
    why = try await whyNot.explain(
      request, at: position, exhaustive: invocation.flag("--exhaustive"), image: loadImage)
  } catch .invalidInput(let error) {
    let text = error.field == "do" ? error.problem : "\(error)"
    throw Failure.usage("\(text). See 'eventlog do \(entry.about.name) --help'")
  } catch {
    throw Failure(error)
  }
  switch format {
  case .json, .jsonl: Output.line(why.json.text)
  case .csv: why.factRows.write(.csv)
  case .table: why.write()
  }
  noteTail(of: view)
  guard let error = why.error else { return }
  try Output.flush()
  throw Failure(.refused, "\(entry.about.name) would be refused: \(error.code): \(error)")
}

extension Explanation {
  fileprivate var factRows: Rows {
    var rows = Rows([
      .text("decisive", ""), .text("path", "FACT"), .text("value"), .number("seq", "SINCE EVENT"),
      .text("type"), .text("time"),
    ])
    for fact in facts {
      rows.add([
        .text(fact.isDecisive ? "*" : ""), .text(fact.path),
        .text(fact.value == .null ? "none" : fact.value.words),
        .optional(fact.event?.seq), .optional(fact.event?.type.name),
        .optional((fact.event?.time).map { "\($0)" }),
      ])
    }
    return rows
  }

  fileprivate func write() {
    if isAccepted {
      Output.line(
        wouldAppend.isEmpty
          ? "accepted: it would change nothing, and append nothing"
          : "accepted: it would append \(counted(wouldAppend.count, "event"))")
      for event in wouldAppend { Output.line("  " + event.text) }
      Output.line("")
    }
    if !facts.isEmpty { factRows.write(.table) }
    if isAccepted { return }
    Output.line("")
    for (number, set) in sets.enumerated() {
      Output.line(
        "\(number == 0 ? "It would be accepted without" : "or without") "
          + (set.events.count == 1 ? "this event:" : "these \(set.events.count) events:"))
      for event in set.events { Output.line("  " + event.words) }
      for event in set.dependents { Output.line("  with \(event.words)") }
    }
    Output.line(searchSentence)
    if let first = advice.first {
      Output.line("The caller could \(([first] + advice.dropFirst()).joined(separator: "; or "))")
    }
  }

  private var searchSentence: String {
    if sets.isEmpty {
      if search.events == 0 {
        return "The refusal rests on no event: it comes from the input, the caller or the rules."
      }
      return search.triedSizes == 0
        ? "No set of events was found; there are \(counted(search.events, "event")) on which the "
          + "decision may depend. See --exhaustive."
        : "No set of up to \(counted(search.triedSizes, "event")) makes it acceptable, of the "
          + "\(counted(search.events, "event")) on which the decision may depend."
    }
    return isSmallest
      ? "No smaller set exists."
      : "Smaller sets were tried up to \(counted(search.triedSizes, "event")); see --exhaustive."
  }
}

extension Explanation.EventReference {
  fileprivate var words: String { "\(seq) \(type.name) by \(actor), \(time)" }
}

/// Splits a command as a shell does: at spaces, except in single or double quotes.
private func shellWords(_ text: String) throws(Failure) -> [String] {
  var words: [String] = []
  var (word, hasWord, quote) = ("", false, Character?.none)
  for character in text {
    if let open = quote {
      if character == open { quote = nil } else { word.append(character) }
      continue
    }
    switch character {
    case "'", "\"": (quote, hasWord) = (character, true)
    case " ":
      if hasWord { words.append(word) }
      (word, hasWord) = ("", false)
    default:
      word.append(character)
      hasWord = true
    }
  }
  if quote != nil { throw .usage("a quote in \(quoted(text)) does not end") }
  if hasWord { words.append(word) }
  return words
}
