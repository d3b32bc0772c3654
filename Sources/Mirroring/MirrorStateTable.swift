import Events
import Tables
import UseCases

/// The table `eventlog_mirror`. Its one row, the mirror's state, belongs to the transaction that
/// wrote the other tables.
enum MirrorStateTable {
  /// The version of this table and of the meaning of the mirror's tables.
  static let format: Int64 = 1

  static let schema = TableSchema(
    name: "eventlog_mirror", about: "The state of the tables that eventlog mirror maintains.",
    columns: [
      .init("format", .integer, "The version of this table.", isOptional: false),
      .init(
        "position", .integer, "The position of the last event that the tables reflect.",
        isOptional: false),
      .init("sum", .text, "The checksum of that event, in hexadecimal.", isOptional: false),
      .init("time", .time, "The time of that event.", isOptional: false),
      .init(
        "rewritings", .integer, "The number of the log's rewritings that the tables reflect.",
        isOptional: false),
      .init("rules", .text, "The rules that the tables reflect, as JSON.", isOptional: false),
      .init("has_history", .bool, "Whether there are history tables.", isOptional: false),
      .init(
        "tables", .text, "The names of the mirrored tables, separated by commas.",
        isOptional: false),
      .init("layout", .text, "A hash of the tables' declarations.", isOptional: false),
      .init(
        "policies", .text, "The kind of row-level security; empty without any.", isOptional: false),
      .init(
        "created", .text, "The tables that a new mirror replaces, separated by commas.",
        isOptional: false),
    ],
    key: [0])

  /// The table's row.
  struct Row: Equatable {
    var state: MirrorState
    /// The names of the tables that the mirror created.
    var created: [String]

    init(_ state: MirrorState, created: [String]) {
      (self.state, self.created) = (state, created)
    }

    /// Reads a row of the table; returns nil for other values.
    init?(_ values: [TableValue]) {
      guard values.count == MirrorStateTable.schema.columns.count,
        case .int(let position) = values[1], case .text(let hex) = values[2],
        let sum = UInt64(hex, radix: 16), case .time(let time) = values[3],
        case .int(let count) = values[4], let rewritings = Int(exactly: count),
        case .text(let rules) = values[5], case .bool(let hasHistory) = values[6],
        case .text(let tables) = values[7], case .text(let layout) = values[8],
        case .text(let policies) = values[9], case .text(let created) = values[10]
      else { return nil }
      state = MirrorState(
        position: UInt64(bitPattern: position), sum: sum, time: time, rewritings: rewritings,
        rules: rules, hasHistory: hasHistory, tables: tables, layout: layout, policies: policies)
      self.created = created.split(separator: ",").map(String.init)
    }

    /// The values, in the order of the columns.
    var values: [TableValue] {
      [
        .int(MirrorStateTable.format), .int(Int64(bitPattern: state.position)),
        .text(String(state.sum, radix: 16)), .time(state.time), .int(Int64(state.rewritings)),
        .text(state.rules), .bool(state.hasHistory), .text(state.tables), .text(state.layout),
        .text(state.policies), .text(created.joined(separator: ",")),
      ]
    }
  }
}
