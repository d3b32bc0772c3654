import Aggregates
import Events
import UseCases

/// The way in which a query finds the rows that may meet its condition.
enum TableAccess {
  /// The rows with certain values in an index's columns, for each pair of index and values.
  case indexes([Visit])
  /// The rows that contain a text: those of the index, and others, which are not in it.
  case search(String, others: [RowKey])
  /// All rows.
  case scan

  /// A visit of the rows with these values in an index's columns.
  typealias Visit = (index: Table.Index, values: [TableValue])

  /// Chooses the way that visits the fewest rows, as far as the indexes can estimate.
  init(_ condition: TableCondition, _ table: Table, _ view: TableView) {
    var others: [RowKey]?
    if condition.hasPattern { others = table.search?.others(condition, view) }
    let search = others == nil ? nil : table.search
    switch Self.best(condition, table, search, view) {
    case .search(let text, _): self = .search(text, others: others ?? [])
    case let access: self = access ?? .scan
    }
  }

  /// Whether each row is visited once. The indexes of follows may visit a row twice.
  var isDistinct: Bool {
    switch self {
    case .indexes(let visits): visits.count == 1 && visits[0].index.newestBy.isEmpty
    case .scan: true
    case .search: false
    }
  }

  /// Whether only rows with certain values are visited.
  var usesIndexes: Bool { if case .indexes = self { true } else { false } }

  /// Returns the best way for a condition; nil if only a scan finds its rows.
  private static func best(
    _ condition: TableCondition, _ table: Table, _ search: Table.TextSearch?, _ view: TableView
  ) -> TableAccess? {
    let conjuncts = condition.conjuncts
    let equal = equalities(conjuncts)
    var best: (visits: [Visit], cost: Int)?
    for index in table.indexes where index.isOpen || view.mayList {
      guard let values = combinations(index.columns, equal) else { continue }
      let cost = values.reduce(0) { $0 + max(1, min(index.estimate($1, view), 1 << 32)) }
      if best.map({ cost < $0.cost }) ?? true { best = (values.map { (index, $0) }, cost) }
    }
    if let best { return .indexes(best.visits) }
    for case .any(let parts) in conjuncts {
      if let union = union(parts.map { Self.best($0, table, search, view) }) { return union }
    }
    for case .like(let column, let pattern) in conjuncts {
      // The index has no white space at the ends of a text, and no marks alone.
      let hasLetters = pattern.literal.contains { $0.isLetter || $0.isNumber }
      if let search, search.columns.contains(column), hasLetters {
        return .search(pattern.literal, others: [])
      }
    }
    return nil
  }

  /// Returns a way that finds the rows of all the ways; nil if there is none but a scan.
  private static func union(_ ways: [TableAccess?]) -> TableAccess? {
    var visits: [Visit] = []
    var text: String?
    for way in ways {
      switch way {
      case .indexes(let more): visits += more
      case .search(let found, _) where text ?? found == found: text = found
      case .search, .scan, nil: return nil
      }
    }
    guard let text else { return visits.isEmpty ? nil : .indexes(visits) }
    return visits.isEmpty ? .search(text, others: []) : nil
  }

  /// Returns the values that columns must have: one of a list each.
  private static func equalities(_ conjuncts: [TableCondition]) -> [Int: [TableValue]] {
    var equal: [Int: [TableValue]] = [:]
    for part in conjuncts {
      switch part {
      case .compare(let column, .equal, let value): equal[column] = [value]
      case .within(let column, let values) where equal[column] == nil: equal[column] = values
      default: break
      }
    }
    return equal
  }

  /// Returns all combinations of the values of several columns; nil if a column has no list, or if
  /// there are more than 1,000 combinations.
  private static func combinations(
    _ columns: [Int], _ equal: [Int: [TableValue]]
  ) -> [[TableValue]]? {
    var found: [[TableValue]] = [[]]
    for column in columns {
      guard let values = equal[column], values.count * found.count <= 1_000 else { return nil }
      found = found.flatMap { start in values.map { start + [$0] } }
    }
    return found
  }
}
