import Events
import UseCases

extension Command {
  static let initialize = Command(
    name: "init", summary: "Make a new, empty log",
    arguments: "[PATH]", positionals: 0...1,
    discussion:
      "Makes the folder with an empty first segment; exit 73 if there is a log with events in it.",
    options: [.value("--log", "PATH", "The folder; the same as the argument.")],
    examples: [Example(command: "eventlog init my.log", help: "A log in the folder my.log.")],
    run: { invocation in
      guard let path = try invocation.positionals.first ?? invocation.writePath() as String? else {
        return
      }
      try await makeLog(path)
      Output.remark("made an empty log at \(path)")
    })

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

  static let export = Command(
    name: "export", summary: "Write the events out, as they are or as CloudEvents",
    arguments: "[A..B]", positionals: 0...1,
    discussion: """
      Prints the lines of the log, byte for byte, or with --cloudevents one CloudEvents 1.0 object \
      a line. A whole export can be imported into another log as it is.
      """,
    options: [
      .log, .flag("--cloudevents", "CloudEvents 1.0 in JSON, one a line."),
      .value("--source", "URI", "The source of the CloudEvents; /eventlog if not given."),
    ],
    examples: [
      Example(command: "eventlog export > copy.jsonl", help: "The demo's lines."),
      Example(
        command: "eventlog export HEAD~10.. --cloudevents", help: "The last ten, as CloudEvents."),
    ],
    run: { try runExport($0) })
}

/// Makes an empty log, or fails with 73.
func makeLog(_ path: String) async throws {
  do throws(LogError) {
    let log = try FileLog(path: path, creating: true)
    if await log.head() > 0 {
      throw LogError.notALog(path: path, reason: "there is a log with events here already")
    }
    try log.beginFirstSegment()
  } catch {
    switch error {
    case .notALog(let path, let reason): throw Failure(.cannotCreate, "\(path): \(reason)")
    case .file(let file): throw Failure(.cannotCreate, "\(file)")
    default: throw Failure(error)
    }
  }
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

private func runExport(_ invocation: Invocation) throws {
  let view = try invocation.openLog()
  let (after, until) = try invocation.range(in: view)
  let source = invocation.value("--source") ?? "/eventlog"
  let asCloudEvents = invocation.flag("--cloudevents")
  let bar = Progress(label: "exporting", total: Int(until - min(after, until)), unit: "events")
  try failing { () throws(LogError) in
    try view.forEachLine(after: after, until: until) { line in
      if line.event.seq > until { return false }
      if asCloudEvents {
        Output.data(bytes: cloudEvent(line.event, source: source))
      } else {
        Output.data(bytes: line.bytes)
      }
      Output.write("\n")
      bar.update(Int(line.event.seq - after))
      return !Output.isBroken
    }
  }
  bar.finish()
  noteTail(of: view)
}

/// CloudEvents 1.0, JSON event format: context attributes, our own as extensions, and the data.
private func cloudEvent(_ event: RecordedEvent, source: String) -> [UInt8] {
  var out = ByteBuffer(capacity: 512)
  func member(_ name: StaticString, _ text: String) {
    out.append(",\"")
    out.append(name)
    out.append("\":")
    out.appendJSON(text)
  }
  out.append("{\"specversion\":\"1.0\",\"id\":")
  out.appendJSON("\(event.id)")
  member("source", source)
  member("type", event.type)
  member("time", "\(event.time)")
  member("subject", event.stream)
  member("datacontenttype", "application/json")
  member("sequence", "\(event.seq)")
  member("sequencetype", "Integer")
  out.append(",\"schemaversion\":\(event.version),\"revision\":\(event.rev)")
  member("actor", event.actor)
  if let cause = event.cause { member("causationid", "\(cause)") }
  if let batch = event.batch { member("batch", "\(batch.index)/\(batch.count)") }
  out.append(",\"data\":")
  out.append(event.data)
  out.append("}")
  return out.array
}
