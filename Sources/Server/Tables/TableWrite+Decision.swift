import Events
import Tables
import UseCases

/// The caller who writes a table, and reads its rows.
struct RowReader: Sendable {
  let user: String
  let caller: Caller
  let followIDs: FollowIDs

  fileprivate func rows(
    _ query: TableQuery, _ model: Model
  ) throws(TableFault) -> [JSONValue] {
    try query.rows(in: model, for: caller, followIDs)
  }
}

// A write reads the rows that it depends on in its decision, so that no other write can come
// between them and the commit.
extension TableWrite {
  /// The commands of a write, and what its answer needs.
  private struct Plan {
    var commands: [TableCommand] = []
    /// The rows that the write inserts or changes.
    var written: [[String: JSONValue]] = []
    /// The answer to a removal: the rows as they were before it.
    var removed: [JSONValue]?
  }

  /// Decides the write.
  /// - Returns: the answer: an array of rows; null if the client asks for no rows; or the fault for
  ///   which nothing is written.
  /// - Throws: the error of the first command that is refused.
  func decide(
    for reader: RowReader, by core: Core, in model: inout Model
  ) throws(UseCaseError) -> Call.Answering {
    _ = try model.actor()
    if dependsOnEventsAhead(reader, &model) {
      model.waitForEventsAhead()
      return .known(CallAnswer(.null))
    }
    let plan: Plan
    do throws(TableFault) {
      plan = try action == .insert ? inserting(reader, model) : changing(reader, model)
    } catch {
      return .known(CallAnswer(error.json))
    }
    try core.decide(plan.commands, as: reader.caller, in: &model)
    if let removed = plan.removed { return .known(CallAnswer(.array(removed))) }
    guard preferences.returnsRows || isSingle else { return .known(CallAnswer(.null)) }
    return .reading { [written = plan.written] model in
      do throws(TableFault) {
        return CallAnswer(.array(try rows(written, reader, model)))
      } catch {
        return CallAnswer(error.json)
      }
    }
  }

  // MARK: Events of the same batch

  /// Returns whether earlier commands of the batch may have written rows that this write reads,
  /// because the projections do not have their events yet.
  private func dependsOnEventsAhead(_ reader: RowReader, _ model: inout Model) -> Bool {
    guard model.hasEventsAhead else { return false }
    guard let keys = keys(reader, model.names) else { return true }
    for key in keys where !key.isEmpty {
      // Events that write a row touch all ids of its key.
      var isTouched = true
      for text in key where isTouched {
        isTouched = false
        for id in IDKind.allCases.compactMap({ model.names.find(text, $0) }) where !isTouched {
          isTouched = model.hasEventsAhead(about: id)
        }
      }
      if isTouched { return true }
    }
    return false
  }

  /// Returns the ids in the key of each row that the write reads. The list is empty for a new row
  /// whose id the server creates. Returns nil if the write finds its rows by other values.
  private func keys(_ reader: RowReader, _ names: Names) -> [[String]]? {
    let columns = writes.conflict.filter(isID)
    guard action != .insert else {
      return values.map { values -> [String] in
        let row = spelled(values, names.spelling)
        var key: [String] = []
        for name in columns {
          if case .string(let text)? = row[name] {
            key.append(text)
          } else if name == writes.owner || name == writes.caller {
            key.append(reader.user)
          } else {
            return []
          }
        }
        return key
      }
    }
    var key: [String] = []
    for name in columns {
      var given: String?
      for case .compare(let column, .equal, .text(let text)) in found.condition.conjuncts
      where table.columns[column].name == name {
        given = text
      }
      let isCaller = writes.isOwnersOnly && name == writes.owner
      guard let text = given ?? (isCaller ? reader.user : nil) else { return nil }
      key.append(text)
    }
    return key.isEmpty ? nil : [key]
  }

  private func isID(_ name: String) -> Bool {
    guard let column = table.column(name) else { return false }
    return table.columns[column].type == .user || name == writes.id
      || table.references.contains { $0.column == column }
  }

  // MARK: Rows

  private func inserting(_ reader: RowReader, _ model: Model) throws(TableFault) -> Plan {
    var plan = Plan()
    if isSingle, values.count != 1 { throw TableFault.notOne(values.count) }
    for values in values {
      let row = try completed(
        values, reader.user, id: { model.newID() }, spelling: model.names.spelling)
      let old = try present(row, reader, model)
      // A new row for a follow that ended begins the follow again.
      let isEnded = old["deleted_at"].map { $0 != .null } ?? false
      if !old.isEmpty, preferences.isIgnoring { continue }
      if !old.isEmpty, !isEnded {
        guard preferences.isMerging else {
          throw TableFault(
            "23505", "duplicate key value violates unique constraint \"\(table.name)_pkey\"",
            details: "Key (\(writes.conflict.joined(separator: ", "))) already exists.",
            hint: "Prefer: resolution=merge-duplicates updates the row.")
        }
      }
      let isUpdate = !old.isEmpty && !isEnded
      plan.written.append(row)
      let allowed = try allowed(row, of: old)
      guard let decide = Self.command(isUpdate ? .update : .insert, writes) else {
        // Only the same row may be sent again.
        if allowed.contains(where: { $0.value != old[$0.key] }) {
          throw TableFault(
            "42501", "rows of \(table.name) cannot be changed", details: "notAuthorized",
            hint: writes.hint)
        }
        continue
      }
      if isUpdate { try checkFixed(allowed, of: old) }
      plan.commands += try decide(
        TableChange(values: allowed, row: isUpdate ? old : [:], user: reader.user))
    }
    return plan
  }

  private func changing(_ reader: RowReader, _ model: Model) throws(TableFault) -> Plan {
    var query = found
    if writes.isOwnersOnly, let owner = writes.owner.flatMap(table.column) {
      query.condition = .all([.compare(owner, .equal, .text(reader.user)), query.condition])
    }
    var found = try reader.rows(query, model)
    // If no row is the caller's own, the others say why the write is refused.
    if found.isEmpty, writes.isOwnersOnly { found = try reader.rows(self.found, model) }
    guard found.count <= Self.mostRows || writes.updateCoversEarlierRows else {
      throw TableFault("54000", "at most \(Self.mostRows) rows can be written at once")
    }
    if isSingle, found.count != 1 { throw TableFault.notOne(found.count) }
    if let most = preferences.maxAffected, found.count > most {
      throw TableFault(
        "PGRST124", "Query result exceeds max-affected preference constraint",
        details: "The query affects \(found.count) rows")
    }
    var plan = Plan()
    if action == .delete, preferences.returnsRows || isSingle {
      query.selection = answer.selection
      plan.removed = try reader.rows(query, model)
    }
    guard let decide = Self.command(action, writes) else { return plan }
    for (index, row) in found.enumerated() {
      guard let old = row.byName else { continue }
      let given = spelled(values.first ?? [:], model.names.spelling)
      try checkFixed(given, of: old)
      let values = try allowed(given, of: old)
      plan.written.append(old)
      if writes.updateCoversEarlierRows, index > 0 { continue }
      // Two rows may stand for one thing, such as the two directions of a friendship.
      for command in try decide(TableChange(values: values, row: old, user: reader.user))
      where !plan.commands.contains(command) {
        plan.commands.append(command)
      }
    }
    return plan
  }

  /// Returns the present row that a new row would replace; empty if there is none.
  private func present(
    _ row: [String: JSONValue], _ reader: RowReader, _ model: Model
  ) throws(TableFault) -> [String: JSONValue] {
    guard
      let query = try query(
        for: row, selecting: found.selection, spelling: model.names.spelling),
      let row = try reader.rows(query, model).first
    else { return [:] }
    return row.byName ?? [:]
  }

  /// Returns the written rows, as the client asked for them.
  private func rows(
    _ written: [[String: JSONValue]], _ reader: RowReader, _ model: Model
  ) throws(TableFault) -> [JSONValue] {
    var all: [JSONValue] = []
    for row in written {
      guard
        let query = try query(
          for: row, selecting: answer.selection, spelling: model.names.spelling)
      else { continue }
      all += try reader.rows(query, model)
    }
    // The row may be gone, such as a request that was rejected.
    if isSingle, all.isEmpty, let row = written.first {
      all = [.object(row.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })]
    }
    return all
  }
}
