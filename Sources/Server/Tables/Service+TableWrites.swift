import Events
import Tables
import UseCases

extension Service {
  /// Performs a write in one commit: all of its rows are written, or none.
  func perform(
    _ write: TableWrite, _ request: Admitted, _ respond: @escaping @Sendable (Response) -> Void
  ) {
    let caller = request.session.caller
    queued(respond) { [self] in await response(to: write, caller) }
  }

  private func response(to write: TableWrite, _ caller: Caller) async -> Response {
    guard let user = caller.user else {
      let fault = TableFault(
        "42501", "permission denied for table \(write.table.name)",
        details: caller.service == nil ? "unauthorized" : "notAuthorized",
        hint: "Sign in as a user.")
      return Response(fault, isSignedIn: caller.service != nil)
    }
    do {
      switch write.action {
      case .insert: return try await insert(write, user, caller)
      case .update, .delete: return try await change(write, user, caller)
      }
    } catch let fault as TableFault {
      return Response(fault, isSignedIn: true)
    } catch let error as UseCaseError {
      return Response(table: error, isSignedIn: true)
    } catch {
      return Response(TableFault("XX000", "the write failed; try again"), isSignedIn: true)
    }
  }

  private func insert(
    _ write: TableWrite, _ user: String, _ caller: Caller
  ) async throws -> Response {
    var commands: [TableCommand] = []
    var written: [[String: JSONValue]] = []
    if write.isSingle, write.values.count != 1 { throw TableFault.notOne(write.values.count) }
    for values in write.values {
      let row = try write.completed(
        values, user, id: { "\(core.newID())" }, spelling: core.spelling(ofUser:))
      let old = try await present(row, write, caller)
      // A new row for a follow that ended begins the follow again.
      let isEnded = old["deleted_at"].map { $0 != .null } ?? false
      if !old.isEmpty, write.preferences.isIgnoring { continue }
      if !old.isEmpty, !isEnded {
        guard write.preferences.isMerging else {
          throw TableFault(
            "23505", "duplicate key value violates unique constraint \"\(write.table.name)_pkey\"",
            details: "Key (\(write.writes.conflict.joined(separator: ", "))) already exists.",
            hint: "Prefer: resolution=merge-duplicates updates the row.")
        }
      }
      let isUpdate = !old.isEmpty && !isEnded
      let action: TableWrite.Action = isUpdate ? .update : .insert
      written.append(row)
      let allowed = try write.allowed(row, of: old)
      guard let decide = TableWrite.command(action, write.writes) else {
        // Only the same row may be sent again.
        if allowed.contains(where: { $0.value != old[$0.key] }) {
          throw TableFault(
            "42501", "rows of \(write.table.name) cannot be changed", details: "notAuthorized",
            hint: write.writes.hint)
        }
        continue
      }
      if isUpdate { try write.checkFixed(allowed, of: old) }
      commands += try decide(TableChange(values: allowed, row: isUpdate ? old : [:], user: user))
    }
    if !commands.isEmpty { try await core.perform(together: commands, as: caller) }
    return try await answer(write, written, caller, status: 201)
  }

  private func change(
    _ write: TableWrite, _ user: String, _ caller: Caller
  ) async throws -> Response {
    var query = write.found
    if write.writes.isOwnersOnly, let owner = write.writes.owner.flatMap(write.table.column) {
      query.condition = .all([.compare(owner, .equal, .text(user)), query.condition])
    }
    var found = try await rows(query, caller)
    // If no row is the caller's own, the others say why the write is refused.
    if found.isEmpty, write.writes.isOwnersOnly { found = try await rows(write.found, caller) }
    guard found.count <= TableWrite.mostRows || write.writes.updateCoversEarlierRows else {
      throw TableFault("54000", "at most \(TableWrite.mostRows) rows can be written at once")
    }
    if write.isSingle, found.count != 1 { throw TableFault.notOne(found.count) }
    if let most = write.preferences.maxAffected, found.count > most {
      throw TableFault(
        "PGRST124", "Query result exceeds max-affected preference constraint",
        details: "The query affects \(found.count) rows")
    }
    // The answer to a removal has the rows as they were before it.
    var removed: [JSONValue]?
    if write.action == .delete, write.preferences.returnsRows || write.isSingle {
      query.selection = write.answer.selection
      removed = try await rows(query, caller)
    }
    var commands: [TableCommand] = []
    var written: [[String: JSONValue]] = []
    guard let decide = TableWrite.command(write.action, write.writes) else { return Response(204) }
    for (index, row) in found.enumerated() {
      guard let old = row.byName else { continue }
      let given = write.spelled(write.values.first ?? [:], core.spelling(ofUser:))
      try write.checkFixed(given, of: old)
      let values = try write.allowed(given, of: old)
      written.append(old)
      if write.writes.updateCoversEarlierRows, index > 0 { continue }
      // Two rows may stand for one thing, such as the two directions of a friendship.
      for command in try decide(TableChange(values: values, row: old, user: user))
      where !commands.contains(command) {
        commands.append(command)
      }
    }
    if !commands.isEmpty { try await core.perform(together: commands, as: caller) }
    if let removed {
      return write.isSingle ? .one(removed, isSignedIn: true) : .rows(removed, 200)
    }
    return try await answer(write, written, caller, status: 200)
  }

  /// Returns the present row that a new row would replace; empty if there is none.
  private func present(
    _ row: [String: JSONValue], _ write: TableWrite, _ caller: Caller
  ) async throws -> [String: JSONValue] {
    guard
      let query = try write.query(
        for: row, selecting: write.found.selection, spelling: core.spelling(ofUser:)),
      let row = try await rows(query, caller).first
    else { return [:] }
    return row.byName ?? [:]
  }

  /// Returns the answer to a write, with the written rows if the client asks for them.
  private func answer(
    _ write: TableWrite, _ written: [[String: JSONValue]], _ caller: Caller, status: Int
  ) async throws -> Response {
    guard write.preferences.returnsRows || write.isSingle else {
      return Response(status == 201 ? 201 : 204)
    }
    var all: [JSONValue] = []
    for row in written {
      guard
        let query = try write.query(
          for: row, selecting: write.answer.selection, spelling: core.spelling(ofUser:))
      else { continue }
      all += try await rows(query, caller)
    }
    // The row may be gone, such as a request that was rejected.
    if write.isSingle, all.isEmpty, let row = written.first {
      all = [.object(row.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })]
    }
    return write.isSingle
      ? .one(all, isSignedIn: true, status: status) : .rows(all, status)
  }

  private func rows(_ query: TableQuery, _ caller: Caller) async throws -> [JSONValue] {
    if let answer = core.briefAnswer(query, to: caller, followIDs) { return try answer.get().rows }
    return try await longAnswer(query, caller).rows
  }
}
