#if SQLite || PostgreSQL
  import Mirroring
  import Tables
#endif

extension Subcommand {
  static let mirror = Subcommand(
    name: "mirror", summary: "Keep SQL tables of all projections in step with a log",
    arguments: "[check|status] URL", positionals: 1...2,
    discussion: """
      Creates tables such as profiles, follows and workouts in a database, or writes the changes \
      by the events that the tables do not reflect yet. URL is sqlite:FILE, or \
      postgresql://user@host/database?schema=NAME; the schema is public if not given. The tables \
      and the position that they reflect change in one transaction, so every event is reflected \
      exactly once. docs/sql.md describes the tables.

      A mirror keeps its tables, its history and its policies if you do not give these options. \
      It is built again, in one transaction beside the old tables, if the options differ from the \
      existing mirror, if the log was rewritten, or if its rules changed. --rebuild builds it \
      again exactly as the options say.

      check compares every row with the projections at the mirror's position, and the tables, \
      indexes and triggers with those that mirror creates. It prints the differences, and exits \
      with 1 if there are any. status prints the mirror's position, and \
      with --log also how far it is behind.

      Exit 65 if the mirror belongs to another log, or if the server refuses the database, the \
      user or the password; 74 if the database cannot be reached for 30 seconds, if its disk is \
      full, or if another program keeps erased texts in an SQLite file. With --follow, mirror \
      retries until it is interrupted.
      """,
    options: [
      .log, .follow,
      .value("--tables", "NAMES", "These tables, separated by commas, and those they refer to."),
      .flag("--history", "Also keep all versions of the rows, in tables named …_history."),
      .flag("--rebuild", "Build new tables, and replace the mirror by them."),
      .value("--policies", "supabase", "Add row-level security for Supabase's clients."),
      .flag("--print-sql", "Print the statements that create the tables, and stop."),
      .value("--limit", "N", "check: print at most N differences; 100 if not given, 0 for all."),
      .rules, .jobs, .format,
    ],
    examples: [
      "eventlog mirror sqlite:my.db --log my.log": "Tables in a file, for any SQL tool.",
      "eventlog mirror 'postgresql://app@db.example.org/app?schema=social' --log my.log --follow":
        "Tables that follow a log.",
      "eventlog mirror check sqlite:my.db --log my.log": "Compare all rows with the projections.",
    ],
    run: { try await runMirror($0) })
}

private func runMirror(_ invocation: Invocation) async throws {
  let words = invocation.positionals
  let verb = words.count == 2 || ["check", "status"].contains(words[0]) ? words[0] : nil
  if let verb {
    guard ["check", "status"].contains(verb) else {
      throw Failure.usage(
        "mirror takes check or status, or a URL alone, not \(quoted(verb))"
          + didYouMean(verb, ["check", "status"], inSentence: true))
    }
    guard words.count == 2 else { throw Failure.usage("mirror \(verb) needs a URL") }
  }
  let target = try MirrorTarget(words[words.count - 1], exists: verb != nil)
  #if SQLite || PostgreSQL
    switch verb {
    case "check": try await check(target, invocation)
    case "status": try status(target, invocation)
    default: try await write(target, invocation)
    }
  #else
    throw target.missingLibrary
  #endif
}

#if SQLite || PostgreSQL
  extension Invocation {
    /// Returns the choices for a mirror.
    fileprivate func mirrorOptions(_ target: MirrorTarget) throws -> MirrorOptions {
      var options = MirrorOptions()
      options.tables = try mirroredTables()
      if flag("--history") { options.hasHistory = true }
      if let policies = value("--policies") {
        guard policies == "supabase" else {
          throw Failure.usage("--policies takes supabase, not \(quoted(policies))")
        }
        guard case .postgresql = target.address else {
          throw Failure.usage("--policies needs a PostgreSQL database")
        }
        options.policies = policies
      }
      (options.rebuilds, options.follows) = (flag("--rebuild"), flag("--follow"))
      (options.rules, options.jobs) = (try givenRules(), try jobs())
      return options
    }

    private func mirroredTables() throws(Failure) -> [String]? {
      guard let list = value("--tables") else { return nil }
      let names = list.split(separator: ",").map { String($0.trimmingPrefix(" ")) }
      guard !names.isEmpty else { throw .usage("--tables takes names such as profiles,follows") }
      for name in names where TableState.index(of: name) == nil {
        let known = TableState.schemas.map(\.name)
        let near = didYouMean(name, known, inSentence: true)
        let list = near.isEmpty ? "; the tables are " + known.joined(separator: ", ") : near
        throw .usage("there is no table \(quoted(name))\(list)")
      }
      return names
    }

    /// Refuses the options that a form of the command does not use.
    /// - Parameters:
    ///   - form: the command's name in the message.
    ///   - used: the options that it uses.
    fileprivate func refuseOptions(of form: String, besides used: Set<String>) throws(Failure) {
      for option in command.options.map(\.name) where flag(option) && !used.contains(option) {
        throw .usage("\(form) does not take \(option)")
      }
    }

    /// Returns a function that opens the log as it is when the function is called.
    fileprivate func logOpener() throws -> @Sendable () throws(LogError) -> LogView {
      let view = try openLog()
      if !view.isLog {
        if flag("--follow") {
          throw Failure.usage(
            "--follow needs a log in a folder: nothing is appended to a file or a pipe")
        }
        return { () throws(LogError) in view }
      }
      return { [path = view.path] () throws(LogError) in try LogView(path: path) }
    }
  }

  private func write(_ target: MirrorTarget, _ invocation: Invocation) async throws {
    try invocation.refuseOptions(
      of: "mirror without check or status",
      besides: [
        "--log", "--follow", "--tables", "--history", "--rebuild", "--policies", "--print-sql",
        "--rules", "--jobs",
      ])
    let options = try invocation.mirrorOptions(target)
    if invocation.flag("--print-sql") {
      let schemas = try TableState.schemas(
        of: options.tables, withHistory: options.hasHistory == true,
        policies: options.policies ?? "", rules: try invocation.rules())
      for statement in target.allStatements(schemas, policies: options.policies ?? "") {
        Output.line("\(statement);\n")
      }
      return
    }
    let open = try invocation.logOpener()
    let bar = Progress(label: "mirror", total: 0, unit: "events")
    let start = monotonicSeconds()
    if options.follows { Signals.take() }
    let work = Task { () async throws(any Error) -> MirrorReport in
      let mirror = Mirror(
        try target.database(), options, statements: target.statements,
        says: {
          bar.clear()
          Output.remark($0)
        },
        progress: { bar.update($1, of: $2, $0) }, of: open)
      return try await mirror.run()
    }
    let watch = Task {
      while !Signals.shouldStop { try await Task.sleep(for: .milliseconds(50)) }
      work.cancel()
    }
    defer { watch.cancel() }
    let report = try await work.value
    bar.finish()
    Output.remark(sentence(report, target.address.name, monotonicSeconds() - start))
    if report.mayHaveErasedTexts {
      throw Failure(
        .inputOutput,
        "another program reads \(target.address.name), so that erased texts may still be in its "
          + "files: end that program, and run this command again")
    }
  }

  /// Returns the note about a mirror's work.
  private func sentence(_ report: MirrorReport, _ name: String, _ seconds: Double) -> String {
    let position = "event \(grouped(Int(clamping: report.position)))"
    let (events, rows) = (Int(clamping: report.events), counted(report.rows, "row"))
    let time = "in \(fixed(seconds, 1)) s"
    if let reason = report.reason {
      return "\(name): built (\(reason)) with \(rows) at \(position), \(time)"
    }
    if events == 0 { return "\(name) is at \(position); nothing new" }
    return "\(name): \(counted(events, "event")) changed \(rows); now at \(position), \(time)"
  }

  private func check(_ target: MirrorTarget, _ invocation: Invocation) async throws {
    try invocation.refuseOptions(
      of: "mirror check", besides: ["--log", "--rules", "--jobs", "--format", "--limit"])
    let format = try invocation.format()
    let limit = try invocation.rowLimit(default: 100) ?? .max
    var options = MirrorOptions()
    (options.rules, options.jobs) = (try invocation.givenRules(), try invocation.jobs())
    let open = try invocation.logOpener()
    var rows = RowStream(
      [
        .text("table"), .text("key"), .text("column"), .text("mirror", "IN THE MIRROR"),
        .text("log", "ACCORDING TO THE LOG"),
      ], format)
    let database = try target.database()
    let result = try await MirrorCheck(
      database, options, statements: target.statements, stored: target.stored, of: open
    ) { difference in
      if rows.count < limit { rows.add(cells(difference, database)) }
    }
    let compared =
      "\(counted(result.rows, "row")) of \(counted(result.tables, "table")) at event "
      + grouped(Int(clamping: result.state.position))
    if result.differences == 0, format == .table {
      return Output.line("\(compared): no difference")
    }
    rows.finish()
    if result.differences > 0 {
      throw Failure(.refused, "\(counted(result.differences, "difference")) in \(compared)")
    }
  }

  private func cells(
    _ difference: MirrorDifference, _ database: any MirrorDatabase
  ) -> [Cell] {
    let key = difference.key.map(\.plainText).joined(separator: ", ")
    let start: [Cell] = [.text(difference.table), .text(key)]
    switch difference.kind {
    case .missing: return start + [.null, .text("no row"), .text("a row")]
    case .extra: return start + [.null, .text("a row"), .text("no row")]
    case .object(let name, let mirrored, let declared):
      return [.text(difference.table), .null, .null]
        + [mirrored, declared].map { .text($0.map { "\(name): \($0)" } ?? "no \(name)") }
    case .value(let column, let mirrored, let logged):
      return start + [
        .text(column.name), .text(database.text(mirrored, in: column)),
        .text(database.text(logged, in: column)),
      ]
    }
  }

  private func status(_ target: MirrorTarget, _ invocation: Invocation) throws {
    try invocation.refuseOptions(of: "mirror status", besides: ["--log", "--format"])
    let format = try invocation.format()
    guard let state = try target.database().state() else {
      throw Failure(
        .refused, "\(target.address.name) has no mirror; create one with 'eventlog mirror'")
    }
    var rows = Rows([
      .number("position"), .text("time"), .number("tables"), .truth("history"), .text("policies"),
      .number("eventsBehind", "EVENTS BEHIND"), .number("secondsBehind", "SECONDS BEHIND"),
    ])
    var behind: [Cell] = [.null, .null]
    if invocation.namesLog {
      let head = try invocation.openLog().head()
      let events = head.seq > state.position ? head.seq - state.position : 0
      let time = max(0, head.time.milliseconds - state.time.milliseconds)
      behind = [.int(Int(clamping: events)), .int(events == 0 ? 0 : Int(time / 1_000))]
    }
    rows.add(
      [
        .int(Int(clamping: state.position)), state.position == 0 ? .null : .text("\(state.time)"),
        .int(state.tables.split(separator: ",").count), .bool(state.hasHistory),
        state.policies.isEmpty ? .null : .text(state.policies),
      ] + behind)
    rows.write(format, footer: state.tables.replacing(",", with: ", "))
  }
#endif
