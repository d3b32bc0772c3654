import Events

extension Option {
  static let log = Option.value(
    "--log", "PATH", "The log: a folder, a .jsonl file, or - for standard input.")
  static let asOf = Option.value(
    "--as-of", "R", "The state after revision R: 1234, HEAD~3, @2026-01-31T12:00:00Z, 50%, an id.")
  static let format = Option.value(
    "--format", "table|json|jsonl|csv", "How to print: table is for people, the rest for programs.")
  static let limit = Option.value("--limit", "N", "At most N rows; 0 is all.")
  static let jobs = Option.value("--jobs", "N", "Read with N tasks; as many as there are cores.")
  static let cold = Option.flag("--cold", "Start from the log's text, not from a checkpoint.")
  static let unknown = Option.value(
    "--unknown", "stop|skip", "What to do at an event of unknown type or version: stop, or skip it."
  )
}

extension Invocation {
  /// The path of the log to read: `--log`, else `$EVENTLOG`, else the demo.
  var readPath: String {
    value("--log") ?? environment("EVENTLOG").flatMap { $0.isEmpty ? nil : $0 } ?? "eventlogs/demo"
  }

  /// The path of the log to write: `--log` or `$EVENTLOG`, never the demo by default.
  func writePath() throws(Failure) -> String {
    guard let path = value("--log") ?? environment("EVENTLOG"), !path.isEmpty else {
      throw .usage("\(command.name) writes: say to which log, with --log PATH or $EVENTLOG")
    }
    if path == "-" { throw .usage("\(command.name) cannot write to standard input") }
    return path
  }

  /// Opens the log to read: a folder, or a lone file or standard input as an unsealed log.
  func openLog() throws(Failure) -> LogView {
    if let session { return session.view }
    let path = readPath
    do throws(LogError) {
      var policy = ForeignEvents.Policy()
      policy.keepsUnknown = true
      if path == "-" { return try .unsealed(path: path, policy: policy) }
      do throws(LogError) {
        return try LogView(path: path)
      } catch {
        guard case .notALog(path, _) = error, isFile(path) else { throw error }
        return try .unsealed(path: path, policy: policy)
      }
    } catch {
      var failure = Failure(error)
      if case .damaged(let damage) = error, case .earlier = damage.fault.kind {
        failure.message += "; import --sort puts such lines in order in a log"
      }
      throw failure
    }
  }

  private func isFile(_ path: String) -> Bool {
    (try? FileSystem.posix.status(path).kind) != .directory
  }

  /// The revision an option names, HEAD if it is not given.
  func revision(_ option: String, in view: LogView) throws(Failure) -> UInt64 {
    guard let text = value(option) else {
      return try failing { () throws(LogError) in try view.head().seq }
    }
    return try Self.resolve(text, in: view)
  }

  static func resolve(_ text: String, in view: LogView) throws(Failure) -> UInt64 {
    guard let revision = Revision(text) else {
      throw .usage(
        "\(quoted(text)) is no revision: write 1234, HEAD, HEAD~3, @2026-01-31T12:00:00Z, 50%, "
          + "an event id or a bookmark")
    }
    return try failing { () throws(LogError) in try revision.resolve(in: view) }
  }

  /// The range a positional argument names; everything if there is none.
  func range(in view: LogView) throws(Failure) -> (after: UInt64, until: UInt64) {
    guard let text = positionals.first else {
      return (0, try failing { () throws(LogError) in try view.head().seq })
    }
    guard let range = RevisionRange(text) else {
      throw .usage("\(quoted(text)) is no revision or range A..B")
    }
    return try failing { () throws(LogError) in
      (try range.from.resolve(in: view), try range.to.resolve(in: view))
    }
  }

  func unknownPolicy() throws(Failure) -> ChunkConsumer.UnknownPolicy {
    switch value("--unknown") ?? "stop" {
    case "stop": return .stop
    case "skip": return .skip
    case let other: throw .usage("--unknown takes stop or skip, not \(quoted(other))")
    }
  }
}

/// - Throws: exit 73 for a path where there is something.
func checkNew(_ path: String) throws(Failure) {
  if (try? FileSystem.posix.status(path)) != nil {
    throw Failure(.cannotCreate, "\(path) is there already; name a new folder")
  }
}

/// Says on standard error that a log's end was not read, and why.
func noteTail(of view: LogView) {
  guard let segment = view.lastSegment else { return }
  switch view.tail {
  case .none, .unterminated: break
  case .torn(let bytes):
    Output.remark("note: \(segment): \(bytes) bytes after the last line are not read")
  case .unfinishedBatch(let events, _):
    Output.remark(
      "note: \(segment): the first \(events) events of an unfinished commit at the end "
        + "are not read")
  }
}

/// Says on standard error how many events were passed over.
func noteSkipped(_ skipped: [UnknownType: Int]) {
  for (type, count) in skipped.sorted(by: {
    ($0.key.name, $0.key.version) < ($1.key.name, $1.key.version)
  }) {
    Output.remark(
      "note: skipped \(counted(count, "event")) of unknown type "
        + "\(type.name) version \(type.version)")
  }
}

/// A number with its noun: `1 event`, `2,000 events`.
func counted(_ count: Int, _ noun: String) -> String {
  grouped(count) + " " + (count == 1 ? noun : noun + "s")
}

/// Turns an error of the log into the command's failure.
func failing<T: ~Copyable>(_ body: () throws(LogError) -> T) throws(Failure) -> T {
  do throws(LogError) {
    return try body()
  } catch {
    throw Failure(error)
  }
}

extension Failure {
  /// The exit code that the convention of sysexits.h has for what went wrong.
  init(_ error: LogError) {
    let code: ExitCode
    var message = "\(error)"
    switch error {
    case .noSuchLog(let path):
      code = .noInput
      if path == "eventlogs/demo" { message += "; name one with --log PATH or $EVENTLOG" }
    case .file(let file):
      code = file.isDenied || file.isNotFound ? .noInput : .inputOutput
    case .notALog: code = .noInput
    case .damaged, .invalidEvent, .unknownType, .notImported, .idTaken, .timeGoesBack, .conflict:
      code = .data
    case .locked: code = .cannotCreate
    case .closed, .store: code = .inputOutput
    case .noSuchRevision: code = .usage
    }
    if case .unknownType = error { message += "; pass over such events with --unknown skip" }
    self.init(code, message)
  }
}
