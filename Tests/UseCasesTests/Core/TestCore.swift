import Aggregates
import EventLog
import Events
import Synchronization
import Testing
import UseCases
import UseCasesTesting

/// A clock that stands still until a test advances it.
final class TestClock: Sendable {
  private let milliseconds = Mutex<Int64>(1_768_813_200_000)  // 2026-01-19T09:00:00Z

  func advance(by seconds: Int64) { milliseconds.withLock { $0 += seconds * 1_000 } }

  /// An environment with this clock, and ids that count.
  var environment: RuntimeEnvironment {
    let count = Mutex<UInt64>(0)
    return RuntimeEnvironment(
      now: { Timestamp(milliseconds: self.milliseconds.withLock { $0 }) },
      random: {
        count.withLock {
          $0 += 1
          return (0, $0 << 2)
        }
      })
  }
}

/// A core in memory that takes requests in the form of `eventlog run`.
struct TestCore {
  let clock: TestClock
  let log: InMemoryLog
  let core: Core
  var ports: PhotoPorts
  private let environment: RuntimeEnvironment

  init(
    _ rules: Rules = .climb,
    ports: PhotoPorts = PhotoPorts(
      storage: NoPhotos(), encoder: PassThroughEncoder())
  ) async throws {
    clock = TestClock()
    // One source of ids for both, because otherwise core and log would make the same ones.
    environment = clock.environment
    log = InMemoryLog(environment)
    core = try await Core(log, rules: rules, environment: environment)
    self.ports = ports
  }

  /// A core over a copy of another core's log. It continues the other's clock and ids.
  init(copying other: TestCore) async throws {
    (clock, environment, ports) = (other.clock, other.environment, other.ports)
    log = InMemoryLog(environment)
    var commits: [Commit] = []
    for event in await other.log.read(after: 0, limit: .max) {
      if let batch = event.batch, batch.index > 1 {
        commits[commits.count - 1].events.append(NewEvent(event))
      } else {
        commits.append(Commit([NewEvent(event)]))
      }
    }
    for result in await log.append(commits) { _ = try result.get() }
    core = try await Core(log, rules: other.core.rules, environment: environment)
  }

  /// Opens accounts whose handles are their ids.
  func people(_ users: String...) async throws {
    for user in users {
      _ = try await CreateProfile(core).execute(.init(user: user, handle: user), as: Caller(user))
    }
  }

  func befriend(_ a: String, _ b: String) async throws {
    _ = try await SendFriendRequest(core).execute(.init(receiver: b), as: Caller(a))
    _ = try await AcceptFriendRequest(core).execute(.init(sender: a), as: Caller(b))
  }

  /// Performs a use case; returns the answer's text, or the error's code.
  func `do`(_ name: String, as user: String? = nil, _ with: String = "{}") async -> String {
    let reply = await reply(name, as: user, with)
    switch reply.result {
    case .success(let value): return value.text
    case .failure(let error): return error.code
    }
  }

  func reply(_ name: String, as user: String? = nil, _ with: String = "{}") async -> Reply {
    guard let input = try? JSONValue(with) else {
      Issue.record("\(with) is no JSON")
      return Reply(.failure(.log(.closed(reason: "no JSON"))))
    }
    return await core.perform([Request(name, as: user, with: input)], photos: ports)[0]
  }

  /// Shares a workout of this id, owner, day of January and distance.
  @discardableResult
  func share(
    _ workout: String, by owner: String, day: Int = 1, meters: Int = 2_000, type: String = "2000m"
  ) async -> String {
    let date = "2026-01-\(day < 10 ? "0" : "")\(day)T10:00:00Z"
    return await self.do(
      "ShareWorkout", as: owner,
      #"{"workout":"\#(workout)","localID":"\#(workout)","date":"\#(date)","#
        + #""workoutType":"\#(type)","totalTime":"07:30.0","totalDistance":\#(meters),"#
        + #""averageSplit":"01:52.5"}"#)
  }

  /// A member of every object in a list that a use case answers.
  func list(
    _ name: String, as user: String? = nil, _ with: String = "{}", member: String = "user"
  ) async -> [String] {
    guard case .success(.array(let values)) = await reply(name, as: user, with).result else {
      return ["no list"]
    }
    return values.map { value in
      switch value[member] {
      case .string(let text), .number(let text): text
      case let other: other?.text ?? "missing"
      }
    }
  }

  var count: UInt64 { get async { await log.head() } }
}
