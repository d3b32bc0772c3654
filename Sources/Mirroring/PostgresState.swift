import Events
import UseCases

// The table `eventlog_mirror`.
extension PostgresDialect {
  /// The version of the table `eventlog_mirror` and of the meaning of the mirror's tables.
  static let format: Int64 = 1

  /// The table with the mirror's state. Its only row belongs to the transaction that wrote the
  /// other tables.
  static let stateSchema = TableSchema(
    name: "eventlog_mirror", about: "The state of the tables that eventlog mirror maintains.",
    columns: [
      Column("format", .integer, "The version of this table.", isOptional: false),
      Column(
        "position", .integer, "The position of the last event that the tables reflect.",
        isOptional: false),
      Column("sum", .integer, "The checksum of that event, as a signed number.", isOptional: false),
      Column("time", .time, "The time of that event.", isOptional: false),
      Column(
        "rewritings", .integer, "The number of rewritings of the log that the tables reflect.",
        isOptional: false),
      Column("rules", .text, "The rules that the tables reflect, as JSON.", isOptional: false),
      Column("has_history", .bool, "Whether there are history tables.", isOptional: false),
      Column("tables", .text, "The names of the mirrored tables.", isOptional: false),
      Column("layout", .text, "A hash of the tables' declarations.", isOptional: false),
      Column(
        "policies", .text, "The kind of row-level security; empty without any.", isOptional: false),
      Column(
        "relations", .text, "The names of all tables that the mirror created.", isOptional: false),
    ],
    key: [0])

  private typealias Column = TableSchema.Column

  /// Returns the row of `stateSchema` for a state.
  static func row(_ state: MirrorState, relations: String) -> [TableValue] {
    [
      .int(format), .int(Int64(clamping: state.position)), .int(Int64(bitPattern: state.sum)),
      .time(state.time), .int(Int64(state.rewritings)), .text(state.rules),
      .bool(state.hasHistory), .text(state.tables), .text(state.layout), .text(state.policies),
      .text(relations),
    ]
  }

  /// Returns the state in a row of `stateSchema`; nil for another row.
  static func state(_ row: [TableValue]) -> (state: MirrorState, relations: [String])? {
    guard row.count == stateSchema.columns.count, case .int(let position) = row[1],
      case .int(let sum) = row[2], case .time(let time) = row[3],
      case .int(let rewritings) = row[4], case .text(let rules) = row[5],
      case .bool(let hasHistory) = row[6], case .text(let tables) = row[7],
      case .text(let layout) = row[8], case .text(let policies) = row[9],
      case .text(let relations) = row[10]
    else { return nil }
    return (
      MirrorState(
        position: UInt64(clamping: position), sum: UInt64(bitPattern: sum), time: time,
        rewritings: Int(rewritings), rules: rules, hasHistory: hasHistory, tables: tables,
        layout: layout, policies: policies),
      relations.split(separator: ",").map(String.init)
    )
  }
}
