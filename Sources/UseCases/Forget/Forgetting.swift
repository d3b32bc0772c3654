import Aggregates
import EventLog
import Events
import Projections

/// An erasure of people's data from a log. Every event keeps its position, time, type and stream
/// revision, and loses the data about these people.
///
/// docs/forgetting.md lists what is erased and what stays.
///
/// ```
/// let forgetting = try Forgetting(path: "my.log", photos: PhotoFolder("photos"))
/// let report = try await forgetting.forget(ForgettingRequest(people: ["ann"]))
/// report.events    // the number of events that changed
/// ```
/// If a person's account is open, the erasure first appends the events with which `DeleteAccount`
/// deletes it. No other writer may have the log open. Readers must open the log again afterwards.
/// - Complexity: O(log), two to three times the cost of verifying the log. A hundred people at once
///   cost about as much as one. The erasure keeps the people's events, and all groups and accounts,
///   in memory.
public struct Forgetting: Sendable {
  /// The effects of an erasure, performed or only prepared.
  public struct Report: Equatable, Sendable {
    /// The people to be erased.
    public var people: [ForgettingSurvey.Person]
    /// The number of events that are appended first, to delete accounts.
    public var added: Int
    /// The number of events that change, including those in `added`.
    public var events: Int
    /// The position of the first line that changes; nil if no line changes.
    public var first: UInt64?
    /// The number of events in the log after the erasure.
    public var head: UInt64
    /// Other people's texts that name the erased people.
    public var mentions: [Mention]
    /// The number of events of each type that this program does not know. Only the ids in these
    /// events are replaced.
    public var untyped: [String: Int]
    /// The erasure's entry in the log's ledger of rewritings; nil if the erasure was only prepared.
    public var entry: Rewritings.Entry?
  }

  private let log: ForgettableLog
  private let rules: Rules
  private let photos: any PhotoStorage
  private let environment: RuntimeEnvironment
  /// The repair of an incomplete end when the log was opened; nil if the log was complete.
  public var recovery: Recovery? { log.recovery }

  /// Opens and locks the log in the folder `path`.
  ///
  /// For a clone, `remote` is the shared log, which is rewritten too. Pull the clone first, or use
  /// `open`.
  /// - Throws: `.locked` if another process writes to the log; `.noSuchLog`, `.damaged`, `.file`;
  ///   `RemoteFault.isClone` for a clone if `remote` is nil.
  public init(
    path: String, remote: (any RemoteLog)? = nil, rules: Rules? = nil,
    photos: any PhotoStorage, files: FileSystem = .posix, environment: RuntimeEnvironment = .system
  ) throws(LogError) {
    log = try ForgettableLog(path: path, remote: remote, files: files, environment: environment)
    self.rules = try log.view.recordedRules().current(rules) ?? .climb
    (self.photos, self.environment) = (photos, environment)
  }

  /// Opens and locks the log. If `remote` is given, first pulls the clone.
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

  /// Calls `body` and returns its result. Calls `body` again, up to four times, if another machine
  /// appended to the shared log meanwhile.
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

  /// The size of the log in bytes, to show the progress as a fraction.
  public var size: Int { log.view.size }

  /// Returns a request to erase again the people and items that are in this log although a ledger
  /// lists them as erased.
  /// - Parameter hasMark: returns whether the ledger has the mark (hash) of a subject such as
  ///   `person/ann` (`ForgettingRequest.subjects`).
  /// - Throws: read errors of the log.
  public func request(where hasMark: (String) -> Bool) throws(LogError) -> ForgettingRequest {
    try log.request(where: hasMark)
  }

  /// An erasure that is ready to be performed.
  public struct Prepared: Sendable {
    /// The effects that the erasure will have.
    public internal(set) var report: Report
    let plan: ForgettingPlan
  }

  /// Prepares an erasure and determines its effects. Changes nothing.
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
      // If the log's ledger cannot be read, this throws before anything changes.
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

  /// The event types needed to decide the deletion of an account: those about accounts, and about
  /// the owners and members of groups. A core with only these events opens quickly.
  private static let deciding: EventTypes = [
    .profileCreated, .accountDeleted,
    .groupCreated, .groupEdited, .groupTransferred, .groupDeleted,
    .memberInvited, .memberRequested, .memberJoined, .memberLeft, .memberRemoved, .memberRoleSet,
  ]

  /// Returns the events with which `DeleteAccount` would delete the users' accounts.
  /// - Parameter state: the state after at least the events of the types in `deciding`.
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

  /// Deletes the people's photos, then rewrites the log. Calls `progress` with the number of bytes
  /// written.
  /// - Throws: `ForgettingError`. The log is then unchanged, but photos may have been deleted. If
  ///   only the last steps failed, the log is already rewritten, and the next opening of the log
  ///   finishes these steps.
  public func perform(
    _ prepared: Prepared, progress: (Int) -> Void = { _ in }
  ) async throws(ForgettingError) -> Report {
    if prepared.plan.reasonNames { throw .reason }
    try logged { () throws(LogError) in
      try RefusalJournal.erase(prepared.plan.names, log: log.view.path)
    }
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

  /// Returns whether a photo's path is valid in storage and not in another person's folder.
  ///
  /// The check is needed because an imported event can contain any path.
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

/// The reason why an erasure failed.
public enum ForgettingError: Error, Equatable, CustomStringConvertible {
  /// The log could not be read or rewritten.
  case log(LogError)
  /// No event is about a person with this id.
  case nobody(String)
  /// No event is about this item.
  case nothing(ForgettingRequest.Item)
  /// This id belongs to a service, not to a person. Services cannot be erased.
  case service(String)
  /// The request's reason, which is stored in the ledger for good, names a person to be erased.
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

/// Returns the result of `body`. Throws the error of `body` as `ForgettingError.log`.
private func logged<T: ~Copyable>(
  _ body: () throws(LogError) -> T
) throws(ForgettingError) -> T {
  do throws(LogError) { return try body() } catch { throw .log(error) }
}

extension CoreState {
  /// Applies an event that is needed to decide the deletion of an account.
  ///
  /// Skips the texts of profiles, because the indexes of these texts would be most of the state.
  fileprivate mutating func apply(deciding event: borrowing Event, at moment: Moment) {
    aggregates.value.apply(copy event, at: moment.time)
    if event.type == .profileCreated { return }
    views.value.apply(event, at: moment)
  }
}
