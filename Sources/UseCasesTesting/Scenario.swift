import Aggregates
import Events
import UseCases

/// A given-when-then test on a core whose log is in memory. Given a history of events, when the
/// test performs a use case, then the use case appends certain events.
///
/// ```swift
/// let scenario = try await Scenario(
///   given: """
///     {"type":"ProfileCreated","actor":"ann","data":{"user":"ann","handle":"a1b","isPublic":true}}
///     """)
/// let events = try await scenario.when(#"{"do":"LogSend","as":"ann","with":{"climb":"c"}}"#)
/// #expect(events == [#"{"type":"SendLogged","actor":"ann","data":{"user":"ann","climb":"c"}}"#])
/// ```
/// The command `eventlog gen-test` generates such tests from a real log.
public struct Scenario: Sendable {
  /// The scenario's log: the given events, and the events that its use cases have appended.
  public let log: InMemoryLog
  /// The core that performs the scenario's use cases.
  public let core: Core
  private let photos: PhotoPorts

  /// Creates a scenario from given events, one JSON object per line. Only the fields `type`,
  /// `actor` and `data` are required.
  /// - Throws: `LogError` if a line is not a valid event.
  public init(rules: Rules = .climb, given lines: String = "") async throws {
    log = InMemoryLog()
    for line in lines.split(separator: "\n") where line.contains("{") {
      try await log.append(Commit([try NewEvent(line: Array(line.utf8))]))
    }
    core = try await Core(log, rules: rules)
    photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())
  }

  /// Performs a use case and returns the events that it appends. `request` is a JSON line in the
  /// form that `eventlog run` reads.
  /// - Returns: The appended events as JSON, `{"type":…,"actor":…,"data":…}`. An event whose
  ///   version is not 1 also has `v`.
  /// - Throws: `UseCaseError` if the core refuses the use case; `InputError` if the line is not a
  ///   valid request.
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
