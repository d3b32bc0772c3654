import Foundation
import Testing

@testable import EventLog
@testable import Events

#if PostgreSQL
  import PostgreSQL
  import PostgresTesting
#endif

/// The kinds of shared logs; PostgreSQL only in builds that have it.
enum RemoteKind: String, CaseIterable, Sendable {
  case folder
  #if PostgreSQL
    case postgres
  #endif

  /// Creates a new, empty shared log.
  func make(_ folder: ScratchFolder) async throws -> any RemoteLog {
    switch self {
    case .folder:
      let path = folder.path + "/shared"
      try FileLog(path: path, creating: true, files: .unsynced).beginFirstSegment()
      return try FolderRemote(path: path, segmentSize: 4_000, files: .unsynced)
    #if PostgreSQL
      case .postgres:
        let server = try #require(PostgresServer.shared, "no PostgreSQL server could be started")
        let remote = PostgresRemote(try PostgresAddress(server.newLog()))
        try await remote.prepare()
        return remote
    #endif
    }
  }
}

extension ScratchFolder {
  /// Creates a clone in the folder.
  func clone(
    of remote: any RemoteLog, _ clock: SteppedClock = SteppedClock(), as name: String = "log"
  ) async throws -> FileLog {
    let path = path + "/" + name
    if (try? Clone.address(of: path)) ?? nil == nil {
      return try await FileLog.clone(
        remote, address: remote.name, to: path, segmentSize: 4_000, files: .unsynced,
        environment: clock.environment)
    }
    return try await FileLog.open(
      clone: path, of: remote, segmentSize: 4_000, files: .unsynced,
      environment: clock.environment)
  }
}
