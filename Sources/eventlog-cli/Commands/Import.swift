extension Subcommand {
  static let `import` = Subcommand(
    name: "import", summary: "Seal events from elsewhere into a log that exists",
    arguments: "FILE", positionals: 1...1,
    discussion: """
      FILE has one event a line, - is standard input. A line needs type, actor and data; time, v, \
      stream, rev, id, cause and batch are kept where they are given. A time is RFC 3339, with any \
      offset, or as PostgreSQL prints it; it is kept in UTC, to the millisecond. Form, order and \
      revisions are checked; the domain's rules only with --strict. Events that the log has \
      already are passed over, so importing a file twice adds nothing.

      What export R.. printed is added to a log that ends with the same event R, or later, byte \
      for byte: then both logs are the same.

      At the first wrong line the import stops and names it. What came before stays: mend the line \
      and import the file again. With --sort the whole file is looked at first.
      """,
    options: [
      .log, .flag("--sort", "Put the lines in the order of their times first; any size."),
      .flag("--clamp-times", "Set a time before the last one to the last one; says how many."),
      .flag("--strict", "Stop with exit 1 at the first event that the domain forbids."), .rules,
      .flag("--keep-unknown", "Keep events of unknown type or version instead of refusing them."),
    ],
    examples: [
      "eventlog import history.jsonl --log my.log": "From a file.",
      "psql -Atc 'select …' | eventlog import - --sort --log my.log": "From a pipe, in any order.",
      "eventlog export 1000.. --log a | eventlog import - --log b":
        "What b, a copy of a up to event 1000, lacks.",
    ],
    run: { try await runImport($0) })
}

private func runImport(_ invocation: Invocation) async throws {
  let path = try invocation.writePath()
  _ = try invocation.rules()
  var policy = ForeignEvents.Policy()
  policy.clampsTimes = invocation.flag("--clamp-times")
  policy.keepsUnknown = invocation.flag("--keep-unknown")
  var lines = try ForeignLines(path: invocation.positionals[0])
  let log = try await invocation.openLogForWriting()
  let isPart = try lines.peek().map(LogPart.begins) ?? false
  let sorts = invocation.flag("--sort") && !isPart
  let size = (lines.size ?? 0) * (sorts ? 2 : 1)
  let bar = Progress(label: "importing", total: size, unit: "bytes")
  // A clone has the rules of its shared log now.
  var judge = try Judge(
    try invocation.ruleHistory(), invocation.flag("--strict") ? log.view() : nil)
  let progress = { (done: Int) in
    bar.update(done)
    Interrupt.cancelTask()
  }
  Interrupt.defer()
  var report: Import.Report
  var failure: Failure?
  if isPart {
    var part = LogPart(lines, policy, names: judge.names)
    do throws(ImportError) {
      try await part.append(
        to: log, judge: { judge.sentence($0, $1, $2, $3) }, progress: progress)
    } catch {
      failure = Failure(error, part.report, sorts: sorts)
    }
    report = part.report
  } else {
    var run = Import(lines, policy, sortingIn: sorts ? path : nil, names: judge.names)
    do throws(ImportError) {
      try await run.run(
        into: log, judges: judge.isNeeded, judge: { judge.sentence($0, $1, $2, $3) },
        progress: progress)
    } catch {
      failure = Failure(error, run.report, sorts: sorts)
    }
    report = run.report
  }
  bar.finish()
  if failure == nil || report.added + report.repeated > 0 { tell(report, sorts: sorts) }
  if report.added > 0, !invocation.flag("--strict") { try await tellOfBlocks(report, log) }
  if let failure { throw failure }
  if isPart {
    let head = try log.view().head()
    Output.remark("the log ends with event \(head.seq), sum \(head.sum.padded(to: 16, radix: 16))")
  }
}

/// The check of each event that `--strict` asks for.
private struct Judge {
  let isNeeded: Bool
  private(set) var names = Names()
  private var audit: Audit
  /// Events that the log already has are skipped, not judged again.
  private var known: Set<EventID> = []

  /// - Parameter view: the log so far; nil if nothing is judged.
  init(_ rules: RuleHistory, _ view: LogView?) throws {
    audit = Audit(rules)
    isNeeded = view != nil
    guard let view else { return }
    var (names, audit, known) = (names, audit, known)
    try view.forEachEventOfCommits(&names, unknown: .skip) {
      audit.apply(copy $0, actor: $1, at: $2, endsCommit: $3) { _ in }
    }
    try view.forEachEvent { known.insert($0.id).inserted || true }
    (self.names, self.audit, self.known) = (names, audit, known)
  }

  mutating func sentence(
    _ event: Event, _ actor: EventActor, _ moment: Moment, _ place: Import.Place
  ) -> String? {
    guard isNeeded, place.id.map(known.contains) != true else { return nil }
    var sentence: String?
    audit.apply(event, actor: actor, at: moment, endsCommit: place.endsCommit) {
      sentence = sentence ?? $0.sentence
    }
    return sentence
  }
}

/// Reports the follows, friendships and requests that an import has left across a block.
private func tellOfBlocks(_ report: Import.Report, _ log: FileLog) async throws {
  let isNew = try log.view().head().seq == UInt64(report.added)
  // Without a block there is nothing to find.
  guard report.blocks > 0 || report.ties > 0 && !isNew else { return }
  let view = log.view()
  var replay = Replay(Pair<FollowLists, Relationships>())
  var options = ReplayOptions()
  options.unknown = .skip
  guard (try? await replay.run(view, options: options)) != nil else { return }
  let pairs = replay.projection.first.parted + replay.projection.second.parted
  guard let first = pairs.first else { return }
  let count = Set(pairs.map { [$0.0, $0.1] }).count
  Output.remark(
    "\(counted(count, "pair")) of users, \(replay.names[first.0]) and "
      + "\(replay.names[first.1]) among them, have a follow, friendship or request although one "
      + "blocks the other; it does not count until the block ends; check names the events")
}

/// Reports on standard error what an import did.
private func tell(_ report: Import.Report, sorts: Bool) {
  var sentence = "\(counted(report.added, "event")) added"
  if report.repeated > 0 {
    sentence +=
      ", \(grouped(report.repeated)) \(report.repeated == 1 ? "was" : "were") there already"
  }
  Output.remark(sentence)
  let clamped = report.clamped
  guard clamped.count > 0 else { return }
  Output.remark(
    "--clamp-times moved the times of \(grouped(clamped.count)) of "
      + "\(counted(report.added, "event")) forward: the first in line "
      + "\(grouped(clamped.firstLine)), the most by "
      + "\(duration(clamped.furthest)), in line \(grouped(clamped.furthestLine))"
      + (sorts ? "" : "; --sort keeps times that are out of order"))
}

/// Milliseconds in their two largest units: `63 d 4 h`, `250 ms`.
private func duration(_ milliseconds: Int64) -> String {
  let units: [(name: String, size: Int64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1),
  ]
  let first = units.firstIndex { milliseconds >= $0.size } ?? units.count - 1
  var rest = milliseconds
  var parts: [String] = []
  for unit in units[first...].prefix(2) where rest >= unit.size || unit.size == 1 && parts.isEmpty {
    parts.append("\(grouped(Int(rest / unit.size))) \(unit.name)")
    rest %= unit.size
  }
  return parts.joined(separator: " ")
}

extension Failure {
  fileprivate init(_ error: ImportError, _ report: Import.Report, sorts: Bool) {
    let isOrder = error.isOrder
    switch error {
    case .log(let error):
      self.init(error)
      if case .damaged(let damage) = error, damage.fault.isUnknown {
        message += "; keep such events with --keep-unknown"
      }
      if isOrder {
        let isIn = report.added > 0 ? " (into a new log: what came before is in this one)" : ""
        let sort = "--sort puts the lines in the order of their times\(isIn), "
        message += "; " + (sorts ? "" : sort) + "--clamp-times moves such a time forward"
      }
    case .forbidden(let line, let file, let sentence):
      self.init(.refused, "\(file), line \(line): \(sentence)")
    case .beforeLog(let line, let file, let time, let last):
      let why = time == .epoch ? " (of lines without a time, the first is of 1970)" : ""
      self.init(
        .data,
        "\(file), line \(line): \(time)\(why) is before \(last), the time of the log's last event; "
          + "--clamp-times moves such a time forward")
    case .noPart(let line, let file, let fault):
      self.init(.data, "\(file), line \(line): \(Self.sentence(fault))")
    case .cancelled:
      self.init(.interrupted, "interrupted; importing again goes on from there")
    }
  }

  private static func sentence(_ fault: PartFault) -> String {
    switch fault {
    case .gap(let first, let head):
      "begins with event \(first), but this log "
        + (head == 0 ? "is empty" : "ends with event \(head)")
        + "; use what export \(head).. prints of the other log"
    case .doesNotFollow(let seq):
      "event \(seq) does not follow event \(seq - 1) of this log: the line was changed, or the "
        + "logs differ there or before; compare what show \(seq - 1) says of each"
    case .differs(let seq):
      "this log has another event \(seq); the two logs are the same up to event \(seq - 1)"
    case .rewritten(let entry):
      "the file is a copy from before the rewriting of \(entry.time), in which this log forgot "
        + "somebody from event \(entry.first) on; nothing of it from there is imported"
    }
  }
}
