extension Subcommand {
  static let `import` = Subcommand(
    name: "import", summary: "Append events from a file to an existing log",
    arguments: "FILE", positionals: 1...1,
    discussion: """
      FILE has one event per line; - is standard input. A line needs type, actor and data; time, \
      v, stream, rev, id, cause and batch are kept if they are given. A line without v has the \
      present version of its type. A time is in RFC 3339, with any offset, or as PostgreSQL prints \
      it; it is stored in UTC, to the millisecond. Form, order and revisions are checked; the \
      domain's rules only with --strict. Events that the log already has are skipped, so \
      importing a file twice adds nothing.

      The output of 'export R..' is added, byte for byte, to a log that ends with the same event \
      R, or later. Then both logs are equal.

      The import stops at the first wrong line and names it. The lines before it stay imported: \
      correct the line and import the file again. With --sort the whole file is read first.
      """,
    options: [
      .log, .flag("--sort", "Sort the lines by time first; the file may have any size."),
      .flag(
        "--clamp-times", "Move a time that is before the last one to the last one; prints how many."
      ),
      .flag("--strict", "Stop with exit 1 at the first event that breaks a rule."), .rules,
      .flag("--keep-unknown", "Keep events of unknown type or version instead of refusing them."),
    ],
    examples: [
      "eventlog import history.jsonl --log my.log": "Import a file.",
      "psql -Atc 'select …' | eventlog import - --sort --log my.log":
        "Import from a pipe, in any order.",
      "eventlog export 1000.. --log a | eventlog import - --log b":
        "Bring b, a copy of a up to event 1000, up to date.",
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
  // If the log is a clone, opening it has already fetched the shared log's rules.
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
  if failure == nil || report.added + report.repeated > 0 { show(report, sorts: sorts) }
  if report.added > 0, !invocation.flag("--strict") { try await tellOfBlocks(report, log) }
  if let failure { throw failure }
  if isPart {
    let head = try log.view().head()
    let checksum = head.sum.padded(to: 16, radix: 16)
    Output.remark("the log ends with event \(head.seq), checksum \(checksum)")
  }
}

/// A check whether the rules allow each imported event, for `--strict`.
private struct Judge {
  let isNeeded: Bool
  private(set) var names = Names()
  private var audit: Audit
  /// The ids of the events in the log, which are not checked again.
  private var known: Set<EventID> = []

  /// Creates a check that continues after the events that the log already has.
  /// - Parameter view: the log before the import; nil to check nothing.
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

/// Reports all pairs of users with a follow, a friendship or a friend request although one user
/// blocks the other.
private func tellOfBlocks(_ report: Import.Report, _ log: FileLog) async throws {
  let isNew = try log.view().head().seq == UInt64(report.added)
  // This needs a new block, or a new follow, friendship or request in a log that may have blocks.
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
    "found \(counted(count, "pair")) of users, such as \(replay.names[first.0]) and "
      + "\(replay.names[first.1]), with a follow, friendship or request although one blocks the "
      + "other; it is ignored until the block ends; 'eventlog check' names the events")
}

/// Prints the result of an import to standard error.
private func show(_ report: Import.Report, sorts: Bool) {
  var sentence = "\(counted(report.added, "event")) added"
  if report.repeated > 0 {
    sentence +=
      ", \(grouped(report.repeated)) \(report.repeated == 1 ? "was" : "were") already there"
  }
  Output.remark(sentence)
  let assumed = report.assumedVersions.sorted { $0.key.rawValue < $1.key.rawValue }
    .map { "\($0.key.name) version \($0.key.version) (\(grouped($0.value)))" }
  if !assumed.isEmpty {
    Output.remark(
      "lines without a 'v' were read as \(assumed.joined(separator: ", ")); to import another "
        + "version, state it, such as \"v\":1")
  }
  let clamped = report.clamped
  guard clamped.count > 0 else { return }
  Output.remark(
    "--clamp-times moved the times of \(grouped(clamped.count)) of "
      + "\(counted(report.added, "event")) forward: the first in line "
      + "\(grouped(clamped.firstLine)), the most by "
      + "\(duration(clamped.furthest)), in line \(grouped(clamped.furthestLine))"
      + (sorts ? "" : "; --sort would keep the times"))
}

/// Formats milliseconds in their two largest units: `63 d 4 h`, `250 ms`.
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
        let isIn =
          report.added > 0 ? " (into a new log: this one already has the lines before)" : ""
        let sort = "--sort sorts the lines by time\(isIn), "
        message += "; " + (sorts ? "" : sort) + "--clamp-times moves such a time to the last one"
      }
    case .forbidden(let line, let file, let sentence):
      self.init(.refused, "\(file), line \(line): \(sentence)")
    case .beforeLog(let line, let file, let time, let last):
      let why = time == .epoch ? " (the default for lines without a time)" : ""
      self.init(
        .data,
        "\(file), line \(line): \(time)\(why) is before \(last), the time of the log's last event; "
          + "--clamp-times moves such a time to the last one")
    case .noPart(let line, let file, let fault):
      self.init(.data, "\(file), line \(line): \(Self.sentence(fault))")
    case .cancelled:
      self.init(.interrupted, "interrupted; import again to continue")
    }
  }

  private static func sentence(_ fault: PartFault) -> String {
    switch fault {
    case .gap(let first, let head):
      "begins with event \(first), but this log "
        + (head == 0 ? "is empty" : "ends with event \(head)")
        + "; import the output of 'export \(head)..' of the other log"
    case .doesNotFollow(let seq):
      "event \(seq) does not follow event \(seq - 1) of this log: the line was changed, or the "
        + "logs differ at event \(seq - 1) or before; compare 'show \(seq - 1)' of both logs"
    case .differs(let seq):
      "this log has a different event \(seq); the two logs are equal up to event \(seq - 1)"
    case .rewritten(let entry):
      "the file is a copy from before the rewriting of \(entry.time), in which this log forgot "
        + "somebody from event \(entry.first) on; events from there on are not imported"
    }
  }
}
