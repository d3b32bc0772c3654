import Foundation
import Synchronization

@testable import Events

/// SplitMix64: the same numbers from the same seed, everywhere.
struct Seeded: RandomNumberGenerator {
  var state: UInt64
  init(_ seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }
}

/// A folder that is gone when the test is over.
final class Folder: Sendable {
  let path = NSTemporaryDirectory() + "eventlog-" + UUID().uuidString
  init() {
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }
  var log: String { path + "/log" }

  func read(_ name: String) -> [UInt8] {
    (FileManager.default.contents(atPath: path + "/" + name)).map(Array.init) ?? []
  }
  func write(_ name: String, _ bytes: [UInt8]) {
    let url = URL(filePath: path + "/" + name)
    try? FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try? Data(bytes).write(to: url)
  }
  func names(_ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path + "/" + folder)) ?? []).sorted()
  }
}

/// A clock that a test sets, and ids from a seed.
final class Laboratory: Sendable {
  let time = Atomic<Int64>(1_767_225_600_000)
  private let seed = Atomic<UInt64>(1)

  var surroundings: Surroundings {
    Surroundings(
      now: { Timestamp(milliseconds: self.time.add(1, ordering: .relaxed).newValue) },
      random: {
        var random = Seeded(self.seed.add(1, ordering: .relaxed).newValue)
        return (random.next(), random.next())
      })
  }
}

/// `follower` follows `followee`, as an event to append.
func follow(_ follower: String, _ followee: String, id: EventID? = nil) -> NewEvent {
  var names = Names()
  let edge = Follow(
    follower: try! names.user(follower), followee: try! names.user(followee))
  return NewEvent(.userFollowed(edge), actor: follower, id: id, names: names)
}

func unfollow(_ follower: String, _ followee: String) -> NewEvent {
  var event = follow(follower, followee)
  event.type = "UserUnfollowed"
  return event
}

func eventID(_ number: UInt64) -> EventID {
  EventID(time: Timestamp(milliseconds: 1_767_225_600_000), random: (number, number << 8))
}

extension EventStore {
  /// All events.
  func events() async throws -> [RecordedEvent] {
    try await read(after: 0, limit: .max)
  }
}

/// Calls `body` with a fresh store of each kind.
func withEachStore(_ body: (any EventStore, String) async throws -> Void) async throws {
  try await body(InMemoryLog(Laboratory().surroundings), "memory")
  let folder = Folder()
  try await body(
    try FileLog(path: folder.log, creating: true, surroundings: Laboratory().surroundings), "file")
}
