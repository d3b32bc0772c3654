import Events
import UseCases

extension Command {
  static let `import` = Command(
    name: "import", summary: "Seal events from elsewhere into a log that exists",
    arguments: "FILE", positionals: 1...1,
    discussion: """
      FILE has one event a line, - is standard input. A line needs type, actor and data; time, v, \
      stream, rev, id, cause and batch are kept where they are given. Form, order and revisions \
      are checked; the domain's rules only with --strict. Events that the log has already are \
      passed over, so importing a file twice adds nothing.

      At the first wrong line the import stops and names it. What came before stays: mend the line \
      and import the file again.
      """,
    options: [
      .log, .flag("--clamp-times", "Set a time before the last one to the last one."),
      .flag("--strict", "Stop with exit 1 at the first event that the domain forbids."), .rules,
      .flag("--keep-unknown", "Keep events of unknown type or version instead of refusing them."),
    ],
    examples: [
      Example(command: "eventlog import history.jsonl --log my.log", help: "From a file."),
      Example(
        command: "psql -Atc 'select …' | eventlog import - --log my.log", help: "From a pipe."),
    ],
    run: { try await runImport($0) })
}

private func runImport(_ invocation: Invocation) async throws {
  let path = try invocation.writePath()
  var policy = ForeignEvents.Policy()
  policy.clampsTimes = invocation.flag("--clamp-times")
  policy.keepsUnknown = invocation.flag("--keep-unknown")
  let lines = try failing { () throws(LogError) in
    try ForeignLines(path: invocation.positionals[0])
  }
  let log = try failing { () throws(LogError) in try FileLog(path: path) }
  if let recovery = log.recovery { Output.remark("recovered: \(recovery)") }
  let bar = Progress(label: "importing", total: lines.size ?? 0, unit: "bytes")
  var names = Names()
  var audit = Audit(rules: try invocation.rules())
  let isStrict = invocation.flag("--strict")
  var known: Set<EventID> = []
  if isStrict {
    let view = log.view()
    try failing { () throws(LogError) in
      try view.forEachTypedEvent(&names, unknown: .skip) { _ = audit.apply($0, actor: $1, at: $2) }
      // What the log has already is passed over, not judged again.
      try view.forEachEvent { known.insert($0.id).inserted || true }
    }
  }
  var run = Import(lines, policy, names: names)
  Interrupt.defer()
  var failure: Failure?
  do throws(ImportError) {
    try await run.run(
      into: log, judges: isStrict,
      judge: { event, actor, moment, id in
        guard id.map(known.contains) != true else { return nil }
        return audit.apply(event, actor: actor, at: moment)?.sentence
      },
      progress: { done, _ in
        bar.update(done)
        Interrupt.cancelTask()
      })
  } catch {
    switch error {
    case .log(let error):
      failure = Failure(error)
      if case .damaged(let damage) = error, damage.fault.isUnknown {
        failure?.message += "; keep such events with --keep-unknown"
      }
    case .forbidden(let line, let file, let sentence):
      failure = Failure(.refused, "\(file), line \(line): \(sentence)")
    case .cancelled:
      failure = Failure(.interrupted, "interrupted; importing again goes on from there")
    }
  }
  bar.finish()
  let report = run.report
  var sentence = "\(counted(report.added, "event")) added"
  if report.repeated > 0 { sentence += ", \(grouped(report.repeated)) were there already" }
  if report.clamped > 0 { sentence += ", \(grouped(report.clamped)) times clamped" }
  if failure == nil || report.added + report.repeated > 0 {
    Output.remark(sentence)
  }
  if let failure { throw failure }
}
