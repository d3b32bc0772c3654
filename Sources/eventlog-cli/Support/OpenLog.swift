import EventLog
import Events

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
        // A forgetting that was interrupted is finished; who may not do that reads on all the same.
        try? ForgettableLog.settle(path)
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
}
