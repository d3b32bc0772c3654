extension Subcommand {
  static let whyNot = Subcommand(
    name: "why-not", summary: "Show why a command would be refused, and what would change that",
    arguments: "USECASE [key=value …]", positionals: 0...64,
    discussion: """
      Decides a command at a revision without appending anything. If it would be accepted, prints \
      the events that it would append; exit 0. If not, exit 1, and prints:

      - the facts that the decision read: a path or condition of the time machine, its value, and \
      the event that made it so; * marks those that have another value without one of the sets;

      - the smallest sets of events without which the command would be accepted, at most three. If \
      one event of a set is kept, the command is still refused, with the code that stands there. \
      'with' lists the events that cannot happen without those of the set;

      - what the caller could do.

      The input is that of 'eventlog do'. The command may be one argument: \
      'SendMessage to=bob text=hi'. With --refusal N it is refusal N of 'eventlog refusals', at \
      its position; that journal keeps no texts, so key=value may add them. The sets obey the \
      domain: an event that the rules would refuse without them does not happen either. To check \
      a set, skip its events and those after 'with': what-if --skip A --skip B --redecide. Reads \
      only the events on which the decision may depend.
      """,
    options: [
      .log, .actor, .service, .asOf,
      .value(
        "--rules", "climb|erg|ride|FILE",
        "The rules for the command; those of the log, or climb, if not given."),
      .value(
        "--refusal", "N", "Explain this command of the journal of refusals, as of its position."),
      .flag(
        "--exhaustive", "Search until no smaller set can exist. May take very long."),
      .format, .unknown, .jobs, .cold,
    ],
    examples: [
      "eventlog why-not --refusal 7 --log my.log": "Why refusal 7 of the journal was refused.",
      "eventlog why-not 'SendMessage to=bob text=hi' --as u1 --log my.log":
        "Why a message would be refused.",
      "eventlog why-not GiveChup workout=w-bob-1 --as alice": "The event that it would append.",
    ],
    run: { try await runWhyNot($0) })
}

private func runWhyNot(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let refused = try invocation.refusal()
  let (entry, request) =
    if let refused { try invocation.request(again: refused) } else { try invocation.request() }
  let view = try invocation.openLog()
  let recorded = try invocation.recordedRules()
  let past = recorded ?? RuleHistory(unrecorded: .climb)
  let rules = try invocation.givenRules()
  var position = refused?.position
  if invocation.value("--as-of") != nil {
    position = try invocation.revision("--as-of", in: view)
  }
  let whyNot = try await WhyNot(
    try await invocation.timeTravel(view), past: past, rules: rules ?? recorded?.current ?? .climb)
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
  if rules == nil, try invocation.recordedRules() == nil {
    Output.remark("note: the log records no rules; it was decided by those of climb")
  }
  if let refused, why.code != refused.code {
    Output.remark(
      "note: it was refused with \(refused.code); perhaps because of a text or number, which the "
        + "journal does not keep: add key=value, or --rules")
  }
  guard let error = why.error else { return }
  try Output.flush()
  throw Failure(.refused, "\(entry.about.name) would be refused: \(error.code): \(error)")
}

extension Invocation {
  /// Returns the refused command that `--refusal` names; nil if it is not given.
  fileprivate func refusal() throws -> RefusedCommand? {
    guard value("--refusal") != nil else { return nil }
    if value("--as") != nil || flag("--service") {
      throw Failure.usage("--refusal names the caller too: leave out --as and --service")
    }
    let number = try int("--refusal", default: 0, in: 1...Int.max)
    guard let found = try refusals().first(where: { $0.number == number }) else {
      throw Failure.usage("there is no refusal \(number); see 'eventlog refusals'")
    }
    return found
  }

  fileprivate func request() throws -> (Registry.Entry, Request) {
    var words = positionals
    if words.count == 1 { words = try shellWords(words[0]) }
    guard let name = words.first else {
      throw Failure.usage("why-not needs the name of a use case; see 'eventlog do --list'")
    }
    let entry = try useCase(named: name)
    return (entry, try request(entry, Array(words.dropFirst())))
  }

  /// Returns a refused command's request. Fields that the journal does not keep have the values of
  /// the words `key=value`, else an example of their kind.
  fileprivate func request(
    again refused: RefusedCommand
  ) throws -> (Registry.Entry, Request) {
    let entry = try useCase(named: refused.useCase)
    let given = try request(entry, positionals).input
    var examples: [JSONValue.Member] = []
    for field in entry.fields
    where field.isRequired && refused.input[field.name] == nil && given[field.name] == nil {
      if let example = field.kind.example { examples.append(.init(field.name, example)) }
    }
    guard case .object(let members) = given else { return (entry, refused.request()) }
    return (entry, refused.request(adding: .object(members + examples)))
  }
}

extension Field.Kind {
  /// A valid value of the kind; nil for an image.
  fileprivate var example: JSONValue? {
    switch self {
    case .text: .string("example")
    case .flag: .bool(false)
    case .integer, .number: .int(1)
    case .date: .string("2026-01-01")
    case .dateTime, .dateOrTime: .string("2026-01-01T00:00:00Z")
    case .choice(let words): words.first.map { .string($0) }
    case .list: .array([])
    case .object(_, let fields):
      .object(
        fields.compactMap { field in
          field.isRequired ? field.kind.example.map { .init(field.name, $0) } : nil
        })
    case .optional, .nothing: .null
    case .image: nil
    }
  }
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
      for (place, event) in set.events.enumerated() {
        let code = set.codesIfKept.isEmpty ? "" : "; if kept: \(set.codesIfKept[place])"
        Output.line("  " + event.words + code)
      }
      for event in set.dependents { Output.line("  with \(event.words)") }
    }
    Output.line(searchSentence)
    Output.line(
      advice.isEmpty
        ? "There is no advice for the caller."
        : "The caller could \(advice.joined(separator: "; or "))")
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
