import EventLog
import Events

/// Creates an empty log, or fails with exit code 73.
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

/// - Throws: exit 73 if something exists at the path.
func checkNew(_ path: String) throws(Failure) {
  if (try? FileSystem.posix.status(path)) != nil {
    throw Failure(.cannotCreate, "\(path) is there already; name a new folder")
  }
}
