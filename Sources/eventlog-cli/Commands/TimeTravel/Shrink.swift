extension Subcommand {
  static let shrink = Subcommand(
    name: "shrink", summary: "Find a smallest part of a log on which a command still fails",
    arguments: "NEW", positionals: 1...1,
    discussion: """
      Runs the command, with a shell, on ever smaller parts of the log, of which $EVENTLOG is the \
      path each time, and writes the smallest to the new folder NEW on which it ended with the \
      exit status that it has on the whole. 0 is not a failure, 125 says that a part cannot be \
      judged; a status above 127 that the whole did not have gives up. What the command prints \
      goes to standard error when it has ended, with --quiet nowhere. Prints the events that \
      stay, by their positions in the whole; ids, times and commits stay as they are.

      Before the search, the command has to fail on the whole log because of its events. Refused \
      is one that cannot be run (exit 126, 127), that was called wrongly (64), that could not \
      read or write (66, 73, 74), or that ends in the same way on an empty log.

      Only parts are tried that could have happened: none of their events may break a rule that \
      it did not break in the whole. --any tries the others, too.
      """,
    options: [
      .log, .value("--expect", "COMMAND", "What still has to fail."),
      .flag("--any", "Try parts that the rules forbid, too."),
      .flag("--quiet", "Do not show what the command prints.", short: "-q"), .page, .rules,
      .format,
      .unknown,
    ],
    examples: [
      "eventlog shrink small.log --expect 'eventlog check' --log big.log":
        "The events that lead to the first that breaks a rule.",
      "eventlog shrink small.log --expect 'swift test --filter Feed'":
        "A test that reads the log at $EVENTLOG.",
    ],
    run: { try await runShrink($0) })
}

private func runShrink(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let rules = try invocation.rules()
  let unknown = try invocation.unknownPolicy()
  var target = invocation.positionals[0]
  while target.count > 1, target.hasSuffix("/") { target.removeLast() }
  guard let command = invocation.value("--expect"), !command.isEmpty else {
    throw Failure.usage("say what has to fail still: --expect 'COMMAND'")
  }
  // The parts tried are written beside it.
  for path in [target, target + ".part"] { try checkNew(path) }
  let view = try invocation.openLog()
  let bar = Progress(label: "reading", total: view.size, unit: "bytes")
  var search = try SubHistory(
    view, rules: rules, any: invocation.flag("--any"), unknown: unknown, progress: bar.update)
  bar.finish()
  noteTail(of: view)
  let trial = Expectation(
    command: command, folder: target + ".part", output: try ProcessOutput(),
    isQuiet: invocation.flag("--quiet"))
  defer { removeFolder(trial.folder) }
  Interrupt.defer()
  defer { Interrupt.end() }
  let status = try await trial.failure(on: search.smallest)
  let (runs, isWhole) = try await shrink(&search, trial, status)
  try await write(search.smallest, to: target)
  try show(search.smallest, format)
  Output.remark(
    "\(counted(search.smallest.count, "event")) of \(grouped(search.count)) in "
      + "\(sanitized(target)), after \(counted(runs, "run"))")
  if let page = invocation.value("--page") {
    let part = try LogView(path: target)
    let last = UInt64(search.smallest.count)
    try writePage(of: part, until: last, at: last, to: page, invocation)
  }
  try Interrupt.check("\(sanitized(target)) is the smallest so far")
  if !isWhole { throw Failure(.refused, "given up: it may not be the smallest") }
}

/// - Returns: how often the command ran, and whether the search finished.
private func shrink(
  _ search: inout SubHistory, _ trial: Expectation, _ status: Int32
) async throws -> (runs: Int, isWhole: Bool) {
  // Two runs were on the whole log and on an empty one.
  var (runs, strange) = (2, Int32?.none)
  let (whole, bar) = (grouped(search.count), Progress(label: "", total: 0, unit: "runs"))
  var left = search.count
  defer { bar.finish() }
  do {
    try await search.shrink { part in
      bar.update(runs, "shrink: \(grouped(left)) of \(whole) events left")
      let ended = try await trial.run(part, bar)
      runs += 1
      if ended.status > 127, ended.status != status { strange = ended.status }
      if strange != nil || Interrupt.isAsked { throw Failure(.interrupted, "") }
      if ended.status == status { left = part.count }
      return ended.status == status
    }
  } catch let failure as Failure where failure.code == .interrupted {}
  if let strange { Output.remark("note: the command ended with status \(strange)") }
  return (runs, strange == nil)
}

/// Writes a part as a log.
private func write(_ part: SubHistory.Part, to path: String) async throws {
  // With a pattern and `where` in the catch clause, Swift 6.3 does not finish compiling.
  do throws(LogError) {
    let log = try FileLog(path: path, creating: true)
    for result in await log.append(part.commits) { _ = try result.get() }
  } catch {
    if case .file(let file) = error, file.isNotFound || file.isDenied {
      throw Failure(.cannotCreate, "\(error)")
    }
    throw error
  }
}

private func show(_ part: SubHistory.Part, _ format: Format) throws {
  var rows = Rows([.number("seq", "EVENT"), .text("type"), .text("actor"), .text("data")])
  for (seq, event) in zip(part.seqs, part.commits.flatMap(\.events)) {
    rows.add([
      .optional(seq), .text(event.type), .text(event.actor),
      .text(String(decoding: event.data, as: UTF8.self)),
    ])
  }
  rows.write(format)
}

/// Runs the command on a part of the log, written to a folder beside the future result.
private struct Expectation {
  var command: String
  var folder: String
  var output: ProcessOutput
  var isQuiet: Bool

  func run(
    _ part: SubHistory.Part, _ bar: Progress? = nil
  ) async throws -> (status: Int32, printed: String) {
    removeFolder(folder)
    try await write(part, to: folder)
    let status = try runProcess(
      ["sh", "-c", command], environment: ["EVENTLOG": folder], output: output)
    if !isQuiet { bar?.clear() }
    return (status, output.take(shows: !isQuiet))
  }

  /// How the command fails on the whole log.
  /// - Throws: exit 1 or 64 if it does not fail, or fails for a reason other than the log's events.
  func failure(on whole: SubHistory.Part) async throws -> Int32 {
    let (status, printed) = try await run(whole)
    try Interrupt.check("the command had not ended on the whole log")
    let words = printed.isEmpty ? "; it printed nothing" : "; it printed: \(printed)"
    switch status {
    case 0, 125:
      let how = status == 0 ? "does not fail" : "cannot judge (exit 125)"
      throw Failure(.refused, "the command \(how) on the whole log; there is nothing to shrink")
    case 126, 127: throw Failure.usage("the command cannot be run (exit \(status))" + words)
    case 64: throw Failure.usage("the command was called wrongly (exit 64)" + words)
    case 66, 73, 74:
      throw Failure(
        .refused,
        "the command could not read or write what it needs (exit \(status))" + words)
    default: break
    }
    if try await run(.empty).status == status {
      throw Failure(
        .refused,
        "the command ends in the same way (exit \(status)) on an empty log, so it is not the "
          + "events that make it fail" + words)
    }
    try Interrupt.check("the search had not begun")
    return status
  }
}
