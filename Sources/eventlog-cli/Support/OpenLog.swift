extension Invocation {
  /// The path of the log to read: `--log`, else `$EVENTLOG`, else the demo.
  var readPath: String {
    value("--log") ?? environment("EVENTLOG").flatMap { $0.isEmpty ? nil : $0 } ?? "eventlogs/demo"
  }

  /// Returns the path of the log to write: `--log` or `$EVENTLOG`, never the demo by default.
  func writePath() throws(Failure) -> String {
    guard let path = value("--log") ?? environment("EVENTLOG"), !path.isEmpty else {
      throw .usage("\(command.name) needs a log to write to: add --log PATH or set $EVENTLOG")
    }
    if path == "-" { throw .usage("\(command.name) cannot write to standard input") }
    return path
  }

  /// Opens the log to read: a folder; or a single file or standard input, as an unsealed log.
  func openLog() throws -> LogView {
    if let session { return session.view }
    let path = readPath
    do throws(LogError) {
      var policy = ForeignEvents.Policy()
      policy.keepsUnknown = true
      if path == "-" { return try .unsealed(path: path, policy: policy) }
      do throws(LogError) {
        // Finishes an interrupted rewriting; without write permission, reads the log as it is.
        try? ForgettableLog.settle(path)
        return try LogView(path: path)
      } catch {
        let isFile = (try? FileSystem.posix.status(path).kind) != .directory
        guard case .notALog(path, _) = error, isFile else { throw error }
        return try .unsealed(path: path, policy: policy)
      }
    } catch {
      var failure = Failure(error)
      if case .damaged(let damage) = error, case .earlier = damage.fault.kind {
        failure.message += "; 'eventlog import --sort' sorts such lines into a log"
      }
      throw failure
    }
  }

  /// Opens the log to append to; a clone first fetches the events that others appended.
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

/// Checks that a path is free.
/// - Throws: exit 73 if something exists at the path.
func checkNew(_ path: String) throws(Failure) {
  if (try? FileSystem.posix.status(path)) != nil {
    throw Failure(.cannotCreate, "\(path) already exists; choose a new folder")
  }
}

/// Estimates the bytes of the log up to a revision.
func size(of view: LogView, until revision: UInt64) throws -> Int {
  let head = try view.head().seq
  guard revision < head else { return view.size }
  return Int(Double(view.size) * (Double(revision) / Double(head)))
}
