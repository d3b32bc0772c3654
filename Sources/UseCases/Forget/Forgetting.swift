import Aggregates
import EventLog
import Events
import Projections
import Replaying

/// Lets a log forget people: every event stays, with its position, time, type and revision, and
/// says nothing that is theirs any more. docs/forgetting.md says what goes and what stays.
///
/// ```
/// let forgetting = try Forgetting(path: "my.log", photos: PhotoFolder("photos"))
/// let report = try await forgetting.forget(ForgettingRequest(people: ["ann"]))
/// report.events    // how many events say something else now
/// ```
/// An account that is open is deleted first, by the events that `DeleteAccount` appends. Nobody may
/// have the log open for writing; those who read it are told to open it again.
/// - Complexity: O(the log), two to three times what verifying it takes; a hundred people at once
///   cost about what one does. Memory is that of the people's events, of all groups and accounts.
public struct Forgetting: Sendable {
  /// What is done, or would be.
  public struct Report: Equatable, Sendable {
    public var people: [ForgettingSurvey.Person]
    /// The events by which accounts are deleted first.
    public var added: Int
    /// How many events say something else, those among them.
    public var events: Int
    /// The first line that is another; nil if none is.
    public var first: UInt64?
    /// How many events there are then.
    public var head: UInt64
    /// Other people's texts that name the forgotten.
    public var mentions: [Mention]
    /// Events of apps of which only the ids are replaced, by type.
    public var untyped: [String: Int]
    /// What the ledger says; nil if nothing was done.
    public var entry: Rewritings.Entry?
  }

  private let log: ForgettableLog
  private let rules: Rules
  private let photos: any PhotoStorage
  private let environment: RuntimeEnvironment
  /// What opening found after the last whole commit; nil if the log was in order.
  public var recovery: Recovery? { log.recovery }

  /// Takes the log.
  /// - Parameter remote: of a clone, the shared log, which is rewritten too; the clone should have
  ///   been pulled just now.
  /// - Throws: `.locked` if somebody writes to it; `.noSuchLog`, `.damaged`, `.file`;
  ///   `RemoteFault.isClone` for a clone without its remote.
  public init(
    path: String, remote: (any RemoteLog)? = nil, rules: Rules? = nil,
    photos: any PhotoStorage, files: FileSystem = .posix, environment: RuntimeEnvironment = .system
  ) throws(LogError) {
    log = try ForgettableLog(path: path, remote: remote, files: files, environment: environment)
    self.rules = try log.view.recordedRules().current(rules) ?? .climb
    (self.photos, self.environment) = (photos, environment)
  }

  /// Takes the log; a clone with what others have appended by now.
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

  /// Calls `body` again, a few times, where others appended to the shared log meanwhile.
  public static func whileOthersAppend<T>(
    _ body: () async throws(ForgettingError) -> T
  ) async throws(ForgettingError) -> T {
    for _ in 0..<4 {
      do throws(ForgettingError) {
        return try await body()
      } catch {
        guard case .log(.conflict) = error else { throw error }
      }
    }
    return try await body()
  }

  /// The bytes of the log, for progress.
  public var size: Int { log.view.size }

  /// Who and what in the log a ledger has marks of.
  /// - Parameter hasMark: gets each subject that the log knows (`ForgettingRequest.subjects`).
  /// - Throws: read errors of the log.
  public func request(where hasMark: (String) -> Bool) throws(LogError) -> ForgettingRequest {
    try log.request(where: hasMark)
  }

  /// What has been found out, to be done or not.
  public struct Prepared: Sendable {
    public internal(set) var report: Report
    let plan: ForgettingPlan
  }

  /// Finds out what would be done, and changes nothing.
  /// - Parameters:
  ///   - jobs: threads that read.
  ///   - progress: gets the bytes read, of twice the log's.
  /// - Throws: `ForgettingError`; nothing has changed then.
  public func prepare(
    _ request: ForgettingRequest, unknown: ChunkConsumer.UnknownPolicy = .stop, jobs: Int = 2,
    progress: (Int) -> Void = { _ in }
  ) async throws(ForgettingError) -> Prepared {
    if let service = request.people.first(where: { $0.hasPrefix(Names.servicePrefix) }) {
      throw .service(service)
    }
    var state = CoreState(.standard)
    let survey = try logged { () throws(LogError) in
      // What cannot be read is found before anything is done.
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

  /// The events that the deletion of an account is decided by: who has one, and whose groups there
  /// are. A core that knows only these is there in a moment.
  private static let deciding: EventTypes = [
    .profileCreated, .accountDeleted,
    .groupCreated, .groupEdited, .groupTransferred, .groupDeleted,
    .memberInvited, .memberRequested, .memberJoined, .memberLeft, .memberRemoved, .memberRoleSet,
  ]

  /// The events by which `DeleteAccount` closes accounts, as they would be appended.
  /// - Parameter state: of the events that decide it, at least.
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

  /// Does what was prepared: first the photos go, then the log is written anew.
  /// - Parameter progress: gets the bytes written.
  /// - Throws: `ForgettingError`. The log is then the old one, though photos may be gone; or, where
  ///   only the last steps failed, the new one, which opening it finishes.
  public func perform(
    _ prepared: Prepared, progress: (Int) -> Void = { _ in }
  ) async throws(ForgettingError) -> Report {
    if prepared.plan.reasonNames { throw .reason }
    for person in prepared.report.people {
      do throws(PhotoStorageError) {
        for path in person.photos where Self.isOwn(path, person.id) {
          try await photos.delete(path)
        }
        try await photos.deleteAll(of: person.id)
        if EventID(person.id) != nil {
          for id in [person.id.lowercased(), person.id.uppercased()] where id != person.id {
            try await photos.deleteAll(of: id)
          }
        }
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
    } catch {
      throw .log(error)
    }
    return report
  }

  /// Whether a path that an event names can be one in storage, and is in no other person's folder:
  /// an import can say anything.
  private static func isOwn(_ path: String, _ person: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count < 2 || parts.contains(where: { ["", ".", ".."].contains($0) }) { return false }
    return parts[0] == "workouts"
      ? false : parts[0] != "avatars" || isSameUser(String(parts[1]), person)
  }

  /// Prepares and performs.
  public func forget(_ request: ForgettingRequest) async throws(ForgettingError) -> Report {
    try await perform(try await prepare(request))
  }
}

/// Why nothing was forgotten.
public enum ForgettingError: Error, Equatable, CustomStringConvertible {
  case log(LogError)
  /// No event is about anybody with this id.
  case nobody(String)
  case nothing(ForgettingRequest.Item)
  /// Services are no people, and stay.
  case service(String)
  /// The reason names somebody who is forgotten, and would stay in the ledger.
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
  do throws(LogError) {
    return try body()
  } catch {
    throw .log(error)
  }
}

extension CoreState {
  /// Applies an event that the deletion of an account is decided by. What a profile says is not
  /// among that, and its indexes would be most of the state.
  fileprivate mutating func apply(deciding event: borrowing Event, at moment: Moment) {
    society.apply(copy event)
    if event.type == .profileCreated { return }
    views.apply(event, at: moment)
  }
}
