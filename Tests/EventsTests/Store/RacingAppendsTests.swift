import FaultTesting
import PropertyTesting
import Testing

@testable import EventLog
@testable import Events

/// A store as a state machine: appends with expected revisions, and queries.
private struct Appends: Machine {
  struct Model: Sendable {
    var streams: [String: [UInt64]] = [:]
    var head: UInt64 = 0
    /// The positions of a commit with ids of its own.
    var known: [String: ClosedRange<UInt64>] = [:]
  }

  struct Command: Sendable, CustomStringConvertible {
    enum Kind: Sendable { case append, head, read }
    var kind: Kind
    /// The followees of "a"; each is a stream.
    var streams: [String] = []
    var expecting: [(stream: String, revision: ExpectedRevision)] = []
    var position: UInt64?
    /// Makes the ids of the commit's events, together with the streams, so that it is safe to send
    /// twice; 0 for none.
    var number = 0
    var key: String { "\(number) \(streams)" }

    var description: String {
      let expected = expecting.map { "\($0.stream) at \($0.revision)" }.joined(separator: ", ")
      return "\(kind) \(streams) \(expected) \(position.map { "on \($0)" } ?? "") #\(number)"
    }
  }

  enum Response: Equatable, Sendable {
    case appended(ClosedRange<UInt64>, isRepeat: Bool)
    case conflict
    case head(UInt64)
    case positions([UInt64])
    case failed(String)
  }

  let onDisk: Bool
  let model = Model()
  let rules: [Rule<Appends>] = [
    Rule("append") { t, model in
      var command = Command(kind: .append)
      let names = Generator<String>.element(of: ["x", "y", "z"])
      command.streams = t.draw(.array(of: names, 1...3))
      // The model's present revisions, which a race may have changed before the append.
      for stream in t.draw(.array(of: names, 0...2)) {
        let now = UInt64(model.streams[stream]?.count ?? 0)
        let revision = t.draw(
          .element(of: [
            ExpectedRevision.exact(now), .any, .noStream, .streamExists, .exact(now + 1),
          ]))
        command.expecting.append((stream, revision))
      }
      let lags = Generator<UInt64?>.frequency([
        (4, .just(nil)), (2, .just(model.head)), (1, .just(model.head + 1)),
      ])
      command.position = t.draw(lags)
      command.number = t.draw(.int(0...3))
      return command
    },
    Rule("head") { _, _ in Command(kind: .head) },
    Rule("read") { t, _ in
      Command(kind: .read, streams: [t.draw(.element(of: ["x", "y", "z"]))])
    },
  ]

  func system(on interleaver: Interleaver?) async throws -> any EventStore {
    guard onDisk else { return InMemoryLog() }
    let disk = SimulatedDisk()
    return try FileLog(path: "/log", creating: true, segmentSize: 1_500, files: disk.files)
  }

  private func commit(_ command: Command) -> Commit {
    let events = command.streams.enumerated().map { index, followee in
      let hash = XXH64.hash(Array(command.key.utf8), seed: 0)
      let id = EventID(high: hash << 16 | 0x7000, low: 1 << 63 | UInt64(index))
      return NewEvent.following("a", followee, id: command.number == 0 ? nil : id)
    }
    return Commit(
      events, expecting: command.expecting.map { .init("follow/a/\($0.stream)", $0.revision) },
      position: command.position)
  }

  func perform(_ command: Command, on store: any EventStore) async -> Response {
    do throws(LogError) {
      switch command.kind {
      case .head: return .head(try await store.head())
      case .read:
        let events = try await store.read(stream: "follow/a/\(command.streams[0])", after: 0)
        return .positions(events.map(\.seq))
      case .append:
        switch await store.append([commit(command)])[0] {
        case .success(let done):
          return .appended(done.first...done.last, isRepeat: done.isRepeat)
        case .failure(.conflict): return .conflict
        case .failure(let error): return .failed("\(error)")
        }
      }
    } catch {
      return .failed("\(error)")
    }
  }

  func respond(to command: Command, _ model: inout Model, seeing response: Response) -> Response {
    switch command.kind {
    case .head: return .head(model.head)
    case .read: return .positions(model.streams[command.streams[0]] ?? [])
    case .append:
      if command.number > 0, let known = model.known[command.key] {
        return .appended(known, isRepeat: true)
      }
      for (stream, revision) in command.expecting
      where !revision.allows(UInt64(model.streams[stream]?.count ?? 0)) {
        return .conflict
      }
      if let position = command.position, position != model.head { return .conflict }
      let first = model.head + 1
      for stream in command.streams {
        model.head += 1
        model.streams[stream, default: []].append(model.head)
      }
      if command.number > 0 { model.known[command.key] = first...model.head }
      return .appended(first...model.head, isRepeat: false)
    }
  }

  func invariants(_ model: Model, _ store: any EventStore) async throws {
    let events = try await store.read(after: 0, limit: .max)
    #expect(events.map(\.seq) == Array(0..<model.head).map { $0 + 1 })
  }

  func questions(_ model: Model) -> [Command] {
    [Command(kind: .head)] + ["x", "y", "z"].map { Command(kind: .read, streams: [$0]) }
  }
}

@Suite struct RacingAppendsTests {
  @Test(
    "A store appends the commits that its streams allow, one after the other",
    arguments: [false, true])
  func steps(onDisk: Bool) async throws {
    try await check(runs: Sweep.size(200, 600, 20_000), covering: ["append": 0.7]) { t in
      try await t.run(Appends(onDisk: onDisk))
    }
  }

  @Test("Some serial order explains appends that race", arguments: [false, true])
  func races(onDisk: Bool) async throws {
    try await check(runs: Sweep.size(400, 1_200, 40_000)) { t in
      try await t.race(Appends(onDisk: onDisk), after: 0...4)
    }
  }
}
