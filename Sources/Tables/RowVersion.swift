import Events
import UseCases

/// The versions of a table's rows that changed since the last `take`.
struct Versions {
  /// The causes of the versions that began and have not ended.
  private(set) var open: [RowKey: RowVersion.Cause] = [:]
  private var ends: [MirroredChange.End] = []
  private var ended: [[TableValue]] = []

  /// Ends a row's version, if there is one, and begins the next one, if the row still exists.
  mutating func change(
    _ key: RowKey, _ keyValues: [TableValue], from old: [TableValue]?, to new: [TableValue]?,
    _ cause: RowVersion.Cause
  ) {
    if let old {
      if let begin = open.removeValue(forKey: key) {
        ended.append(old + begin.period(until: cause.moment))
      } else {
        ends.append(
          .init(key: keyValues, position: cause.moment.seq - 1, time: cause.moment.time))
      }
    }
    if new != nil { open[key] = cause }
  }

  /// Returns the changes since the last call, and takes open versions as known.
  mutating func take(
    _ row: (RowKey) -> [TableValue]?
  ) -> (ends: [MirroredChange.End], versions: [[TableValue]]) {
    var versions = ended
    for (key, cause) in open {
      if let row = row(key) { versions.append(row + cause.period(until: nil)) }
    }
    defer { self = Versions() }
    return (ends, versions)
  }

  /// Returns the versions that ended since the last call.
  mutating func takeEnded() -> [[TableValue]] {
    defer { ended = [] }
    return ended
  }
}

/// A version of a row.
enum RowVersion {
  /// The event that began a version.
  struct Cause {
    var moment: Moment
    var actor: String
    var type: String
    var id: EventID

    /// Returns the values of `TableSchema.periodColumns`.
    /// - Parameter next: the event that ends the version; nil for a current version.
    func period(until next: Moment?) -> [TableValue] {
      [
        .int(Int64(clamping: moment.seq)),
        .int(next.map { Int64(clamping: $0.seq - 1) } ?? TableSchema.noEnd), .time(moment.time),
        next.map { .time($0.time) } ?? .null, .text(actor), .text(type), .text("\(id)"),
      ]
    }
  }
}
