import EventLog
import Events
import Tables
import UseCases

extension Mirror {
  /// Writes the changes by the next events in one transaction.
  func writeBatch(_ log: LogSource.Moment, _ session: Session) async throws(MirrorFault) {
    let from = session.state.position
    let end = min(log.head.seq, from + UInt64(max(1, options.batchSize)))
    let head = try reading { () throws(LogError) in
      try session.tables.apply(log.view, until: end)
      return end == log.head.seq ? log.head : try log.view.head(at: end)
    }
    let tables = session.changes()
    guard session.restored.checked(true) != nil else {
      // The damaged checkpoint is deleted now.
      self.session = nil
      return
    }
    let changes = MirrorChanges(from: from, state: session.plan.state(at: head), tables: tables)
    guard try await commit(changes, after: session.state) else {
      self.session = nil
      return
    }
    self.session?.state = changes.state
    report.position = end
    report.events += end - from
    report.rows += tables.reduce(0) { $0 + $1.rows.count + $1.removed.count + $1.versions.count }
    progress("writing events", Int(clamping: end), Int(clamping: log.head.seq))
  }
}

extension Mirror.Session {
  /// Returns the changes of the mirrored tables since the last call.
  fileprivate func changes() -> [MirrorChanges.Table] {
    let mirrored = Set(plan.tables)
    return tables.takeChanges().filter { mirrored.contains($0.table) }.map { change in
      var table = MirrorChanges.Table(schema: TableState.schemas[change.table])
      (table.rows, table.removed) = (change.rows, change.removed)
      guard plan.hasHistory else { return table }
      table.versions = change.versions
      table.ended = change.ended.map {
        MirrorChanges.End(key: $0.key, position: Int64(clamping: $0.position), time: $0.time)
      }
      return table
    }
  }
}
