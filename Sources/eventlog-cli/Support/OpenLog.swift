extension Invocation {
  /// The value of `--log`, or else of `$EVENTLOG`.
  private var givenLog: String? { value("--log") ?? environment("EVENTLOG") }

  /// Whether `--log` or `$EVENTLOG` names a log.
  var namesLog: Bool { givenLog?.isEmpty == false }

  /// The path of the log to read: `--log`, or else `$EVENTLOG`, or else the demo.
  var readPath: String {
    value("--log") ?? environment("EVENTLOG").flatMap { $0.isEmpty ? nil : $0 } ?? "eventlogs/demo"
  }

  /// The address of the shared log that `--log` or `$EVENTLOG` names; nil for a folder or file.
  var sharedLogAddress: String? {
    guard command.options.contains(where: { $0.name == Option.log.name }),
      let address = givenLog, isRemoteAddress(address)
    else { return nil }
    return address
  }

  /// Returns the path of the log to write: `--log` or `$EVENTLOG`, never the demo by default.
  func writePath() throws(Failure) -> String {
    guard let path = givenLog, !path.isEmpty else {
      throw .usage("\(command.name) needs a log to write to: add --log PATH or set $EVENTLOG")
    }
    if path == "-" { throw .usage("\(command.name) cannot write to standard input") }
    return path
  }

  /// Opens the log to read: a folder, a file or standard input. A file's lines may lack checksums.
  func openLog() throws -> LogView {
    let (view, damage) = try openReadable()
    if let damage { throw damage }
    return view
  }

  /// Opens the log to read, as `openLog` does. If a line of a single file is damaged, returns the
  /// events before it, and the error.
  func openReadable() throws -> (view: LogView, damage: Failure?) {
    if let session { return (session.view, nil) }
    let path = readPath
    do throws(LogError) {
      let isFile = path == "-" || (try? FileSystem.posix.status(path).kind) != .directory
      do throws(LogError) {
        if path != "-" {
          // Finishes an interrupted rewriting; without write permission, reads the log as it is.
          try? ForgettableLog.settle(path)
          return (try LogView(path: path), nil)
        }
      } catch {
        guard case .notALog(path, _) = error, isFile else { throw error }
      }
      var policy = ForeignEvents.Policy()
      policy.keepsUnknown = true
      let (view, damage) = try LogView.readable(path: path, policy: policy)
      return (view, damage.map(Self.failure))
    } catch {
      throw Self.failure(error)
    }
  }

  private static func failure(_ error: LogError) -> Failure {
    var failure = Failure(error)
    if case .damaged(let damage) = error, case .earlier = damage.fault.kind {
      failure.message += "; 'eventlog import --sort' sorts such lines into a log"
    }
    return failure
  }

  /// Opens the log to append to. A clone first fetches its shared log's new events.
  func openLogForWriting() async throws -> FileLog {
    let path = try writePath()
    let log =
      if let remote = try remote(of: path) {
        try await FileLog.open(clone: path, of: remote)
      } else {
        try FileLog(path: path)
      }
    if let recovery = log.recovery { Output.remark("recovered: \(recovery)") }
    return log
  }
}

/// Creates an empty log.
/// - Throws: exit 73 if there is a log with events.
func makeLog(_ path: String) async throws {
  do {
    let log = try FileLog(path: path, creating: true)
    if await log.head() > 0 {
      throw LogError.notALog(
        path: path, reason: "there is already a log with events here; choose another folder")
    }
    try log.beginFirstSegment()
  } catch LogError.notALog(let path, let reason) {
    throw Failure(.cannotCreate, "\(path): \(reason)")
  } catch LogError.file(let file) {
    throw Failure(.cannotCreate, "\(file)")
  }
}

/// Checks that nothing exists at a path.
/// - Throws: exit 73 if something exists at the path.
func checkNew(_ path: String) throws(Failure) {
  if (try? FileSystem.posix.status(path)) != nil {
    throw Failure(.cannotCreate, "\(path) already exists; choose a new folder")
  }
}

/// Returns an estimate of the log's size up to a revision, in bytes.
func size(of view: LogView, until revision: UInt64) throws -> Int {
  let head = try view.head().seq
  guard revision < head else { return view.size }
  return Int(Double(view.size) * (Double(revision) / Double(head)))
}

extension Invocation {
  /// Returns the log's current rules. If it records rules and `--rules` is given, both must be
  /// equal.
  func rules() throws -> Rules { try ruleHistory().current }

  /// Returns the log's rules by position: the recorded rules, or else those of `--rules`, or else
  /// the preset `climb`.
  func ruleHistory() throws -> RuleHistory {
    let given = try givenRules()
    guard let recorded = try recordedRules() else {
      return RuleHistory(unrecorded: given ?? .climb)
    }
    if let given { try recorded.check(given) }
    return recorded
  }

  /// Returns the rules that the log records; nil if it records none.
  func recordedRules() throws -> RuleHistory? {
    try RuleHistory(readPath == "-" ? RecordedRules() : RecordedRules(folder: readPath))
  }

  /// Returns the rules that an option names; nil if the option is not given.
  func givenRules(_ option: String = "--rules") throws(Failure) -> Rules? {
    try value(option).map { (name) throws(Failure) in try namedRules(name, option) }
  }

  /// Returns the rules of the preset with a name, or the rules in the file at that path.
  func namedRules(_ name: String, _ place: String) throws(Failure) -> Rules {
    if let rules = Rules.presets.first(where: { $0.name == name }) { return rules }
    let names = Rules.presets.map(\.name)
    guard name.contains("/") || name.hasSuffix(".json") else {
      throw .usage(
        "\(place) takes \(names.joined(separator: ", ")) or a file such as rules.json, "
          + "not \(quoted(name))\(didYouMean(name, names, inSentence: true))")
    }
    let text: [UInt8]
    do throws(FileError) { text = try readFile(name) } catch { throw .usage("\(error)") }
    do throws(RulesFault) {
      return try Rules(json: String(decoding: text, as: UTF8.self))
    } catch {
      throw .usage("\(name): \(error)")
    }
  }

  /// Opens the log for appending, and a core on it.
  /// - Parameters:
  ///   - environment: the clock and randomness of the core.
  ///   - tracing: called when the log is open and locked.
  func openCoreAndLog(
    environment: RuntimeEnvironment = .system, tracing: () throws -> Tracing = { Tracing() }
  ) async throws -> (core: Core, log: FileLog) {
    // Checks the option before it opens the log.
    let rules = try givenRules()
    let log = try await openLogForWriting()
    let core = try await Core.open(
      log, rules: rules, usesCheckpoints: !flag("--cold"), unknown: try unknownPolicy(),
      tracing: try tracing(), environment: environment)
    return (core, log)
  }

  /// Opens the log's state as of the revision in `--as-of`.
  func openPast() async throws -> Past {
    let view = try openLog()
    noteTail(of: view)
    let until = try revision("--as-of", in: view)
    return try await Past(
      of: view, until: until, rules: try rules(), usesCheckpoints: !flag("--cold"),
      unknown: try unknownPolicy())
  }

  /// Opens a core that only reads, on the log to read.
  /// - Parameter follows: whether the core reads events that are appended later.
  func openCoreForReading(follows: Bool) async throws -> Core {
    let view = try openLog()
    noteTail(of: view)
    return try await Core.open(
      reading: view, follows: follows, rules: try rules(), usesCheckpoints: !flag("--cold"),
      unknown: try unknownPolicy())
  }

  func photoPorts() -> PhotoPorts {
    let folder = value("--photos")
    // The log records paths relative to its folder, so that the folder can be moved.
    return PhotoPorts(
      storage: PhotoFolder(
        folder ?? (givenLog ?? ".") + "/photos", baseURL: folder == nil ? "photos/" : ""),
      encoder: defaultPhotoEncoder())
  }
}

extension Invocation {
  /// Returns the revision in an option; HEAD if the option is not given.
  func revision(_ option: String, in view: LogView) throws -> UInt64 {
    try position(option, in: view) ?? view.head().seq
  }

  /// Returns the revision in an option; nil if the option is not given.
  func position(_ option: String, in view: LogView) throws -> UInt64? {
    try value(option).map { try Self.resolve($0, in: view) }
  }

  static func resolve(_ text: String, in view: LogView) throws -> UInt64 {
    guard let revision = Revision(text) else {
      throw Failure.usage(
        "\(quoted(text)) is not a revision: write 1234, HEAD, HEAD~3, @2026-01-31T12:00:00Z, 50%, "
          + "an event id or a bookmark")
    }
    return try revision.resolve(in: view)
  }

  /// Returns the range of events in the first argument; the whole log if there is no argument.
  func range(in view: LogView) throws -> (after: UInt64, until: UInt64) {
    guard let text = positionals.first else { return (0, try view.head().seq) }
    guard let range = RevisionRange(text) else {
      throw Failure.usage("\(quoted(text)) is not a revision or range A..B")
    }
    return (try range.from.resolve(in: view), try range.to.resolve(in: view))
  }
}

/// Returns a table's footer, which names the revision of the rows.
func asOf(_ head: LogHead) -> String {
  head.seq == 0 ? "as of revision 0, the empty log" : "as of revision \(head.seq), \(head.time)"
}
