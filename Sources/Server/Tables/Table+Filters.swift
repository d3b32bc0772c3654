import Events
import Tables
import UseCases

/// The most conditions within each other.
private let mostLevels = 20

extension Table {
  /// Reads a filter: `handle=eq.ann`, `or=(a.is.null,b.gt.3)`, `not.and=(…)`.
  /// - Throws: `PGRST100`, `42703`, `22P02`, `22007`.
  func condition(
    _ item: Target.Item, _ spelling: (String) -> String
  ) throws(TableFault) -> TableCondition {
    var name = Substring(item.name)
    let isNegated = name.hasPrefix("not.")
    if isNegated { name = name.dropFirst(4) }
    if name == "and" || name == "or" {
      var reader = TableTextReader(item.value, of: "logic tree (\(printable(item.value)))")
      let parts = try conditions(&reader, spelling, level: 1)
      if !reader.isAtEnd { throw reader.fault("the end is expected") }
      let condition: TableCondition = name == "and" ? .all(parts) : .any(parts)
      return isNegated ? .not(condition) : condition
    }
    let column = try readable(item.name)
    var reader = TableTextReader(item.value, of: "filter (\(printable(item.value)))")
    let condition = try comparison(column, &reader, spelling, isInTree: false)
    if !reader.isAtEnd { throw reader.fault("the end is expected") }
    return condition
  }

  /// Reads `(a.eq.1,or(b.is.null,not.and(…)))`.
  private func conditions(
    _ reader: inout TableTextReader, _ spelling: (String) -> String, level: Int
  ) throws(TableFault) -> [TableCondition] {
    if level > mostLevels { throw reader.fault("at most \(mostLevels) levels are allowed") }
    try reader.expect("(")
    var parts: [TableCondition] = []
    repeat {
      let isNegated = reader.skip(word: "not.")
      let name = try reader.name()
      let part: TableCondition
      if reader.isNext("("), name == "and" || name == "or" {
        let parts = try conditions(&reader, spelling, level: level + 1)
        part = name == "and" ? .all(parts) : .any(parts)
      } else {
        let column = try readable(name)
        try reader.expect(".")
        part = try comparison(column, &reader, spelling, isInTree: true)
      }
      parts.append(isNegated ? .not(part) : part)
    } while reader.skip(",")
    try reader.expect(")")
    return parts
  }

  /// Reads `eq.5`, `not.in.(a,b)`, `is.null`.
  /// - Parameter isInTree: whether a comma or a parenthesis ends a value, and not only the text.
  private func comparison(
    _ column: Int, _ reader: inout TableTextReader, _ spelling: (String) -> String,
    isInTree: Bool
  ) throws(TableFault) -> TableCondition {
    if reader.skip(word: "not.") {
      return .not(try operation(column, &reader, spelling, isInTree: isInTree))
    }
    return try operation(column, &reader, spelling, isInTree: isInTree)
  }

  /// Reads an operator and its value.
  private func operation(
    _ column: Int, _ reader: inout TableTextReader, _ spelling: (String) -> String,
    isInTree: Bool
  ) throws(TableFault) -> TableCondition {
    let word = try reader.name()
    try reader.expect(".")
    let type = columns[column].type
    if word == "in" {
      let values = try reader.list()
      var found: [TableValue] = []
      for value in values { found.append(try TableValue(value, as: type, spelling: spelling)) }
      return .within(column, found)
    }
    let text = isInTree ? try reader.value() : reader.rest()
    if let comparison = TableCondition.Comparison(rawValue: word) {
      return .compare(column, comparison, try TableValue(text, as: type, spelling: spelling))
    }
    switch (word, text) {
    case ("like", _), ("ilike", _):
      guard type == .text || type == .user else {
        throw TableFault(
          "42883", "operator does not exist: \(type.rawValue) ~~ unknown",
          hint: "\(columns[column].name) is no text.")
      }
      return .like(column, LikePattern(text, ignoresCase: word == "ilike"))
    case ("is", "null"): return .isNull(column)
    case ("is", "not_null"): return .not(.isNull(column))
    case ("is", "true") where type == .bool: return .isFlag(column, true)
    case ("is", "false") where type == .bool: return .isFlag(column, false)
    case ("is", "unknown") where type == .bool: return .isNull(column)
    default:
      throw TableFault(
        "PGRST100", "the filter \(printable(word)).\(printable(text)) is not supported here",
        hint: "Supported: eq, neq, gt, gte, lt, lte, like, ilike, in, is, and not. before them.")
    }
  }
}
