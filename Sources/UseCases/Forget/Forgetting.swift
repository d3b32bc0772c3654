import Aggregates
import EventLog
import Events
import Projections

/// An erasure of people from a log. Every event keeps its position, time, type and revision, and
/// loses what it says about them.
///
/// docs/forgetting.md lists what is erased and what stays.
///
/// ```
/// let forgetting = try Forgetting(path: "my.log", photos: PhotoFolder("photos"))
/// let report = try await forgetting.forget(ForgettingRequest(people: ["ann"]))
/// report.events    // the number of events that changed
/// ```
/// An open account is deleted first, by the events that `DeleteAccount` appends. No other writer
/// may have the log open; readers must open it again.
/// - Complexity: O(log), two to three times the cost of verifying it; a hundred people at once cost
///   about as much as one. Memory for the people's events, and for all groups and accounts.
public struct Forgetting: Sendable {
  /// The effects of an erasure, performed or only prepared.
  public struct Report: Equatable, Sendable {
    /// The people to be erased.
    public var people: [ForgettingSurvey.Person]
    /// The number of appended events that delete accounts first.
    public var added: Int
    /// The number of events that change, including the added ones.
    public var events: Int
    /// The position of the first line that changes; nil if none does.
    public var first: UInt64?
    /// The number of events in the log afterwards.
    public var head: UInt64
    /// Other people's texts that name the erased people.
    public var mentions: [Mention]
    /// The number of app events in which only the ids are replaced, by type.
    public var untyped: [String: Int]
    /// The entry in the ledger; nil if nothing was done.
    public var entry: Rewritings.Entry?
  }

  private let log: ForgettableLog
  private let rules: Rules
  private let photos: any PhotoStorage
  private let environment: RuntimeEnvironment
  /// The incomplete end that was found when the log was opened; nil if the log was in order.
  public var recovery: Recovery? { log.recovery }

  /// Locks the log. For a clone, `remote` is its shared log, which is rewritten too; pull before.
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
  /// - Throws: the errors of `init`; `RemoteFault`.
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

  /// Calls `body`, and again up to four times if others appended to the shared log meanwhile.
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

  /// The size of the log in bytes, for progress.
  public var size: Int { log.view.size }

  /// Returns the people and items in the log that a ledger has marked.
  /// - Parameter hasMark: called with each subject in the log (`ForgettingRequest.subjects`).
  /// - Throws: read errors of the log.
  public func request(where hasMark: (String) -> Bool) throws(LogError) -> ForgettingRequest {
    try log.request(where: hasMark)
  }

  /// An erasure that is ready to be performed.
  public struct Prepared: Sendable {
    /// The effects that performing it will have.
    public internal(set) var report: Report
    let plan: ForgettingPlan
  }

  /// Finds the effects of an erasure, and changes nothing.
  ///
  /// Reads the log twice with `jobs` threads, and calls `progress` with the number of bytes read.
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

  /// The events needed to decide the deletion of an account: accounts, and owners and members of
  /// groups. A core that knows only these opens quickly.
  private static let deciding: EventTypes = [
    .profileCreated, .accountDeleted,
    .groupCreated, .groupEdited, .groupTransferred, .groupDeleted,
    .memberInvited, .memberRequested, .memberJoined, .memberLeft, .memberRemoved, .memberRoleSet,
  ]

  /// Returns the events by which `DeleteAccount` would close accounts.
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

  /// Deletes the photos, then rewrites the log. Calls `progress` with the number of bytes written.
  /// - Throws: `ForgettingError`. The log is then the old one, though photos may be gone. If only
  ///   the last steps failed, the log is the new one, and opening it finishes them.
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

  /// Returns whether a path in an event is valid in storage, and in no other person's folder. An
  /// imported event can name any path.
  private static func isOwn(_ path: String, _ person: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count < 2 || parts.contains(where: { ["", ".", ".."].contains($0) }) { return false }
    return parts[0] != "workouts"
      && (parts[0] != "avatars" || isSameUser(String(parts[1]), person))
  }

  /// Prepares and performs an erasure.
  public func forget(_ request: ForgettingRequest) async throws(ForgettingError) -> Report {
    try await perform(try await prepare(request))
  }
}

/// The reason why nothing was erased.
public enum ForgettingError: Error, Equatable, CustomStringConvertible {
  /// The log could not be read or rewritten.
  case log(LogError)
  /// No event is about a person with this id.
  case nobody(String)
  /// No event is about this item.
  case nothing(ForgettingRequest.Item)
  /// This id belongs to a service, not to a person; services stay.
  case service(String)
  /// The reason, which stays in the ledger, names a person to be erased.
  case reason
  /// A photo could not be deleted.
  case photos(PhotoStorageError)

  public var description: String {
    switch self {
    case .log(let error): "\(error)"
    case .nobody(let id): "no event is about '\(id)': nobody is forgotten"
    case .nothing(let item): "no event is about \(item): nothing is forgotten"
    case .service(let id): "\(id) is a service, not a person: it stays"
    case .reason:
      "the reason names a person to be forgotten, but it stays in the ledger: leave out names"
    case .photos(let error): "a photo cannot be deleted: \(error); the log is as it was"
    }
  }
}

/// Returns the body's result; throws its error as `ForgettingError.log`.
private func logged<T: ~Copyable>(
  _ body: () throws(LogError) -> T
) throws(ForgettingError) -> T {
  do throws(LogError) { return try body() } catch { throw .log(error) }
}

extension CoreState {
  /// Applies an event that is needed to decide the deletion of an account.
  ///
  /// Skips the texts of profiles, because their indexes would be most of the state.
  fileprivate mutating func apply(deciding event: borrowing Event, at moment: Moment) {
    aggregates.apply(copy event)
    if event.type == .profileCreated { return }
    views.apply(event, at: moment)
  }
}
