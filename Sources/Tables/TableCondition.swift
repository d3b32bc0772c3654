import Events
import Projections
import UseCases

/// A condition on a table's rows, with three values as in SQL: null makes a comparison unknown, and
/// a row is in the answer only if the condition is true.
package indirect enum TableCondition: Sendable {
  case all([TableCondition])
  case any([TableCondition])
  case not(TableCondition)
  case compare(Int, Comparison, TableValue)
  case within(Int, [TableValue])
  case like(Int, LikePattern)
  case isNull(Int)
  /// Whether a flag is this value; false for null, never unknown.
  case isFlag(Int, Bool)

  /// A comparison of a column with a value.
  package enum Comparison: String, CaseIterable, Sendable {
    case equal = "eq"
    case unequal = "neq"
    case greater = "gt"
    case atLeast = "gte"
    case less = "lt"
    case atMost = "lte"
  }

  /// Returns whether a row meets the condition; nil if that is unknown.
  /// - Parameters:
  ///   - value: returns the row's value in a column.
  ///   - steps: the number of characters that texts have been compared with so far.
  func holds(_ value: (Int) -> TableValue, _ steps: inout Int) -> Bool? {
    switch self {
    case .all(let parts): return Self.combined(parts, value, &steps, deciding: false)
    case .any(let parts): return Self.combined(parts, value, &steps, deciding: true)
    case .not(let part): return part.holds(value, &steps).map { !$0 }
    case .isNull(let column): return value(column) == .null
    case .isFlag(let column, let flag): return value(column) == .bool(flag)
    case .within(let column, let wanted):
      let value = value(column)
      return value == .null && !wanted.isEmpty ? nil : wanted.contains(value)
    case .like(let column, let pattern):
      return value(column).text.map { pattern.matches($0, &steps) }
    case .compare(let column, let comparison, let other):
      let value = value(column)
      if value == .null || other == .null { return nil }
      switch comparison {
      case .equal: return value == other
      case .unequal: return value != other
      case .greater: return value.order(other, &steps) > 0
      case .atLeast: return value.order(other, &steps) >= 0
      case .less: return value.order(other, &steps) < 0
      case .atMost: return value.order(other, &steps) <= 0
      }
    }
  }

  /// Returns `decisive` if a part has this value, unknown if a part is unknown, else the opposite.
  private static func combined(
    _ parts: [TableCondition], _ value: (Int) -> TableValue, _ steps: inout Int,
    deciding decisive: Bool
  ) -> Bool? {
    var isUnknown = false
    for part in parts {
      switch part.holds(value, &steps) {
      case decisive: return decisive
      case nil: isUnknown = true
      default: break
      }
    }
    return isUnknown ? nil : !decisive
  }

  /// The indexes of the columns that the condition reads.
  var columns: Set<Int> {
    switch self {
    case .all(let parts), .any(let parts): parts.reduce(into: []) { $0.formUnion($1.columns) }
    case .not(let part): part.columns
    case .compare(let column, _, _), .within(let column, _), .like(let column, _),
      .isNull(let column), .isFlag(let column, _):
      [column]
    }
  }

  /// The number of comparisons with each row.
  package var comparisons: Int {
    switch self {
    case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.comparisons }
    case .not(let part): part.comparisons
    case .within(_, let values): 1 + values.count / 10
    case .compare, .like, .isNull, .isFlag: 1
    }
  }

  /// Whether a part of the condition is a pattern of texts.
  var hasPattern: Bool {
    switch self {
    case .all(let parts), .any(let parts): parts.contains { $0.hasPattern }
    case .not(let part): part.hasPattern
    case .like: true
    case .compare, .within, .isNull, .isFlag: false
    }
  }

  /// The parts that must all be true.
  package var conjuncts: [TableCondition] {
    if case .all(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
  }
}

extension TableValue {
  /// Returns whether two values are equal; texts are equal only byte by byte, as in PostgreSQL.
  package static func == (a: TableValue, b: TableValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.int(let a), .int(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.bool(let a), .bool(let b)): a == b
    case (.time(let a), .time(let b)): a == b
    case (.json(let a), .json(let b)): a == b
    default: false
    }
  }

  /// Returns a negative number if the value sorts before another of the same type, a positive one
  /// if it sorts after it, and 0 if they are equal. Texts are sorted without regard to case and
  /// diacritics, and equal ones then by their bytes.
  /// - Parameter steps: the number of characters compared so far. The call adds its own.
  func order(_ other: TableValue, _ steps: inout Int) -> Int {
    switch (self, other) {
    case (.int(let a), .int(let b)): Self.order(a, b)
    case (.double(let a), .double(let b)): Self.order(a, b)
    case (.bool(let a), .bool(let b)): Self.order(a ? 1 : 0, b ? 1 : 0)
    case (.time(let a), .time(let b)): Self.order(a, b)
    case (.text(let a), .text(let b)): Self.order(a, b, &steps)
    case (.json(let a), .json(let b)): Self.order(a.text, b.text, &steps)
    default: 0
    }
  }

  private static func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a == b ? 0 : 1 }

  private static func order(_ a: String, _ b: String, _ steps: inout Int) -> Int {
    let folded = Folding.order(a, b, &steps)
    if folded != 0 { return folded }
    steps += a.utf8.count
    if a.utf8.elementsEqual(b.utf8) { return 0 }
    return a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1
  }

  /// The number of bytes of the value in an answer, roughly.
  var size: Int {
    switch self {
    case .text(let text): 8 + text.utf8.count
    case .json(let value): 8 + value.text.utf8.count
    case .null, .int, .double, .bool, .time: 8
    }
  }

  /// Returns the value as JSON. Times have PostgreSQL's form, `2026-01-19T09:00:00.25+00:00`.
  package var json: JSONValue {
    switch self {
    case .null: .null
    case .text(let text): .string(text)
    case .int(let number): .int(number)
    case .double(let number): .double(number)
    case .bool(let flag): .bool(flag)
    case .time(let time): .string(Self.text(time))
    case .json(let value): value
    }
  }

  private static func text(_ time: Timestamp) -> String {
    var text = String("\(time)".dropLast())
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text + "+00:00"
  }

  /// Reads a value of a column from a filter.
  /// - Parameter spelling: returns a user's id as the log spells it.
  /// - Throws: `22P02` or `22007` for a text that is no value of the type.
  package init(
    _ text: String, as type: ColumnType, spelling: (String) -> String
  ) throws(TableFault) {
    func invalid(_ code: String = "22P02") -> TableFault {
      TableFault(code, #"invalid input syntax for type \#(type.rawValue): "\#(text)""#)
    }
    switch type {
    case .text: self = .text(text)
    case .user: self = .text(spelling(text))
    case .uuid:
      guard EventID(text) != nil else { throw invalid() }
      self = .text(text.lowercased())
    case .json:
      guard let value = try? JSONValue(text) else { throw invalid() }
      self = .json(value)
    case .integer:
      guard let number = Int64(text) else { throw invalid() }
      self = .int(number)
    case .double:
      guard let number = Double(text), number.isFinite else { throw invalid() }
      self = .double(number)
    case .bool:
      switch text.lowercased() {
      case "true", "t", "yes", "on", "1": self = .bool(true)
      case "false", "f", "no", "off", "0": self = .bool(false)
      default: throw invalid()
      }
    case .date:
      guard CalendarDate(text) != nil else { throw invalid("22007") }
      self = .text(text)
    case .time:
      guard let time = Self.time(text) else { throw invalid("22007") }
      self = .time(time)
    }
  }

  /// Reads a time: RFC 3339, also with a space for `T`, with a short zone, without one, or a date
  /// alone; both mean UTC.
  private static func time(_ text: String) -> Timestamp? {
    if CalendarDate(text) != nil { return DateTime(text + "T00:00:00Z")?.instant }
    var text = text.replacing(" ", at: 10, with: "T")
    // A `+` of an address that was not escaped is a space.
    text = text.replacing(" ", at: text.utf8.count - 6, with: "+")
    let tail = text.suffix(6)
    if tail.hasSuffix("Z") || tail.hasSuffix("z") { return DateTime(text)?.instant }
    if let sign = tail.lastIndex(where: { $0 == "+" || $0 == "-" }) {
      let zone = tail[sign...].dropFirst()
      if zone.utf8.count == 2 { text += ":00" }
      return DateTime(text)?.instant
    }
    return DateTime(text + "Z")?.instant
  }
}

extension String {
  /// Returns the text with one character replaced, if it is `old`.
  fileprivate func replacing(_ old: Character, at offset: Int, with new: Character) -> String {
    guard offset >= 0, let place = index(startIndex, offsetBy: offset, limitedBy: endIndex),
      place < endIndex, self[place] == old
    else { return self }
    return String(self[..<place]) + String(new) + self[index(after: place)...]
  }
}

/// A pattern of `like` or `ilike`: `*` and `%` stand for any text, `_` for one character, and `\`
/// makes the next character stand for itself.
package struct LikePattern: Sendable {
  private enum Part: Equatable {
    case one(Unicode.Scalar)
    case anyOne
    case anyText
  }

  private let parts: [Part]
  private let ignoresCase: Bool
  /// The longest text without wildcards that each match contains.
  let literal: String

  /// Reads a pattern.
  package init(_ text: String, ignoresCase: Bool) {
    var parts: [Part] = []
    var isEscaped = false
    for scalar in (ignoresCase ? text.lowercased() : text).unicodeScalars {
      switch scalar {
      case _ where isEscaped:
        parts.append(.one(scalar))
        isEscaped = false
      case "\\": isEscaped = true
      case "*", "%": if parts.last != .anyText { parts.append(.anyText) }
      case "_": parts.append(.anyOne)
      default: parts.append(.one(scalar))
      }
    }
    (self.parts, self.ignoresCase) = (parts, ignoresCase)
    var runs = [""]
    for part in parts {
      if case .one(let scalar) = part {
        runs[runs.count - 1].unicodeScalars.append(scalar)
      } else {
        runs.append("")
      }
    }
    literal = runs.max { $0.utf8.count < $1.utf8.count } ?? ""
  }

  /// Returns whether a text matches. Returns false, perhaps wrongly, after `TableQuery.mostSteps`.
  /// - Parameter steps: the number of characters compared so far. The call adds its own.
  /// - Complexity: O(text · pattern) at worst, without recursion.
  func matches(_ text: String, _ steps: inout Int) -> Bool {
    let text = Array((ignoresCase ? text.lowercased() : text).unicodeScalars)
    steps += text.count
    var (at, part) = (0, 0)
    // The last wildcard for any text, and the end of the text that it stands for so far.
    var retry: (part: Int, at: Int)?
    while at < text.count {
      steps += 1
      if steps > TableQuery.mostSteps { return false }
      if part < parts.count, parts[part] == .anyText {
        retry = (part, at)
        part += 1
      } else if part < parts.count, parts[part] == .anyOne || parts[part] == .one(text[at]) {
        part += 1
        at += 1
      } else if let last = retry {
        retry = (last.part, last.at + 1)
        (part, at) = (last.part + 1, last.at + 1)
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { $0 == .anyText }
  }
}
