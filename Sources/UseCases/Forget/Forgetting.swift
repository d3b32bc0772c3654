import Aggregates
import EventLog
import Events
import Projections

/// Lets a log forget people: every event keeps its position, time, type and revision, and loses
/// what it says about them. docs/forgetting.md says what goes and what stays.
///
/// ```
/// let forgetting = try Forgetting(path: "my.log", photos: PhotoFolder("photos"))
/// let report = try await forgetting.forget(ForgettingRequest(people: ["ann"]))
/// report.events    // the number of events that changed
/// ```
/// An open account is first deleted, by the events that `DeleteAccount` appends. No other writer
/// may have the log open; readers have to open it again.
/// - Complexity: O(the log), two to three times what verifying it takes; a hundred people at once
///   cost about as much as one. Memory for the people's events, and for all groups and accounts.
public struct Forgetting: Sendable {
  /// The effects of a forgetting, performed or only prepared.
  public struct Report: Equatable, Sendable {
    public var people: [ForgettingSurvey.Person]
    /// The number of events that first delete accounts.
    public var added: Int
    /// The number of events that change, including the added ones.
    public var events: Int
    /// The first line that changes; nil if none does.
    public var first: UInt64?
    /// The number of events afterwards.
    public var head: UInt64
    /// Other people's texts that name the forgotten.
    public var mentions: [Mention]
    /// By type, the number of events of apps in which only the ids are replaced.
    public var untyped: [String: Int]
    /// The entry in the ledger; nil if nothing was done.
    public var entry: Rewritings.Entry?
  }

  private let log: ForgettableLog
  private let rules: Rules
  private let photos: any PhotoStorage
  private let environment: RuntimeEnvironment
  /// The torn end that opening the log found; nil if the log was in order.
  public var recovery: Recovery? { log.recovery }

  /// Locks the log.
  /// - Parameter remote: for a clone, its shared log, which is rewritten too; pull just before.
  /// - Throws: `.locked` if another process writes to it; `.noSuchLog`, `.damaged`, `.file`;
  ///   `RemoteFault.isClone` for a clone without its remote.
  public init(
    path: String, remote: (any RemoteLog)? = nil, rules: Rules? = nil,
    photos: any PhotoStorage, files: FileSystem = .posix, environment: RuntimeEnvironment = .system
  ) throws(LogError) {
    log = try ForgettableLog(path: path, remote: remote, files: files, environment: environment)
    self.rules = try log.view.recordedRules().current(rules) ?? .climb
    (self.photos, self.environment) = (photos, environment)
  }

  /// Locks the log, after pulling a clone.
  /// - Throws: as `init`; `RemoteFault`.
  public static func open(
    path: String, remote: (any RemoteLog)?, rules: Rules? = nil, photos: any PhotoStorage
  ) async throws(ForgettingError) -> Forgetting {
    do throws(LogError) {
      if let remote { try await FileLog.open(clone: path, of: remote).close() }
      return try Forgetting(path: path, remote: remote, rules: rules, photos: photos)
    } catch {
      throw .log(error)
    }
  }

  /// Calls `body`, and up to four times again if others appended to the shared log meanwhile.
  public static func whileOthersAppend<T>(
    _ body: () async throws(ForgettingError) -> T
  ) async throws(ForgettingError) -> T {
    for _ in 0..<4 {
      do throws(ForgettingError) { return try await body() } catch {
        guard case .log(.conflict) = error else { throw error }
      }
    }
    return try await body()
  }

  /// The bytes of the log, for progress.
  public var size: Int { log.view.size }

  /// The people and items in the log of which a ledger has marks.
  /// - Parameter hasMark: called with each subject in the log (`ForgettingRequest.subjects`).
  /// - Throws: read errors of the log.
  public func request(where hasMark: (String) -> Bool) throws(LogError) -> ForgettingRequest {
    try log.request(where: hasMark)
  }

  /// A forgetting that can be performed.
  public struct Prepared: Sendable {
    public internal(set) var report: Report
    let plan: ForgettingPlan
  }

  /// Finds what would be done, and changes nothing.
  /// - Parameters:
  ///   - jobs: threads that read.
  ///   - progress: called with the number of bytes read; the log is read twice.
  public func prepare(
    _ request: ForgettingRequest, unknown: ChunkConsumer.UnknownPolicy = .stop, jobs: Int = 2,
    progress: (Int) -> Void = { _ in }
  ) async throws(ForgettingError) -> Prepared {
    if let service = request.people.first(where: { $0.hasPrefix(Names.servicePrefix) }) {
      throw .service(service)
    }
    var state = CoreState(.standard)
    let survey = try logged { () throws(LogError) in
      // A ledger that cannot be read stops here, before anything changes.
      _ = try log.view.rewritings()
      return try log.survey(
        request, jobs: jobs, observing: request.people.isEmpty ? [] : Self.deciding,
        { event, moment in state.apply(deciding: event, at: moment) }, progress: progress)
    }
    if let stranger = survey.people.first(where: { $0.events == 0 }) { throw .nobody(stranger.id) }
    if let item = survey.unknownItems.first { throw .nothing(item) }
    let users = survey.people.filter(\.isOpen).map(\.id)
    let added = try await deletions(of: users, state, survey, unknown)
    return try logged { () throws(LogError) in
      let size = log.view.size
      let plan = try log.plan(survey, adding: added, jobs: jobs) { progress(size + $0) }
      let report = Report(
        people: survey.people, added: added.count, events: plan.events, first: plan.first,
        head: try log.view.head().seq + UInt64(added.count), mentions: plan.mentions,
        untyped: plan.untyped)
      return Prepared(report: report, plan: plan)
    }
  }

  /// The events on which the deletion of an account is decided: accounts, and owners and members of
  /// groups. A core that knows only these opens quickly.
  private static let deciding: EventTypes = [
    .profileCreated, .accountDeleted,
    .groupCreated, .groupEdited, .groupTransferred, .groupDeleted,
    .memberInvited, .memberRequested, .memberJoined, .memberLeft, .memberRemoved, .memberRoleSet,
  ]

  /// The events by which `DeleteAccount` would close accounts.
  /// - Parameter state: reflects at least the `deciding` events.
  private func deletions(
    of users: [String], _ state: CoreState, _ survey: ForgettingSurvey,
    _ unknown: ChunkConsumer.UnknownPolicy
  ) async throws(ForgettingError) -> [RecordedEvent] {
    if users.isEmpty { return [] }
    do throws(LogError) {
      let draft = try OverlayLog(log, survey)
      var state = state
      state.settle()
      let reached = Replay(
        state, blank: CoreState(.standard), names: survey.names, head: try log.view.head())
      let core = try await Core(
        draft, rules: rules, state: reached, unknown: unknown, environment: environment)
      for user in users {
        do throws(UseCaseError) {
          _ = try await DeleteAccount(core).execute(NoInput(), as: Caller(user))
        } catch {
          if case .log(let error) = error { throw error }
          throw LogError.closed(reason: "the account \(user) cannot be deleted: \(error)")
        }
      }
      return draft.events
    } catch {
      throw .log(error)
    }
  }

  /// Deletes the photos, then rewrites the log.
  /// - Parameter progress: called with the number of bytes written.
  /// - Throws: `ForgettingError`. The log is then the old one, though photos may be gone; or, if
  ///   only the last steps failed, the new one, and opening it finishes them.
  public func perform(
    _ prepared: Prepared, progress: (Int) -> Void = { _ in }
  ) async throws(ForgettingError) -> Report {
    if prepared.plan.reasonNames { throw .reason }
    for person in prepared.report.people {
      do throws(PhotoStorageError) {
        for path in person.photos where Self.isOwn(path, person.id) {
          try await photos.delete(path)
        }
        for id in spellings(ofUser: person.id) { try await photos.deleteAll(of: id) }
        for workout in person.workouts {
          let folder = StoredPath(.workouts, workout, "").text.dropLast()
          for file in try await photos.list(String(folder)) ?? [] {
            try await photos.delete(file.path)
          }
        }
      } catch {
        throw .photos(error)
      }
    }
    var report = prepared.report
    do throws(LogError) {
      report.entry = try await log.rewrite(by: prepared.plan, progress: progress)
      return report
    } catch {
      throw .log(error)
    }
  }

  /// Whether a path that an event names is possible in storage, and in no other person's folder. An
  /// imported event can name any path.
  private static func isOwn(_ path: String, _ person: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count < 2 || parts.contains(where: { ["", ".", ".."].contains($0) }) { return false }
    return parts[0] != "workouts"
      && (parts[0] != "avatars" || isSameUser(String(parts[1]), person))
  }

  /// Prepares and performs.
  public func forget(_ request: ForgettingRequest) async throws(ForgettingError) -> Report {
    try await perform(try await prepare(request))
  }
}

/// Why nothing was forgotten.
public enum ForgettingError: Error, Equatable, CustomStringConvertible {
  case log(LogError)
  /// No event is about a person with this id.
  case nobody(String)
  case nothing(ForgettingRequest.Item)
  /// A service is no person, and stays.
  case service(String)
  /// The reason, which stays in the ledger, names a person who is forgotten.
  case reason
  case photos(PhotoStorageError)

  public var description: String {
    switch self {
    case .log(let error): "\(error)"
    case .nobody(let id): "no event is about '\(id)': nobody is forgotten"
    case .nothing(let item): "no event is about \(item): nothing is forgotten"
    case .service(let id): "\(id) is a service, not a person: it stays"
    case .reason:
      "the reason names somebody who is forgotten; it stays in the ledger, so leave out names"
    case .photos(let error): "a photo cannot be deleted: \(error); the log is as it was"
    }
  }
}

/// Turns errors of the log into errors of a forgetting.
private func logged<T: ~Copyable>(
  _ body: () throws(LogError) -> T
) throws(ForgettingError) -> T {
  do throws(LogError) { return try body() } catch { throw .log(error) }
}

extension CoreState {
  /// Applies an event on which the deletion of an account is decided. The texts of profiles are not
  /// needed, and their indexes would be most of the state.
  fileprivate mutating func apply(deciding event: borrowing Event, at moment: Moment) {
    society.apply(copy event)
    if event.type == .profileCreated { return }
    views.apply(event, at: moment)
  }
}
