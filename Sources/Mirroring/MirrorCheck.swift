import Aggregates
import EventLog
import Events
import Projections
import Replaying
import Tables
import UseCases

/// A comparison of all rows of a mirror with the log's projections at the mirror's position.
///
/// It computes the log's rows from a checkpoint, as a new mirror does. For a mirror with history it
/// also computes all versions from the first event. It compares the current versions with the rows
/// too.
/// It compares the tables', indexes' and triggers' declarations first.
/// - Complexity: a replay, and a read of each row. All rows of one table are in memory at a time;
///   with history, all versions of all tables.
package struct MirrorCheck: Sendable {
  /// The mirror's state.
  package private(set) var state: MirrorState
  /// The number of tables that were compared, history tables included.
  package private(set) var tables = 0
  /// The number of rows that were compared.
  package private(set) var rows = 0
  /// The number of differences.
  package private(set) var differences = 0

  /// Compares a mirror with a log.
  /// - Parameters:
  ///   - options: only the rules and the number of jobs matter.
  ///   - stored: returns the form in which the database stores a value.
  ///   - found: called with each difference.
  /// - Throws: `.refused` if there is no mirror, if it belongs to another log, or if it must be
  ///   built again before it can be compared.
  package init(
    _ database: any MirrorDatabase, _ options: MirrorOptions = MirrorOptions(),
    statements: ([TableSchema]) -> [String],
    stored: @escaping (TableValue) -> TableValue = { $0 },
    of open: @escaping () throws(LogError) -> LogView,
    found: (MirrorDifference) -> Void
  ) async throws(MirrorFault) {
    guard let state = try database.state() else {
      throw .refused("\(database.name) has no mirror; create one with 'eventlog mirror'")
    }
    self.state = state
    var source = LogSource(options.rules, open)
    let log = try reading { () throws(LogError) in try source.moment() }
    try log.check(state, database.name)
    let plan = try MirrorPlan(
      MirrorOptions(), keeping: state, rules: log.rules, rewritings: log.rewritings, statements)
    if let reason = plan.reason(toRebuild: state) {
      throw .refused(
        "\(database.name) must be built again (\(reason)); run 'eventlog mirror' first")
    }
    try await compare(database, log, plan, options.jobs, stored, found)
  }

  private mutating func compare(
    _ database: any MirrorDatabase, _ log: LogSource.Moment, _ plan: MirrorPlan, _ jobs: Int,
    _ stored: @escaping (TableValue) -> TableValue, _ found: (MirrorDifference) -> Void
  ) async throws(MirrorFault) {
    let objects = try database.objectDifferences(plan.schemas)
    differences += objects.count
    objects.forEach(found)
    let absent = Set(objects.filter(\.isAbsentTable).map(\.table))
    let position = state.position
    let replay = try await replayed(log.view, at: position, jobs: jobs)
    let restored = replay.restored
    let logged = TableState(replay, rules: plan.rules, tracksVersions: false)
    var versions: [Int: RowComparison] = [:]
    var current: [Int: RowComparison] = [:]
    if plan.hasHistory {
      for index in plan.tables {
        let schema = TableState.schemas[index]
        versions[index] = RowComparison(schema.history, stored)
        var currentSchema = schema
        currentSchema.name = schema.history.name
        current[index] = RowComparison(currentSchema, stored)
      }
      let all = TableState(Replay<Views>(), rules: plan.rules, tracksVersions: true)
      try forEachVersion(in: log.view, until: position, all) { (table, row) throws(MirrorFault) in
        versions[table]?.add(row)
        let width = TableState.schemas[table].columns.count
        if row[width + 1] == .int(TableSchema.noEnd) { current[table]?.add(Array(row[..<width])) }
      }
    }
    for index in plan.tables {
      let schema = TableState.schemas[index]
      var comparison = RowComparison(schema, stored)
      var others = current.removeValue(forKey: index)
      func report(_ difference: MirrorDifference) {
        differences += 1
        found(difference)
      }
      try logged.forEachRow(of: index) { (row) throws(MirrorFault) in
        comparison.add(row)
        others?.compare(row.map(stored), report)
      }
      others?.reportMissing(report)
      guard restored.checked(true) != nil else {
        throw .refused("a checkpoint of the log was damaged and is deleted now; check again")
      }
      if !absent.contains(schema.name) { try count(comparison, schema, database, found) }
      if let history = versions.removeValue(forKey: index) {
        if absent.contains(schema.history.name) { continue }
        try count(history, schema.history, database, found)
      }
    }
  }

  /// Compares a table's rows with those of the mirror.
  private mutating func count(
    _ comparison: consuming RowComparison, _ schema: TableSchema,
    _ database: any MirrorDatabase, _ found: (MirrorDifference) -> Void
  ) throws(MirrorFault) {
    var comparison = comparison
    func report(_ difference: MirrorDifference) {
      differences += 1
      found(difference)
    }
    try database.forEachRow(of: schema, at: state.position) { (row) throws(MirrorFault) in
      rows += 1
      comparison.compare(row, report)
    }
    comparison.reportMissing(report)
    tables += 1
  }
}
