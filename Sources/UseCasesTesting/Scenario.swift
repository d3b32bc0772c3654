import Aggregates
import Events
import UseCases

/// A given-when-then test on a core in memory: given a history, when a use case is performed, then
/// it appends these events.
///
/// ```swift
/// let scenario = try await Scenario(
///   given: """
///     {"type":"ProfileCreated","actor":"ann","data":{"user":"ann","handle":"a1b","isPublic":true}}
///     """)
/// let events = try await scenario.when(#"{"do":"LogSend","as":"ann","with":{"climb":"c"}}"#)
/// #expect(events == [#"{"type":"SendLogged","actor":"ann","data":{"user":"ann","climb":"c"}}"#])
/// ```
/// `eventlog gen-test` generates such tests from real history.
public struct Scenario: Sendable {
  /// The log with the given events and those appended since.
  public let log: InMemoryLog
  /// The core that performs the use cases.
  public let core: Core
  private let photos: PhotoPorts

  /// Creates a scenario from events, one per line; only `type`, `actor` and `data` are required.
  /// - Throws: `LogError` for a line that is not an event.
  public init(rules: Rules = .climb, given lines: String = "") async throws {
    log = InMemoryLog()
    for line in lines.split(separator: "\n") where line.contains("{") {
      try await log.append(Commit([try NewEvent(line: Array(line.utf8))]))
    }
    core = try await Core(log, rules: rules)
    photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())
  }

  /// Performs a use case, given as a line for `eventlog run`.
  /// - Returns: the appended events as `{"type":…,"actor":…,"data":…}`, with `v` unless that is 1;
  ///   empty if there are none.
  /// - Throws: `UseCaseError` if it is refused; `InputError` if the line is not a request.
  @discardableResult
  public func when(_ request: String) async throws -> [String] {
    let before = await log.head()
    let reply = await core.perform(try Request(line: Array(request.utf8)), photos: photos)
    _ = try reply.result.get()
    return await log.read(after: before, limit: .max).map {
      unsealedLine(type: $0.type, version: $0.version, actor: $0.actor, data: $0.data)
    }
  }
}
