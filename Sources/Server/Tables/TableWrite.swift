import Events
import Tables
import UseCases

/// A write of a table: new rows, or the change or removal of the rows that filters find.
struct TableWrite: Sendable {
  /// The most rows that one request writes.
  static let mostRows = 100

  enum Action: Sendable { case insert, update, delete }

  let action: Action
  let table: Table
  let writes: TableWrites
  /// The new rows, or the values to change.
  let values: [[String: JSONValue]]
  /// The query for the rows to change or remove, with all columns.
  var found: TableQuery
  /// The query for the rows of the answer, by the columns of `TableWrites.conflict`.
  let answer: TableQuery
  let preferences: TablePreferences
  let isSingle: Bool

  /// Reads a write.
  /// - Throws: `PGRST102` for a body that is no JSON; `PGRST204` for an unknown column; `21000` for
  ///   a change without filters; `42501` for a write that has no use case.
  init(
    _ query: TableQuery, _ request: Service.Admitted, _ body: [UInt8],
    _ preferences: TablePreferences, isSingle: Bool
  ) throws(TableFault) {
    let table = query.table
    self.table = table
    switch request.head.method {
    case "POST": action = .insert
    case "PATCH": action = .update
    default: action = .delete
    }
    (answer, self.preferences, self.isSingle) = (query, preferences, isSingle)
    found = query
    found.selection = table.columns.indices.map { .column($0, name: table.columns[$0].name) }
    found.limit = min(query.limit ?? Self.mostRows + 1, Self.mostRows + 1)
    // Without a limit of the client's, all rows are written, in any order.
    if query.limit == nil { found.order = [] }
    if table.writes?.updateCoversEarlierRows == true {
      found.order = table.key.map { .init(column: $0, isDescending: true, nullsFirst: false) }
    }
    guard let writes = table.writes, Self.command(action, writes) != nil else {
      let verb = "\(action)"
      throw TableFault(
        "42501",
        "permission denied for table \(query.table.name): no use case can \(verb) its rows",
        details: "notAuthorized", hint: query.table.writes?.hint ?? "")
    }
    self.writes = writes
    values = action == .delete ? [] : try Self.rows(body, of: table, action)
    if action != .insert, case .all(let parts) = query.condition, parts.isEmpty {
      throw TableFault(
        "21000", "\(action == .update ? "UPDATE" : "DELETE") requires a WHERE clause",
        hint: "Add a filter, such as id=eq.….")
    }
    try checkConflict(request.target.items)
  }

  /// Returns the commands for an action; nil if there are none.
  static func command(_ action: Action, _ writes: TableWrites) -> TableWrites.Commands? {
    switch action {
    case .insert: writes.insert
    case .update: writes.update
    case .delete: writes.delete
    }
  }

  private static func rows(
    _ body: [UInt8], of table: Table, _ action: Action
  ) throws(TableFault) -> [[String: JSONValue]] {
    guard let text = String(validating: body, as: UTF8.self) else {
      throw TableFault("PGRST102", "the body must be UTF-8")
    }
    let parsed: JSONValue
    do throws(LineFault) {
      parsed = try JSONValue(text)
    } catch {
      throw TableFault("PGRST102", "the body must be JSON: \(error)")
    }
    var items = [parsed]
    if case .array(let all) = parsed, action == .insert { items = all }
    guard items.count <= mostRows else {
      throw TableFault("54000", "at most \(mostRows) rows can be written at once")
    }
    var rows: [[String: JSONValue]] = []
    for item in items {
      guard case .object(let members) = item, let row = item.byName else {
        throw TableFault("PGRST102", "a JSON object is expected, or a list of objects")
      }
      for name in members.map(\.name) where table.column(name) == nil {
        throw TableFault(
          "PGRST204",
          "Could not find the '\(printable(name))' column of '\(table.name)' in the schema "
            + "cache")
      }
      rows.append(row)
    }
    return rows
  }

  /// Checks `on_conflict`: it must name the columns that find a row.
  private func checkConflict(_ items: [Target.Item]) throws(TableFault) {
    guard let text = items.last(where: { $0.name == "on_conflict" })?.value, !text.isEmpty else {
      return
    }
    let columns = Set(text.split(separator: ",").map(String.init))
    let key = Set(table.key.map { table.columns[$0].name })
    guard columns == Set(writes.conflict) || columns == key else {
      throw TableFault(
        "42P10",
        "there is no unique or exclusion constraint matching the ON CONFLICT specification",
        hint: "on_conflict must be \(writes.conflict.joined(separator: ","))")
    }
  }
}

extension TableWrite {
  /// Returns a new row with the caller as its owner and with an id.
  /// - Throws: `42501` if the row names another owner.
  func completed(
    _ row: [String: JSONValue], _ user: String, id: () -> String,
    spelling: (String) -> String
  ) throws(TableFault) -> [String: JSONValue] {
    var row = spelled(row, spelling)
    if let column = writes.caller, row[column] ?? .null == .null { row[column] = .string(user) }
    if let owner = writes.owner {
      let named = row[owner] ?? .null
      guard named == .null || named == .string(user) else {
        throw TableFault(
          "42501", "new row violates row-level security policy for table \"\(table.name)\"",
          details: "notAuthorized", hint: "\(owner) must be the signed-in user.")
      }
      row[owner] = .string(user)
    }
    if let column = writes.id, row[column] ?? .null == .null { row[column] = .string(id()) }
    return row
  }

  /// Returns values with users' ids as the log spells them.
  func spelled(
    _ values: [String: JSONValue], _ spelling: (String) -> String
  ) -> [String: JSONValue] {
    var values = values
    for column in table.columns where column.type == .user {
      if case .string(let name)? = values[column.name] {
        values[column.name] = .string(spelling(name))
      }
    }
    return values
  }

  /// Checks that a change keeps the columns by which the row is found.
  /// - Throws: `42501`.
  func checkFixed(
    _ values: [String: JSONValue], of row: [String: JSONValue]
  ) throws(TableFault) {
    for name in Set(writes.conflict + [writes.id].compactMap { $0 }).union(writes.fixed) {
      if let value = values[name], value != row[name] {
        throw TableFault(
          "42501", "the column \(name) of a row of \(table.name) cannot be changed",
          details: "notAuthorized", hint: "Delete the row and insert another.")
      }
    }
  }

  /// Returns the values that the client may write.
  /// - Throws: `42501` if a value of a protected column differs from the row's.
  func allowed(
    _ values: [String: JSONValue], of row: [String: JSONValue]
  ) throws(TableFault) -> [String: JSONValue] {
    for name in writes.protected {
      if let value = values[name], value != .null, value != row[name] {
        throw TableFault(
          "42501", "permission denied for column \(name)", details: "notAuthorized",
          hint: "Only services may write this column.")
      }
    }
    var kept = values.filter { writes.writable.contains($0.key) }
    for name in writes.conflict + [writes.id, writes.owner].compactMap({ $0 }) {
      kept[name] = values[name]
    }
    return kept
  }

  /// Returns the query for the row that these values identify; nil if one is missing.
  func query(
    for values: [String: JSONValue], selecting selection: [TableQuery.Selected],
    spelling: (String) -> String
  ) throws(TableFault) -> TableQuery? {
    var parts: [TableCondition] = []
    for name in writes.conflict {
      guard let column = table.column(name), let value = values[name], value != .null else {
        return nil
      }
      let text: String
      if case .string(let string) = value { text = string } else { text = value.text }
      let type = table.columns[column].type
      parts.append(
        .compare(column, .equal, try TableValue(text, as: type, spelling: spelling)))
    }
    var query = TableQuery(table)
    (query.condition, query.selection) = (.all(parts), selection)
    return query
  }
}

extension JSONValue {
  /// An object's values by name, of equal names the last one; nil for other values.
  var byName: [String: JSONValue]? {
    guard case .object(let members) = self else { return nil }
    return Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }
}
