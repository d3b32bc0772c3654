#if PostgreSQL
  import EventLog
  import Events
  import Foundation
  import PostgreSQL
  import PostgresTesting
  import Synchronization
  import Testing

  /// Folders for clones, deleted with the object.
  final class Scratch: Sendable {
    let path = NSTemporaryDirectory() + "eventlog-clones-" + UUID().uuidString

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func clone(
      _ address: String, _ name: String, patience: Duration = .seconds(30),
      timeout: Duration = .seconds(10)
    ) async throws -> FileLog {
      let remote = PostgresRemote(
        try PostgresAddress(address), patience: patience, timeout: timeout)
      let path = path + "/" + name
      if try Clone.address(of: path) != nil {
        return try await FileLog.open(clone: path, of: remote)
      }
      return try await FileLog.clone(remote, address: address, to: path)
    }
  }

  func newLog(_ server: PostgresServer) async throws -> String {
    let address = server.newLog()
    try await PostgresRemote(try PostgresAddress(address)).prepare()
    return address
  }

  func following(_ follower: String, _ followee: String, id: EventID? = nil) -> NewEvent {
    var names = Names()
    guard let one = try? names.user(follower), let other = try? names.user(followee) else {
      preconditionFailure("not an id")
    }
    return NewEvent(
      .follow(.followed(Follow(follower: one, followee: other))), actor: follower, id: id,
      names: names)
  }

  /// Concurrent writers that append one event after the other, each with its own id. A writer
  /// retries with the same id until the event is acknowledged.
  final class Writers: Sendable {
    private let acknowledged = Mutex<[EventID: UInt64]>([:])
    private let isEnding = Atomic(false)
    private let faults = Mutex<[String: Int]>([:])

    var count: Int { acknowledged.withLock { $0.count } }

    func end() { isEnding.store(true, ordering: .relaxed) }

    func run(_ logs: [FileLog]) async {
      await withTaskGroup(of: Void.self) { group in
        for (number, log) in logs.enumerated() {
          group.addTask { await self.write(log, number) }
        }
      }
    }

    private func write(_ log: FileLog, _ number: Int) async {
      var index = 0
      while !isEnding.load(ordering: .relaxed) {
        index += 1
        let id = EventID(
          time: systemTime(), random: (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
        )
        let commit = Commit([following("w\(number)", "n\(index)", id: id)])
        while true {
          do {
            let appended = try await log.append(commit)
            acknowledged.withLock { $0[id] = appended.last }
            break
          } catch {
            let name =
              error.remoteFault.map { "\($0)".prefix { $0 != ":" } } ?? "\(error)".prefix(40)
            faults.withLock { $0[String(name), default: 0] += 1 }
            if isEnding.load(ordering: .relaxed) { return }
            try? await Task.sleep(for: .milliseconds(20))
          }
        }
      }
    }

    /// Checks that every acknowledged event is at its reported position, that none is there twice,
    /// and that no position is missing.
    func check(_ address: String, _ scratch: Scratch) async throws {
      let log = try await scratch.clone(address, "check-" + UUID().uuidString)
      let events = try await log.read(after: 0, limit: .max)
      #expect(events.map(\.seq) == events.indices.map { UInt64($0) + 1 })
      #expect(Set(events.map(\.id)).count == events.count)
      let places = Dictionary(uniqueKeysWithValues: events.map { ($0.id, $0.seq) })
      let lost = acknowledged.withLock { $0.filter { places[$0.key] != $0.value } }
      #expect(lost.isEmpty, "\(lost.count) of \(count) are lost or elsewhere")
      #expect(try log.view().verify().head.seq == UInt64(events.count))
      log.close()
    }
  }
#endif
