import Aggregates
import EventLog
import Events
import FaultTesting
import Projections
import PropertyTesting
import Replaying
import Tables
import Testing

@testable import UseCases

/// The rows of a mirror, kept from the reported changes.
@Suite struct TableStateTests {
  typealias Row = [TableValue]

  /// Rows by table and by their keys' texts.
  private typealias Rows = [[String: Row]]

  private static func text(_ values: some Sequence<TableValue>) -> String {
    values.map { "\($0)" }.joined(separator: "|")
  }

  private static func key(of row: Row, _ schema: TableSchema) -> String {
    text(schema.key.map { row[$0] })
  }

  private static func rows(_ state: TableState) -> Rows {
    TableState.schemas.enumerated().map { index, schema in
      var rows: [String: Row] = [:]
      state.forEachRow(of: index) { row in
        let old = rows.updateValue(row, forKey: key(of: row, schema))
        #expect(old == nil, "two rows of \(schema.name): \(row)")
      }
      return rows
    }
  }

  private static func state(
    _ view: LogView, until position: Int, _ rules: Rules, tracksVersions: Bool = false
  ) throws -> TableState {
    var replay = Replay(Views())
    try replay.apply(view, until: UInt64(position))
    return TableState(replay, rules: rules, tracksVersions: tracksVersions)
  }

  private static func history(_ t: Trial) -> GeneratedHistory {
    var history = t.draw(t.draw(.bool) ? .history(max: 80) : .hostileHistory(max: 80), "history")
    if t.draw(.bool), history.names.userCount > 0, !history.entries.isEmpty {
      let user = UserID(index: UInt32(t.draw(.int(0...history.names.userCount - 1), "deleted")))
      let at = t.draw(.int(0...history.entries.count - 1), "at")
      history.entries[at].event = .accountDeleted(UserReference(user: user))
    }
    return history
  }

  /// Checks each key, and that each foreign key names a row.
  private static func checkReferences(_ rows: Rows) {
    for (index, schema) in TableState.schemas.enumerated() {
      for row in rows[index].values {
        for (value, column) in zip(row, schema.columns) where value == .null {
          #expect(column.isOptional, "\(schema.name).\(column.name) is null: \(row)")
        }
        for reference in schema.references where row[reference.column] != .null {
          let other = TableState.schemas.firstIndex { $0.name == reference.table } ?? 0
          let key = text([row[reference.column]])
          #expect(
            rows[other][key] != nil,
            "\(schema.name).\(schema.columns[reference.column].name) names no row: \(row)")
        }
      }
    }
  }

  @Test("The reported changes lead to the rows of a state that was built at once")
  func changes() async throws {
    try await check(runs: Sweep.size(12, 75, 10_000)) { t in
      let history = Self.history(t)
      let rules = t.draw(.element(of: Rules.presets), "rules")
      let view = try await history.log().view()
      var position = t.draw(.int(0...history.count), "start")
      let state = try Self.state(view, until: position, rules)
      var kept = Self.rows(state)
      while position < history.count {
        let end = t.draw(.int(position + 1...min(position + 8, history.count)), "end")
        try state.apply(view, until: UInt64(end))
        for change in state.takeChanges() {
          let schema = TableState.schemas[change.table]
          for key in change.removed { kept[change.table][Self.text(key)] = nil }
          for row in change.rows { kept[change.table][Self.key(of: row, schema)] = row }
        }
        let expected = Self.rows(try Self.state(view, until: end, rules))
        for (index, schema) in TableState.schemas.enumerated() {
          #expect(kept[index] == expected[index], "\(schema.name) at \(end)")
        }
        Self.checkReferences(kept)
        position = end
      }
    }
  }

  /// Ends and adds versions as a database does.
  private static func add(_ change: MirroredChange, to versions: inout [Row], _ schema: TableSchema)
  {
    let count = schema.columns.count
    for ended in change.ended {
      let places = versions.indices.filter { index in
        versions[index][count + 1] == .int(TableSchema.noEnd)
          && key(of: versions[index], schema) == text(ended.key)
      }
      #expect(places.count == 1, "\(schema.name): \(ended)")
      for place in places {
        versions[place][count + 1] = .int(Int64(ended.position))
        versions[place][count + 3] = .time(ended.time)
      }
    }
    versions += change.versions
  }

  @Test("The versions that are valid at a position are the rows at that position")
  func versions() async throws {
    try await check(runs: Sweep.size(6, 45, 5_000)) { t in
      let history = Self.history(t)
      let view = try await history.log().view()
      let state = try Self.state(view, until: 0, .climb, tracksVersions: true)
      let schemas = TableState.schemas
      var versions = schemas.map { _ in [Row]() }
      var position = 0
      while position < history.count {
        let end = t.draw(.int(position + 1...min(position + 20, history.count)), "end")
        try state.apply(view, until: UInt64(end))
        for change in state.takeChanges() {
          Self.add(change, to: &versions[change.table], schemas[change.table])
        }
        position = end
      }
      for revision in 0...history.count {
        let expected = Self.rows(try Self.state(view, until: revision, .climb))
        for (index, schema) in schemas.enumerated() {
          let count = schema.columns.count
          let valid = versions[index].filter { row in
            guard case .int(let from) = row[count], case .int(let to) = row[count + 1] else {
              return false
            }
            return from <= revision && revision <= to
          }.map { Array($0.prefix(count)) }
          #expect(valid.count == expected[index].count, "\(schema.name) at \(revision)")
          for row in valid {
            #expect(expected[index][Self.key(of: row, schema)] == row, "\(schema.name)")
          }
        }
      }
      // Built at once up to some position and then continued, the history is the same.
      let middle = t.draw(.int(0...history.count), "built")
      let whole = try Self.state(view, until: 0, .climb, tracksVersions: true)
      var built = schemas.map { _ in [Row]() }
      try whole.apply(view, until: UInt64(middle))
      whole.takeEndedVersions { built[$0].append($1) }
      whole.takeOpenVersions { built[$0].append($1) }
      try whole.apply(view, until: UInt64(history.count))
      for change in whole.takeChanges() {
        Self.add(change, to: &built[change.table], schemas[change.table])
      }
      for index in schemas.indices {
        let kept = Set(versions[index].map { Self.text($0) })
        #expect(Set(built[index].map { Self.text($0) }) == kept, "\(schemas[index].name)")
        #expect(built[index].count == kept.count, "\(schemas[index].name) has a version twice")
      }
    }
  }
}
