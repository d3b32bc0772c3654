import FaultTesting
import Foundation
import Synchronization
import Testing

@testable import EventLog
@testable import Events

/// A new folder under the system's temporary directory, removed with its last reference.
final class ScratchFolder: Sendable {
  let path = NSTemporaryDirectory() + "eventlog-store-" + UUID().uuidString

  init() { makeFolder("") }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var log: String { path + "/log" }

  func makeFolder(_ name: String) {
    try? FileManager.default.createDirectory(
      atPath: path + "/" + name, withIntermediateDirectories: true)
  }

  /// The bytes of a file, by its name relative to the folder; empty if there is no such file.
  func bytes(_ name: String) -> [UInt8] {
    FileManager.default.contents(atPath: path + "/" + name).map(Array.init) ?? []
  }

  /// Writes in place: a file that exists keeps its identity.
  func write(_ bytes: [UInt8], to name: String) { overwrite(path + "/" + name, with: bytes) }

  func names(_ folder: String = "") -> [String] {
    let found = try? FileManager.default.contentsOfDirectory(atPath: path + "/" + folder)
    return (found ?? []).sorted()
  }

  func remove(_ name: String) { try? FileManager.default.removeItem(atPath: path + "/" + name) }

  /// The names of the log's segments, in order.
  var segments: [String] { names("log").filter { $0.hasSuffix(".jsonl") }.map { "log/" + $0 } }
}

func overwrite(_ path: String, with bytes: [UInt8]) {
  guard let file = fopen(path, "w") else { preconditionFailure("\(path) cannot be written") }
  fwrite(bytes, 1, bytes.count, file)
  fclose(file)
}

/// A clock that advances by a second at each reading, and ids from a seed.
final class SteppedClock: Sendable {
  static let start = Timestamp(milliseconds: 1_767_225_600_000)
  private let state: Mutex<(now: Int64, random: SplitMix64)>

  init(seed: UInt64 = 1) {
    state = Mutex((Self.start.milliseconds, SplitMix64(seed: seed)))
  }

  func set(_ time: Timestamp) { state.withLock { $0.now = time.milliseconds } }

  var environment: RuntimeEnvironment {
    RuntimeEnvironment(
      now: {
        self.state.withLock { state in
          state.now += 1_000
          return Timestamp(milliseconds: state.now)
        }
      },
      random: { self.state.withLock { ($0.random.next(), $0.random.next()) } })
  }
}

extension FileSystem {
  /// The system's files without waiting for syncs: written bytes count as durable.
  static let unsynced: FileSystem = {
    var files = FileSystem.posix
    files.sync = { (_, _) throws(FileError) in }
    files.syncDirectory = { (_) throws(FileError) in }
    return files
  }()
}

extension NewEvent {
  /// `follower` follows `followee`, in the stream `follow/FOLLOWER/FOLLOWEE`.
  static func following(
    _ follower: String, _ followee: String, id: EventID? = nil, cause: EventID? = nil,
    at time: Timestamp? = nil
  ) -> NewEvent {
    var names = Names()
    guard let one = try? names.user(follower), let other = try? names.user(followee) else {
      preconditionFailure("not an id: \(follower) or \(followee)")
    }
    return NewEvent(
      .follow(.followed(Follow(follower: one, followee: other))), actor: follower, id: id,
      cause: cause, time: time, names: names)
  }

  /// A comment, whose text can be as long as a test needs.
  static func commenting(
    _ comment: String, _ text: String, id: EventID? = nil, at time: Timestamp? = nil
  ) -> NewEvent {
    var names = Names()
    guard let user = try? names.user("carol"), let workout = try? names.workout("w1"),
      let number = try? names.comment(comment)
    else { preconditionFailure("not an id: \(comment)") }
    let posted = CommentPosted(comment: number, workout: workout, user: user, text: text)
    return NewEvent(.comment(.posted(posted)), actor: "carol", id: id, time: time, names: names)
  }
}

extension EventID {
  static func numbered(_ number: UInt64) -> EventID {
    EventID(time: SteppedClock.start, random: (number, number << 2))
  }
}

extension EventStore {
  func all() async throws(LogError) -> [RecordedEvent] { try await read(after: 0, limit: .max) }
}

/// The kinds of stores; the one shared on PostgreSQL only in builds that have it.
enum StoreKind: String, CaseIterable, Sendable {
  case memory, file, rows, clone
  #if PostgreSQL
    case postgres
  #endif

  func make(_ clock: SteppedClock = SteppedClock()) async throws -> StoreBench {
    let folder = ScratchFolder()
    switch self {
    case .clone:
      let remote = try await RemoteKind.folder.make(folder)
      return StoreBench(store: try await folder.clone(of: remote, clock), folder: folder)
    #if PostgreSQL
      case .postgres:
        let remote = try await RemoteKind.postgres.make(folder)
        return StoreBench(store: try await folder.clone(of: remote, clock), folder: folder)
    #endif
    case .memory: return StoreBench(store: InMemoryLog(clock.environment), folder: folder)
    case .file:
      let log = try FileLog(
        path: folder.log, creating: true, segmentSize: 4_000, files: .unsynced,
        environment: clock.environment)
      return StoreBench(store: log, folder: folder)
    case .rows: return StoreBench(store: RowStore(clock.environment), folder: folder)
    }
  }
}

/// A store under test, which deletes its folder when it is deallocated.
final class StoreBench: EventStore {
  private let store: any EventStore
  private let folder: ScratchFolder

  init(store: any EventStore, folder: ScratchFolder) {
    self.store = store
    self.folder = folder
  }

  func append(_ commits: [Commit]) async -> [Result<Appended, LogError>] {
    await store.append(commits)
  }
  func head() async throws(LogError) -> UInt64 { try await store.head() }
  func read(after position: UInt64, limit: Int) async throws(LogError) -> [RecordedEvent] {
    try await store.read(after: position, limit: limit)
  }
  func read(
    stream: String, after revision: UInt64
  ) async throws(LogError) -> [RecordedEvent] {
    try await store.read(stream: stream, after: revision)
  }

  func history() async throws(LogError) -> LogView { try view() }

  func view() throws(LogError) -> LogView {
    if let memory = store as? InMemoryLog { return memory.view() }
    if let rows = store as? RowStore { return rows.history().view() }
    return try LogView(path: folder.log)
  }
}

extension RowHistory {
  /// The rows as the lines of a log.
  func view() -> LogView {
    var buffer = ByteBuffer()
    for row in rows {
      buffer.append(row.line)
      buffer.append("\n")
    }
    return LogView(path: name, sealed: SealedBytes(buffer))
  }
}

extension LogView {
  func allBytes() throws -> [UInt8] {
    try segments.indices.flatMap { try bytes($0, 0..<segments[$0].size) }
  }

  /// All events, read strictly.
  func allEvents() throws -> [RecordedEvent] {
    var events: [RecordedEvent] = []
    try forEachEvent { event in
      events.append(event)
      return true
    }
    return events
  }

  /// Reads as a projection does: scans chunks and decodes the wanted types, each as `seq time
  /// data`.
  func readCold(
    _ wanted: EventTypes = .all, chunkSize: Int = LogView.chunkSize
  ) throws -> (head: LogHead, events: [String]) {
    var consumer = ChunkConsumer(after: LogHead())
    var names = Names()
    var found: [(Event, Moment)] = []
    for chunk in try chunks(chunkSize: chunkSize) {
      let chunk = try scan(chunk, wanted: wanted)
      try consumer.consume(chunk, &names) { found += zip($0.events, $0.moments).map { ($0, $1) } }
    }
    let events = found.map { event, moment in
      "\(moment.seq) \(moment.time) " + String(decoding: event.data(names), as: UTF8.self)
    }
    return (consumer.head, events)
  }
}

/// The damage a body throws, or nil if it throws another error or none.
func damage(_ body: () throws -> Void) -> Damage? {
  do {
    try body()
    return nil
  } catch LogError.damaged(let damage) {
    return damage
  } catch {
    return nil
  }
}

/// Whether the medium or long sweep is wanted.
let wantsSweep = Sweep.chosen != .short
