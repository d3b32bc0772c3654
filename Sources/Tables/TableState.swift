import Aggregates
import Events
import Projections
import UseCases

/// The rows of all mirrored tables at one position of a log.
///
/// It applies events one by one and reports the rows that they change.
/// ```swift
/// let state = TableState(Replay<Views>(), rules: .climb, tracksVersions: false)
/// try state.apply(view, until: 42)
/// state.takeChanges().isEmpty  // false: one element for each table with changed rows
/// ```
/// A row is computed from the projections, so no rule exists a second time. Rows that an event
/// cannot change are not read.
/// - Complexity: an event costs its application, and with versions also the changed rows twice.
///   Memory: the projections, and some 80 bytes for each row that changed since `takeChanges`.
package final class TableState {
  /// The tables, in the order of their indexes.
  package static let schemas: [TableSchema] = Table.mirrored.map(\.schema)

  /// The last event applied.
  package private(set) var head: Moment
  private var model: Model
  private let (followIDs, sports) = (FollowIDs(), SportNumbers())
  /// A view of the model; nil while the model changes, so that its tables are not copied.
  private var cachedView: TableView?
  private let columns = Table.mirrored.map(\.mirroredColumns)
  private let tracksVersions: Bool
  /// The keys that the current event may change, by table.
  private var touched: [[RowKey]]
  /// The keys of rows that may have changed since `takeChanges`, by table.
  private var changed: [Set<RowKey>]
  private var versions: [Versions]

  /// Creates the rows of a replayed state.
  /// - Parameter tracksVersions: whether the changes also contain the rows' versions.
  package init(_ replay: consuming Replay<Views>, rules: Rules, tracksVersions: Bool) {
    let (head, names) = (replay.head, replay.names)
    model = Model(rules: rules, Reading(replay.projection), names, now: head.time)
    self.head = Moment(seq: head.seq, time: head.time)
    self.tracksVersions = tracksVersions
    let count = Table.mirrored.count
    touched = Array(repeating: [], count: count)
    changed = Array(repeating: [], count: count)
    versions = Array(repeating: Versions(), count: count)
  }

  /// Applies the events of a history after `head`, up to and including a position. After an error,
  /// the state cannot be used any more.
  /// - Throws: `.damaged` at a wrong line; `.unknownType` at an event of an unknown type.
  package func apply(_ history: some History, until end: UInt64) throws(LogError) {
    var events: [KnownEvent] = []
    while head.seq < end {
      let positions = head.seq + 1...min(end, head.seq + 256)
      // No event is applied while another is decoded, because both use the table of ids.
      cachedView = nil
      try history.forEachEvent(at: positions, &model.names) { events.append($0) }
      for event in events where event.moment.seq == head.seq + 1 { apply(event) }
      events.removeAll(keepingCapacity: true)
      guard head.seq == positions.upperBound else {
        throw try Self.missing(at: head.seq + 1, in: history)
      }
    }
  }

  /// Returns the reason why an event cannot be decoded.
  private static func missing(
    at position: UInt64, in history: some History
  ) throws(LogError) -> LogError {
    guard let event = try history.line(at: position)?.event else {
      return .notALog(path: history.name, reason: "event \(position) is missing")
    }
    return .unknownType(name: event.type, version: event.version, seq: position)
  }

  /// Applies the next event.
  private func apply(_ known: KnownEvent) {
    visitChanged(by: known.event)
    if tracksVersions {
      applyWithVersions(known)
    } else {
      advance(known)
      visitChanged(by: known.event)
      for index in touched.indices where !touched[index].isEmpty {
        changed[index].formUnion(touched[index])
        touched[index].removeAll(keepingCapacity: true)
      }
    }
  }

  private var view: TableView {
    if let cachedView { return cachedView }
    let view = TableView(mirroring: model, followIDs, sports)
    cachedView = view
    return view
  }

  private func advance(_ known: KnownEvent) {
    cachedView = nil
    model.views.apply(known.event, at: known.moment)
    (head, model.now) = (known.moment, known.moment.time)
  }

  private func visitChanged(by event: Event) {
    let view = view
    for (index, table) in Table.mirrored.enumerated() {
      table.mirror.visitChanged(event, view) { touched[index].append($0) }
    }
  }

  private func row(_ table: Int, _ key: RowKey) -> [TableValue]? {
    Table.mirrored[table].values(key, view, columns[table])
  }

  private func applyWithVersions(_ known: KnownEvent) {
    var before: [[RowKey: [TableValue]]] = Array(repeating: [:], count: touched.count)
    for index in touched.indices {
      for key in touched[index] { before[index][key] = row(index, key) }
    }
    advance(known)
    visitChanged(by: known.event)
    let cause = RowVersion.Cause(
      moment: known.moment, actor: model.names[known.actor], type: known.event.typeName,
      id: known.id)
    for index in touched.indices where !touched[index].isEmpty {
      for key in Set(touched[index]) {
        let (old, new) = (before[index][key], row(index, key))
        if old == new { continue }
        changed[index].insert(key)
        versions[index].change(
          key, Table.mirrored[index].mirror.keyValues(key, view), from: old, to: new, cause)
      }
      touched[index].removeAll(keepingCapacity: true)
    }
  }

  /// Returns the changes since the last call, for each table that changed.
  package func takeChanges() -> [MirroredChange] {
    cachedView = nil
    model.views.settle()
    var changes: [MirroredChange] = []
    for (index, table) in Table.mirrored.enumerated() where !changed[index].isEmpty {
      var change = MirroredChange(table: index)
      for key in changed[index] {
        if let row = row(index, key) {
          change.rows.append(row)
        } else {
          change.removed.append(table.mirror.keyValues(key, view))
        }
      }
      (change.ended, change.versions) = versions[index].take { row(index, $0) }
      changed[index].removeAll(keepingCapacity: true)
      changes.append(change)
    }
    return changes
  }

  /// Passes the versions that began and ended since the last call to `body`, as rows of the history
  /// tables, and forgets which rows changed.
  ///
  /// A history that is built from position 0 calls this from time to time, and at the end
  /// `takeOpenVersions`.
  package func takeEndedVersions<E: Error>(
    _ body: (_ table: Int, _ row: [TableValue]) throws(E) -> Void
  ) throws(E) {
    for index in versions.indices {
      for row in versions[index].takeEnded() { try body(index, row) }
      changed[index].removeAll(keepingCapacity: true)
    }
  }

  /// Passes the versions that have begun and not ended to `body`, as rows of the history tables.
  /// Later changes end them.
  package func takeOpenVersions<E: Error>(
    _ body: (_ table: Int, _ row: [TableValue]) throws(E) -> Void
  ) throws(E) {
    for index in versions.indices {
      for (key, cause) in versions[index].open {
        if let row = row(index, key) { try body(index, row + cause.period(until: nil)) }
      }
      versions[index] = Versions()
    }
  }

  /// Passes all rows of a table to `body`, in no particular order.
  package func forEachRow<E: Error>(
    of table: Int, _ body: ([TableValue]) throws(E) -> Void
  ) throws(E) {
    let view = view
    var fault: E?
    Table.mirrored[table].visitAll(view) { key in
      guard let row = row(table, key) else { return true }
      do throws(E) {
        try body(row)
        return true
      } catch {
        fault = error
        return false
      }
    }
    if let fault { throw fault }
  }
}

/// The changes of a table's rows by some events.
package struct MirroredChange: Sendable {
  /// The table's index in `TableState.schemas`.
  package var table: Int
  /// The rows that were inserted or changed.
  package var rows: [[TableValue]] = []
  /// The keys of the rows that disappeared. Some may not have been there before.
  package var removed: [[TableValue]] = []
  /// The ends of versions that began before these events.
  package var ended: [End] = []
  /// The versions that began with these events, as rows of the history table.
  package var versions: [[TableValue]] = []

  init(table: Int) { self.table = table }

  /// The end of a version.
  package struct End: Sendable {
    /// The row's key.
    package var key: [TableValue]
    /// The last position at which the version is valid.
    package var position: UInt64
    /// The time of the event after that position.
    package var time: Timestamp
  }
}
