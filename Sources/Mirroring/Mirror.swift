import EventLog
import Events
import Projections
import Replaying
import Tables
import UseCases

/// A mirror of a log: tables in a database that repeat the log's projections.
///
/// ```swift
/// let mirror = Mirror(database, statements: SQLiteDialect.statements) { () throws(LogError) in
///   try LogView(path: "eventlogs/demo")
/// }
/// try await mirror.run().position  // 300
/// ```
/// The database stores the position that its tables reflect. Each transaction writes the changes by
/// the next events together with their position, so each event is reflected exactly once, whenever
/// the process or the connection ends.
/// - Complexity: building takes a replay of the log, and then a write of each row; with history, a
///   write of each version. Later events cost a few microseconds each besides the database's work.
package final class Mirror {
  /// The tables in memory, at the position of the database.
  struct Session {
    var tables: TableState
    var plan: MirrorPlan
    /// The state that the database has.
    var state: MirrorState
    /// The checkpoint that `tables` reads; nil if there is none.
    var restored: (any SavedState)?
  }

  let database: any MirrorDatabase
  let options: MirrorOptions
  let statements: ([TableSchema]) -> [String]
  let progress: @Sendable (_ work: String, _ done: Int, _ total: Int) -> Void
  private let says: (String) -> Void
  private var source: LogSource
  var session: Session?
  var report = MirrorReport()
  /// Whether `--rebuild` is still to be done.
  private var mustRebuild: Bool
  private var outage = Outage()

  /// Creates a mirror of a log; `run` performs the work.
  /// - Parameters:
  ///   - statements: returns the SQL statements that create tables. If they change, the mirror is
  ///     built again.
  ///   - says: called with notes for people.
  ///   - progress: called from any thread with the kind of work, and the events done and in total.
  ///   - open: opens the log as it is now.
  package init(
    _ database: any MirrorDatabase, _ options: MirrorOptions = MirrorOptions(),
    statements: @escaping ([TableSchema]) -> [String],
    says: @escaping (String) -> Void = { _ in },
    progress: @escaping @Sendable (String, Int, Int) -> Void = { _, _, _ in },
    of open: @escaping () throws(LogError) -> LogView
  ) {
    (self.database, self.options, self.statements) = (database, options, statements)
    (self.says, self.progress) = (says, progress)
    source = LogSource(options.rules, open)
    mustRebuild = options.rebuilds
  }

  /// Writes the changes by all events that the mirror does not reflect yet, or builds the mirror.
  /// If the options say so, then waits for further events, until the task is cancelled.
  /// - Throws: `.refused`, `.log`; `.full`, and `.unreachable` and `.lost` after the options'
  ///   patience, never while it follows the log.
  package func run() async throws(MirrorFault) -> MirrorReport {
    if options.follows { try await follow() } else { try await catchUp() }
    // An interrupted mirror ends at once.
    let patience = options.follows ? 0 : Self.erasurePatience
    report.mayHaveErasedTexts = try !database.removeOldVersions(patience: patience)
    return report
  }

  /// The longest wait for programs that read rows as they were before a rewriting, in milliseconds.
  private static let erasurePatience: Int32 = 5_000
  private static let erasurePause = Duration.milliseconds(250)

  private func follow() async throws(MirrorFault) {
    let log = try reading { () throws(LogError) in try ReadOnlyLog(source.open()) }
    guard let changes = log.changes() else {
      throw .refused("only a log in a folder can be followed")
    }
    var iterator = changes.makeAsyncIterator()
    var hasSaid = false
    while !Task.isCancelled {
      try await catchUp()
      if (try? database.removeOldVersions(patience: 0)) == true {
        hasSaid = false
        if await iterator.next() == nil { return }
      } else {
        if !hasSaid {
          says(
            "\(database.name): erased texts are still in its files, because another program reads "
              + "them; retrying")
        }
        hasSaid = true
        try? await Task.sleep(for: Self.erasurePause)
      }
    }
  }

  /// Works until the mirror reflects the whole log, or until the task is cancelled.
  private func catchUp() async throws(MirrorFault) {
    while !Task.isCancelled {
      do throws(MirrorFault) {
        if try await advance() {
          outage = Outage()
          return
        }
      } catch {
        session = nil
        if Task.isCancelled { return }
        try await pause(after: error)
      }
    }
  }

  /// Performs the next transaction.
  /// - Returns: true if none is needed, because the mirror reflects the whole log.
  private func advance() async throws(MirrorFault) -> Bool {
    guard let session else {
      // The log is read after the database, because another process may write to the mirror.
      let found = try database.state()
      return try await open(try reading { () throws(LogError) in try source.moment() }, found)
    }
    let log = try reading { () throws(LogError) in try source.moment() }
    guard log.rules == session.plan.rules, log.rewritings == session.plan.rewritings else {
      self.session = nil
      return false
    }
    try log.check(session.state, database.name)
    if log.head.seq == session.state.position { return true }
    try await writeBatch(log, session)
    return false
  }

  private func plan(
    _ log: LogSource.Moment, keeping found: MirrorState?
  ) throws(MirrorFault) -> MirrorPlan {
    try MirrorPlan(
      options, keeping: found, rules: log.rules, rewritings: log.rewritings, statements)
  }

  /// Builds the mirror, or opens the tables at the position of the database's state.
  /// - Returns: true if the mirror reflects the whole log and its tables are not needed.
  private func open(
    _ log: LogSource.Moment, _ found: MirrorState?
  ) async throws(MirrorFault) -> Bool {
    if mustRebuild {
      try await build(log, try plan(log, keeping: nil), because: "--rebuild", instead: found)
      mustRebuild = false
      return false
    }
    let plan = try plan(log, keeping: found)
    guard let found else {
      try await build(log, plan, because: "new", instead: nil)
      return false
    }
    try log.check(found, database.name)
    report.position = found.position
    if let reason = plan.reason(toRebuild: found) {
      try await build(log, plan, because: reason, instead: found)
      return false
    }
    let missing = log.head.seq - found.position
    if missing == 0, !options.follows { return true }
    // A replay and a write of all rows are then faster. A history would start again with event 1.
    if !plan.hasHistory, missing > max(log.head.seq / 8, UInt64(options.batchSize)) {
      try await build(log, plan, because: "many events were missing", instead: found)
      return false
    }
    let (tables, restored) = try await openTables(log.view, at: found.position, plan)
    session = Session(tables: tables, plan: plan, state: found, restored: restored)
    return false
  }

  // MARK: Interruptions of the connection

  /// A series of failures. Only a successful write ends it: on a full disk, or while another
  /// program holds a lock, reads succeed and writes fail.
  private struct Outage {
    /// The time of the first failure; nil if there was none.
    var start: ContinuousClock.Instant?
    var pause: Duration = .milliseconds(50)
  }

  /// Waits before the next attempt. Notes only the first failure of a series.
  /// - Throws: `fault`, if another attempt is not useful or the options' patience has ended.
  private func pause(after fault: MirrorFault) async throws(MirrorFault) {
    switch fault {
    case .log(.rewritten):
      // The rewritten log can be opened in a moment.
      try? await Task.sleep(for: .milliseconds(50))
    case .unreachable(let reason), .lost(let reason):
      if !options.follows, let start = outage.start,
        ContinuousClock.now - start >= options.patience
      {
        throw fault
      }
      await pause(because: reason, atMost: options.longestPause)
    case .full(let reason):
      if !options.follows { throw fault }
      await pause(because: reason, atMost: options.longestPauseIfFull)
    case .refused, .log: throw fault
    }
  }

  private func pause(because reason: String, atMost longest: Duration) async {
    if outage.start == nil {
      outage.start = .now
      says("\(database.name): \(reason); retrying")
    }
    try? await Task.sleep(for: outage.pause)
    outage.pause = min(outage.pause * 2, longest)
  }

  /// Returns the database's state, after as many attempts as the options allow.
  private func stateAfterFailure() async throws(MirrorFault) -> MirrorState? {
    while true {
      do throws(MirrorFault) {
        return try database.state()
      } catch {
        if Task.isCancelled { throw error }
        try await pause(after: error)
      }
    }
  }

  /// Writes changes of the session's tables. If the connection ends before the answer, finds out
  /// whether they were written.
  /// - Returns: false if another process wrote to the mirror, so that these changes do not fit.
  func commit(_ changes: MirrorChanges, after state: MirrorState) async throws(MirrorFault) -> Bool
  {
    while true {
      do throws(MirrorFault) {
        if try database.write(changes) {
          outage = Outage()
          return true
        }
      } catch {
        if Task.isCancelled { throw error }
        try await pause(after: error)
      }
      let found = try await stateAfterFailure()
      if found == changes.state {
        outage = Outage()
        return true
      }
      if found != state { return false }
    }
  }

  /// Builds new tables. If the connection ends before the answer, finds out whether they were
  /// built.
  func commitBuild(
    _ plan: MirrorPlan, _ target: MirrorState, instead found: MirrorState?,
    _ fill: (any MirrorWriter) throws(MirrorFault) -> Void
  ) async throws(MirrorFault) {
    do throws(MirrorFault) {
      try database.build(plan.schemas) { (writer) throws(MirrorFault) in
        try fill(writer)
        return target
      }
    } catch {
      // An equal state before shows nothing about the new tables, so they are built again.
      guard case .lost = error, found != target, !Task.isCancelled else { throw error }
      try await pause(after: error)
      guard try await stateAfterFailure() == target else { throw error }
    }
    outage = Outage()
  }
}
