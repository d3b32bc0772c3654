import EventLog
import Events
import Projections
import Replaying
import Tables
import UseCases

extension Mirror {
  /// Builds the tables at the log's last event, and opens a session with them.
  /// - Parameter found: the state of the mirror that the new tables replace; nil if there is none.
  func build(
    _ log: LogSource.Moment, _ plan: MirrorPlan, because reason: String,
    instead found: MirrorState?
  ) async throws(MirrorFault) {
    let target = plan.state(at: log.head)
    var rows = 0
    var (tables, restored): (TableState, (any SavedState)?)
    if plan.hasHistory {
      tables = TableState(Replay<Views>(), rules: plan.rules, tracksVersions: true)
      restored = nil
    } else {
      (tables, restored) = try await openTables(log.view, at: log.head.seq, plan)
    }
    try await commitBuild(plan, target, instead: found) { (writer) throws(MirrorFault) in
      if plan.hasHistory {
        rows += try writeVersions(log, plan, tables, to: writer)
      }
      for (place, index) in plan.tables.enumerated() {
        progress("writing \(TableState.schemas[index].name)", Int(clamping: log.head.seq), 0)
        try tables.forEachRow(of: index) { (row) throws(MirrorFault) in
          try writer.append(row, to: place)
          rows += 1
        }
      }
      if restored.checked(true) == nil {
        // The damaged checkpoint is deleted now, so the next attempt does not use it.
        throw MirrorFault.log(.rewritten(path: log.view.path))
      }
    }
    report.reason = reason
    report.position = target.position
    report.events += target.position
    report.rows += rows
    session = Session(tables: tables, plan: plan, state: target, restored: restored)
  }

  /// Applies all events to new tables, and writes every version of their rows.
  /// - Returns: the number of versions.
  private func writeVersions(
    _ log: LogSource.Moment, _ plan: MirrorPlan, _ tables: TableState, to writer: any MirrorWriter
  ) throws(MirrorFault) -> Int {
    let places = plan.historyPlaces
    var count = 0
    try forEachVersion(in: log.view, until: log.head.seq, tables, progress: progress) {
      (table, row) throws(MirrorFault) in
      guard let place = places[table] else { return }
      try writer.append(row, to: place)
      count += 1
    }
    return count
  }

  /// Returns the tables at a position, computed from the last checkpoint before it.
  ///
  /// The tables read the checkpoint page by page, so the caller must check the second result with
  /// `Optional.checked` before it uses their rows.
  func openTables(
    _ view: LogView, at position: UInt64, _ plan: MirrorPlan
  ) async throws(MirrorFault) -> (TableState, (any SavedState)?) {
    let total = Int(clamping: position)
    let replay = try await replayed(view, at: position, jobs: options.jobs) {
      [progress] done, size in
      let share = size > 0 ? Double(done) / Double(size) : 0
      progress("reading the log", Int(share * Double(total)), total)
    }
    let restored = replay.restored
    return (
      TableState(replay, rules: plan.rules, tracksVersions: plan.hasHistory), restored
    )
  }
}

extension MirrorPlan {
  /// For each table by its index in `TableState.schemas`, the index of its history in `schemas`;
  /// nil for a table that is not mirrored.
  fileprivate var historyPlaces: [Int?] {
    var places: [Int?] = Array(repeating: nil, count: TableState.schemas.count)
    for (place, index) in tables.enumerated() { places[index] = tables.count + place }
    return places
  }
}

/// Returns the projections at a position, computed from the last checkpoint before it. Saves a
/// checkpoint if one is due.
///
/// The checkpoint is read page by page. The caller must check its answers with `restored.checked`.
func replayed(
  _ view: LogView, at position: UInt64, jobs: Int,
  _ progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
) async throws(MirrorFault) -> Replay<Views> {
  var options = ReplayOptions()
  (options.jobs, options.progress) = (jobs, progress)
  do throws(LogError) {
    var replay = try await Replay<Views>.caughtUp(with: view, until: position, options: options)
    replay.saveIfDue(view, ofPast: true)
    return replay
  } catch {
    throw .log(error)
  }
}

/// Applies the events up to a position to new tables that track versions, and calls `body` with
/// every version of their rows. The versions that have not ended come last.
func forEachVersion(
  in view: LogView, until end: UInt64, _ tables: TableState,
  progress: (String, Int, Int) -> Void = { _, _, _ in },
  _ body: (_ table: Int, _ row: [TableValue]) throws(MirrorFault) -> Void
) throws(MirrorFault) {
  var position: UInt64 = 0
  while position < end {
    let next = min(end, position + 4_096)
    try reading { () throws(LogError) in try tables.apply(view, until: next) }
    try tables.takeEndedVersions(body)
    position = next
    progress("writing versions", Int(clamping: position), Int(clamping: end))
  }
  try tables.takeOpenVersions(body)
}
