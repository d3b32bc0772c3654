import Events
import Tables
import UseCases

/// Query items that are not filters.
private let reserved: Set = ["select", "order", "limit", "offset", "on_conflict", "columns"]

/// The most columns and embedded rows in each row of an answer.
private let mostMembers = 200

/// The most comparisons that a query makes for each row.
private let mostComparisons = 100

extension TableQuery {
  /// Reads a query in PostgREST's language from an address.
  /// - Parameters:
  ///   - items: the query items, also those of embedded rows: `comments.order=created_at.desc`.
  ///   - spelling: returns a user's id as the log spells it.
  /// - Throws: `PGRST100` for a text that cannot be parsed; `42703` for an unknown column;
  ///   `PGRST200` and `PGRST201` for embedded rows that no foreign key, or more than one, leads to.
  init(
    _ table: Table, _ items: [Target.Item], spelling: (String) -> String
  ) throws(TableFault) {
    self.init(table)
    let select = items.last { $0.name == "select" }?.value ?? "*"
    var reader = TableTextReader(select, of: "select parameter (\(printable(select)))")
    selection = try Self.selection(of: table, &reader, depth: 0)
    if !reader.isAtEnd { throw reader.fault("a comma is expected") }
    var conditions: [TableCondition] = []
    var embedded: [String: [Target.Item]] = [:]
    for item in items {
      if let dot = item.name.firstIndex(of: "."), !item.name.hasPrefix("not.") {
        let rest = String(item.name[item.name.index(after: dot)...])
        embedded[String(item.name[..<dot]), default: []].append(
          Target.Item(name: rest, value: item.value))
      } else if !reserved.contains(item.name) {
        conditions.append(try table.condition(item, spelling))
      }
    }
    condition = .all(conditions)
    if condition.comparisons > mostComparisons {
      throw TableFault("54000", "a query may have at most \(mostComparisons) comparisons")
    }
    if let order = items.last(where: { $0.name == "order" })?.value {
      self.order = try table.order(order)
    }
    limit = try Self.number(items, "limit")
    offset = try Self.number(items, "offset") ?? 0
    try addToEmbeddings(embedded, spelling)
  }

  /// Adds filters, order and page of embedded rows.
  private mutating func addToEmbeddings(
    _ items: [String: [Target.Item]], _ spelling: (String) -> String
  ) throws(TableFault) {
    for (name, items) in items {
      let index = selection.firstIndex { member in
        if case .embedded(let embedding) = member { embedding.name == name } else { false }
      }
      guard let index, case .embedded(var embedding) = selection[index] else {
        throw TableFault(
          "PGRST108", "'\(printable(name))' is not an embedded resource in this request",
          hint: "Verify that '\(printable(name))' is included in the 'select' query parameter.")
      }
      let selection = embedding.query.selection
      embedding.query = try TableQuery(embedding.query.table, items, spelling: spelling)
      embedding.query.selection = selection
      self.selection[index] = .embedded(embedding)
    }
  }

  private static func number(
    _ items: [Target.Item], _ name: String
  ) throws(TableFault) -> Int? {
    guard let text = items.last(where: { $0.name == name })?.value else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw TableFault("PGRST100", "\(name): a number from 0 is expected, not \(printable(text))")
    }
    return number
  }

  /// Reads columns and embedded rows up to the end or a closing parenthesis.
  private static func selection(
    of table: Table, _ reader: inout TableTextReader, depth: Int
  ) throws(TableFault) -> [Selected] {
    var selection: [Selected] = []
    repeat {
      if reader.isAtEnd || reader.isNext(")") { break }
      if selection.count > mostMembers {
        throw TableFault("54000", "a row may have at most \(mostMembers) members")
      }
      if reader.skip("*") {
        selection += table.columns.indices.map { .column($0, name: table.columns[$0].name) }
        continue
      }
      let isSpread = reader.skip(word: "...")
      var name = try reader.name()
      var alias: String?
      if !reader.skip(word: "::"), reader.skip(":") {
        (alias, name) = (name, try reader.name())
      }
      var hints: [String] = []
      while reader.skip("!") { hints.append(try reader.name()) }
      if reader.skip("(") {
        if depth > 0 || isSpread {
          throw TableFault(
            "PGRST100", "embedded rows are supported one level deep, and without '...'",
            hint: "Ask for the rows of \(printable(name)) in another request.")
        }
        var embedding = try table.embedding(name, alias, hints)
        embedding.query.selection = try Self.selection(
          of: embedding.query.table, &reader, depth: 1)
        try reader.expect(")")
        selection.append(.embedded(embedding))
      } else {
        if reader.isNext("-") || reader.isNext(":") || reader.isNext(".") {
          throw reader.fault("casts, JSON paths and aggregates are not supported; a comma")
        }
        selection.append(.column(try table.readable(name), name: alias ?? name))
      }
    } while reader.skip(",")
    return selection
  }
}

extension Table {
  /// Returns the index of a column.
  /// - Throws: `42703`.
  func readable(_ name: String) throws(TableFault) -> Int {
    guard let column = column(name) else {
      throw TableFault("42703", "column \(self.name).\(printable(name)) does not exist")
    }
    return column
  }

  /// Reads `created_at.desc.nullslast,id`.
  fileprivate func order(_ text: String) throws(TableFault) -> [TableQuery.Order] {
    var reader = TableTextReader(text, of: "order (\(printable(text)))")
    var orders: [TableQuery.Order] = []
    repeat {
      let column = try readable(try reader.name())
      var order = TableQuery.Order(column: column, isDescending: false, nullsFirst: false)
      while reader.skip(".") {
        switch try reader.name() {
        case "asc": break
        case "desc": (order.isDescending, order.nullsFirst) = (true, true)
        case "nullsfirst": order.nullsFirst = true
        case "nullslast": order.nullsFirst = false
        default: throw reader.fault("asc, desc, nullsfirst or nullslast is expected")
        }
      }
      // Only a column's first place in the order matters.
      if !orders.contains(where: { $0.column == column }) { orders.append(order) }
    } while reader.skip(",")
    if !reader.isAtEnd { throw reader.fault("a comma is expected") }
    return orders
  }

  /// Finds the foreign key that leads to embedded rows.
  /// - Parameters:
  ///   - name: a table, a column with a reference, or the name of a foreign key.
  ///   - hints: what `!` adds: a column, the name of a foreign key, `inner` or `left`.
  fileprivate func embedding(
    _ name: String, _ alias: String?, _ hints: [String]
  ) throws(TableFault) -> TableQuery.Embedding {
    let hint = hints.first { $0 != "inner" && $0 != "left" }
    func fits(_ reference: Reference, of table: Table) -> Bool {
      let column = table.columns[reference.column].name
      return hint == nil || hint == column || hint == reference.name
    }
    var found: [TableQuery.Embedding] = []
    for reference in references {
      let column = columns[reference.column].name
      guard [reference.table, column, reference.name].contains(name), fits(reference, of: self),
        let other = Table.named(reference.table), let key = other.key.first
      else { continue }
      // A row that refers to a hidden row is hidden, too.
      let join: TableQuery.Embedding.Join = reference.isOptional ? .left : .visible
      found.append(
        TableQuery.Embedding(
          name: alias ?? name, query: TableQuery(other), local: reference.column, foreign: key,
          isOne: true, join: hints.contains("inner") ? .inner : join))
    }
    if let other = Table.named(name), let key = key.first {
      for reference in other.references
      where reference.table == self.name && fits(reference, of: other) {
        found.append(
          TableQuery.Embedding(
            name: alias ?? name, query: TableQuery(other), local: key, foreign: reference.column,
            isOne: other.key == [reference.column],
            join: hints.contains("inner") ? .inner : .left))
      }
    }
    // A table that refers to itself: without a hint, the rows are those that this row refers to.
    if name == self.name, let first = found.first { return first }
    guard let first = found.first else {
      throw TableFault(
        "PGRST200",
        "Could not find a relationship between '\(self.name)' and '\(printable(name))' in the "
          + "schema cache",
        hint: "These tables have no foreign key between them: see docs/supabase.md.")
    }
    guard found.count == 1 else {
      throw TableFault(
        "PGRST201",
        "Could not embed because more than one relationship was found for '\(self.name)' and "
          + "'\(name)'",
        hint: "Name the foreign key's column: \(name)!\(columns[first.local].name)(…).")
    }
    return first
  }
}
