extension Subcommand {
  static let shrink = Subcommand(
    name: "shrink", summary: "Find a smallest set of a log's events on which a command fails",
    arguments: "NEW", positionals: 1...1,
    discussion: """
      Runs COMMAND in a shell on smaller and smaller parts of the log; $EVENTLOG is the path of \
      the part. Writes the smallest part on which COMMAND has the same exit status as on the whole \
      log to the new folder NEW. Prints the events of this part, by their positions in the whole \
      log; ids, times and commits stay as they are.

      Status 0 is not a failure, and 125 means that a part cannot be judged. A status above 127 \
      that the whole log did not give stops the search. The output of COMMAND goes to standard \
      error when it has ended; --quiet hides it.

      Before the search, COMMAND must fail on the whole log because of its events. It is refused \
      if it cannot be run (exit 126, 127), was called wrongly (64), could not read or write (66, \
      73, 74), or ends in the same way on an empty log.

      Only parts that could have happened are tried: none of their events may break a rule that it \
      did not break in the whole log. --any tries the others, too.
      """,
    options: [
      .log, .value("--expect", "COMMAND", "The command that must keep failing."),
      .flag("--any", "Also try parts that the rules forbid."),
      .flag("--quiet", "Hide the output of COMMAND.", short: "-q"), .page, .rules,
      .format,
      .unknown,
    ],
    examples: [
      "eventlog shrink small.log --expect 'eventlog check' --log big.log":
        "The events that lead to the first broken rule.",
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
    throw Failure.usage("give the command that must keep failing: --expect 'COMMAND'")
  }
  // The parts of the log that are tried are written to a folder beside the target.
  for path in [target, target + ".part"] { try checkNew(path) }
  let view = try invocation.openLog()
  let bar = Progress(label: "reading", total: view.size, unit: "bytes")
  var search = try HistoryShrinker(
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
  if !isWhole { throw Failure(.refused, "stopped early: the result may not be the smallest") }
}

/// Searches for the smallest part of the log on which the command fails with `status`.
/// - Returns: the number of runs, and whether the search finished.
private func shrink(
  _ search: inout HistoryShrinker, _ trial: Expectation, _ status: Int32
) async throws -> (runs: Int, isWhole: Bool) {
  // Begins with 2, for the runs on the whole log and on an empty one.
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

private func write(_ part: HistoryShrinker.Part, to path: String) async throws {
  // Swift 6.3 hangs on a catch clause with a pattern and `where`.
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

private func show(_ part: HistoryShrinker.Part, _ format: Format) throws {
  var rows = Rows([.number("seq", "EVENT"), .text("type"), .text("actor"), .text("data")])
  for (seq, event) in zip(part.seqs, part.commits.flatMap(\.events)) {
    rows.add([
      .optional(seq), .text(event.type), .text(event.actor),
      .text(String(decoding: event.data, as: UTF8.self)),
    ])
  }
  rows.write(format)
}

/// The shell command that must fail. `shrink` writes parts of the log to a folder beside the target
/// and runs the command on each part.
private struct Expectation {
  var command: String
  var folder: String
  var output: ProcessOutput
  var isQuiet: Bool

  func run(
    _ part: HistoryShrinker.Part, _ bar: Progress? = nil
  ) async throws -> (status: Int32, printed: String) {
    removeFolder(folder)
    try await write(part, to: folder)
    let status = try runProcess(
      ["sh", "-c", command], environment: ["EVENTLOG": folder], output: output)
    if !isQuiet { bar?.clear() }
    return (status, output.take(shows: !isQuiet))
  }

  /// Returns the exit status with which the command fails on the whole log.
  /// - Throws: exit 1 or 64 if the command does not fail, or if the events are not the cause of its
  ///   failure.
  func failure(on whole: HistoryShrinker.Part) async throws -> Int32 {
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
