extension Subcommand {
  static let `do` = Subcommand(
    name: "do", summary: "Perform one use case, such as FollowUser or GetFeed",
    arguments: "USECASE [key=value …]", positionals: 0...64,
    discussion: """
      Performs a use case by the domain's rules and prints its result. Its events are appended to \
      the log, durably, before the command ends. A refusal appends nothing and is exit 1, with its \
      code and a sentence. Use cases that only read work on any log, the demo too.

      A value is plain text; for flags, numbers and lists it is JSON. key=null leaves an optional \
      field out, or clears it in an edit. key:=JSON is always JSON. An image is the path of a \
      file.

      'eventlog do --list' lists the use cases; 'eventlog do USECASE --help' describes one.
      """,
    options: [
      .log, .actor, .service,
      .value(
        "--time", "T", "The time of the events, not before the last event; now if not given."),
      .future,
      .value(
        "--correlation", "ID",
        "The id of the request, which the events record; see 'log --correlation'."),
      .rules, .asOf, .photos, .format, .unknown, .cold,
      .flag("--list", "List the use cases."),
    ],
    examples: [
      "eventlog do --list": "List the use cases.",
      "eventlog do GetFollowers user=lena limit=3 --as alice --as-of 50%":
        "Query the demo as of half its events.",
      "eventlog do CreateProfile user=u1 handle=alice --as u1 --log my.log": "Open an account.",
      "eventlog do UpdateProfile bio='Slow is smooth' homeGym=null --as u1 --log my.log":
        "Change one field, clear another.",
    ],
    run: { try await runDo($0) },
    topic: { words in
      guard let name = words.first(where: { !$0.hasPrefix("-") && !$0.contains("=") }) else {
        return nil
      }
      return description(of: try useCase(named: name))
    })
}

private func runDo(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  if invocation.flag("--list") { return listUseCases(format) }
  guard let name = invocation.positionals.first else {
    throw Failure.usage("do needs the name of a use case; see 'eventlog do --list'")
  }
  let entry = try useCase(named: name)
  let request = try invocation.request(entry, Array(invocation.positionals.dropFirst()))
  if entry.writes, invocation.value("--as-of") != nil {
    throw Failure.usage(
      "\(entry.about.name) changes the log: --as-of works only with use cases that read")
  }
  if invocation.value("--as-of") != nil {
    let past = try await invocation.openPast()
    let reply = await past.perform(request)
    noteIgnored(await past.ignoredStates)
    return try show(reply, entry, format)
  }
  if !entry.writes { return try await query(request, entry, invocation, format) }
  let core = try await invocation.openCoreAndLog().core
  try show(await perform(request, core, invocation), entry, format)
}

/// Answers a query. Prints the answer as early as possible: before the core is opened if that
/// takes long, and before the core's state is saved for later commands.
private func query(
  _ request: Request, _ entry: Registry.Entry, _ invocation: Invocation, _ format: Format
) async throws {
  let view = try invocation.openLog()
  noteTail(of: view)
  let (rules, unknown) = (try invocation.rules(), try invocation.unknownPolicy())
  let isCold = invocation.flag("--cold")
  var result: Result<Void, Failure>?
  func answer(_ reply: Reply) throws(Failure) {
    do throws(Failure) {
      try show(reply, entry, format)
      result = .success(())
    } catch {
      var failure = error
      Output.error(failure.lines(Main.program.name))
      failure.isReported = true
      result = .failure(failure)
    }
    try Output.flush()
  }
  if !isCold, let reply = await Past.earlyReply(to: request, of: view, rules: rules) {
    try answer(reply)
  }
  let core = try await Core.open(
    reading: view, follows: false, rules: rules, usesCheckpoints: !isCold, unknown: unknown,
    savesLater: true)
  if result == nil {
    try answer(await perform(request, core, invocation))
  } else {
    noteIgnored(core.ignoredStates)
  }
  core.saveOpened(view)
  try result?.get()
}

private func perform(_ request: Request, _ core: Core, _ invocation: Invocation) async -> Reply {
  let reply = await core.perform(request, photos: invocation.photoPorts(), image: loadImage)
  noteIgnored(core.ignoredStates)
  return reply
}

/// Prints a reply's answer.
/// - Throws: the reply's error.
private func show(_ reply: Reply, _ entry: Registry.Entry, _ format: Format) throws(Failure) {
  switch reply.result {
  case .failure(let error):
    var failure = Failure(error)
    if case .invalidInput = error {
      failure.message += ". See 'eventlog do \(entry.about.name) --help'"
    }
    if case .refused(.unauthorized) = error { failure.message += "; add --as USER" }
    throw failure
  case .success(let value):
    if value != .null || !entry.writes || format != .table { writeAnswer(value, format) }
    if entry.writes {
      try Output.flush()
      Output.remark(appended(reply.seqs))
    }
  }
}

extension Invocation {
  /// Returns the request that words `key=value` and the options `--as`, `--service` and `--time`
  /// describe.
  func request(_ entry: Registry.Entry, _ words: [String]) throws(Failure) -> Request {
    var request = Request(entry.about.name, as: value("--as"))
    request.isService = flag("--service")
    if request.isService, request.user == nil {
      throw .usage("--service needs --as with the name of the service")
    }
    request.input = try input(of: entry, words)
    if let text = value("--time") {
      guard let time = DateTime(text)?.instant else {
        throw .usage("--time takes a time such as 2026-01-31T12:00:00.000Z, not \(quoted(text))")
      }
      request.time = time
      if let problem = problem(withTime: request) { throw .usage("--time \(problem)") }
    }
    request.correlation = try correlation()
    return request
  }

  /// Returns the reason why a command may not have its time: it is more than a day after this
  /// computer's clock, and `--future` is not given. Every later event would have to be later still.
  func problem(withTime request: Request) -> String? {
    let latest = Timestamp(milliseconds: DateTime.now.instant.milliseconds + 86_400_000)
    guard let time = request.time, time > latest, !flag("--future") else { return nil }
    return "\(time) is more than a day after this computer's clock, and no later event could be "
      + "earlier: add --future if you mean it"
  }

  /// Returns the id in `--correlation`; nil if it is not given.
  func correlation() throws(Failure) -> CorrelationID? {
    guard let text = value("--correlation") else { return nil }
    guard let id = CorrelationID(text) else {
      throw .usage(
        "--correlation takes 1 to 64 of the characters A-Z a-z 0-9 . _ -, not \(quoted(text))")
    }
    return id
  }
}

private func appended(_ seqs: Range<UInt64>) -> String {
  guard let last = seqs.last else { return "nothing changed, nothing appended" }
  return seqs.count == 1 ? "appended event \(last)" : "appended events \(seqs.lowerBound)–\(last)"
}

func useCase(named name: String) throws(Failure) -> Registry.Entry {
  if let entry = Registry.find(name) { return entry }
  let names = Registry.all.map(\.about.name)
  let near =
    names.first { $0.lowercased() == name.lowercased() } ?? suggestion(for: name, among: names)
  throw .usage(
    "unknown use case \(quoted(name)).\(near.map { " Did you mean '\($0)'?" } ?? "")"
      + " See 'eventlog do --list'.")
}

/// Returns the use case's input that the words `key=value` describe.
private func input(
  of entry: Registry.Entry, _ words: [String]
) throws(Failure) -> JSONValue {
  var members: [JSONValue.Member] = []
  for word in words {
    guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
      throw .usage(
        "\(quoted(word)) is not of the form key=value. See 'eventlog do \(entry.about.name) --help'"
      )
    }
    let value = String(word[word.index(after: equals)...])
    var key = String(word[..<equals])
    var isJSON = false
    if key.hasSuffix(":") {
      key.removeLast()
      isJSON = true
    }
    guard let field = entry.fields.first(where: { $0.name == key }) else {
      let names = entry.fields.map(\.name)
      throw .usage(
        "\(entry.about.name) has no field \(quoted(key)).\(didYouMean(key, names)) "
          + (names.isEmpty ? "It has none." : "It has \(names.joined(separator: ", ")).")
      )
    }
    if members.contains(where: { $0.name == key }) { throw .usage("\(key) is given twice") }
    members.append(.init(key, try json(value, field, isJSON: isJSON)))
  }
  return .object(members)
}

private func json(
  _ text: String, _ field: Field, isJSON: Bool
) throws(Failure) -> JSONValue {
  if text == "null", !field.isRequired { return .null }
  if field.kind.isText && !isJSON { return .string(text) }
  do throws(LineFault) {
    return try JSONValue(text)
  } catch {
    throw .usage("\(field.name): \(field.kind) is expected, not \(quoted(text))")
  }
}

private func listUseCases(_ format: Format) {
  if format == .table {
    for area in About.Area.allCases {
      Output.line(styled(area.rawValue.capitalizedFirst, .bold))
      for entry in Registry.all where entry.about.area == area {
        Output.line("  " + wrapped(entry.signature, width: helpWidth, indent: 8).dropFirst(8))
        Output.line(wrapped(entry.about.summary, width: helpWidth, indent: 6))
      }
    }
    return
  }
  var rows = Rows([
    .text("name"), .text("area"), .text("summary", "DOES"), .text("writes"),
    .text("fields", "TAKES"), .text("result", "ANSWERS"), .text("errors", "REFUSES WITH"),
  ])
  for entry in Registry.all {
    let about = entry.about
    rows.add([
      .text(about.name), .text(about.area.rawValue), .text(about.summary), .bool(entry.writes),
      .json(JSONValue.array(entry.fields.map(\.json)).text), .text(about.result),
      .json(JSONValue.array(about.errors.map { .string($0) }).text),
    ])
  }
  rows.write(format)
}

private func description(of entry: Registry.Entry) -> String {
  let about = entry.about
  var text = "\(about.name): \(about.summary)\n\n"
  text += "\(styled("Usage:", .bold)) eventlog do \(entry.signature)"
  text += about.errors.contains("unauthorized") ? " --as USER" : ""
  text += entry.writes ? " --log PATH\n" : "\n"
  if !entry.fields.isEmpty {
    text += "\n\(styled("Fields:", .bold))\n" + list(entry.fields)
  }
  text += "\n\(styled("Returns:", .bold)) \(about.result)\n"
  text += entry.result.fields.map(list) ?? ""
  if !about.errors.isEmpty {
    text += "\(styled("Errors:", .bold)) \(about.errors.joined(separator: ", "))\n"
  }
  return text
}

private func list(_ fields: [Field]) -> String {
  let column = fields.map(\.name.count).max() ?? 0
  return fields.map { field in
    let space = String(repeating: " ", count: column - field.name.count + 2)
    let need = field.isRequired ? "" : field.isClearable ? "; null clears" : "; optional"
    return "  \(field.name)\(space)\(field.summary) (\(field.kind)\(need))\n"
  }.joined()
}

extension Field.Kind {
  /// The fields of the object, or of each object in the list; nil for other values.
  fileprivate var fields: [Field]? {
    switch self {
    case .object(_, let fields): fields
    case .list(let kind), .optional(let kind): kind.fields
    default: nil
    }
  }
}

extension Registry.Entry {
  /// The use case's name and fields, such as `UpdateProfile [bio=…]`.
  fileprivate var signature: String {
    let words = fields.map { $0.isRequired ? "\($0.name)=…" : "[\($0.name)=…]" }
    return ([about.name] + words).joined(separator: " ")
  }
}

extension Field {
  fileprivate var json: JSONValue {
    .object([
      .init("name", .string(name)), .init("type", .string(kind.word)),
      .init("required", .bool(isRequired)), .init("summary", .string(summary)),
    ])
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
