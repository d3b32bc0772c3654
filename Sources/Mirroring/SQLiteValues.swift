#if SQLite
  import Events
  import SQLite
  import Tables
  import UseCases

  // The form in which a mirror stores values.
  extension SQLiteValue {
    /// Creates the stored form of a value. A column with `isEnd` stores the last millisecond before
    /// the value, and `Timestamp.latest` for null.
    init(_ value: TableValue, in column: TableSchema.Column) {
      switch value {
      case .null: self = column.isEnd ? .text(Timestamp.latest.description) : .null
      case .text(let text): self = .text(text)
      case .int(let number): self = .int(number)
      case .double(let number): self = .double(number)
      case .bool(let flag): self = .bool(flag)
      case .time(let time): self = .text(column.isEnd ? lastMoment(before: time) : "\(time)")
      case .json(let json): self = .text(json.text)
      }
    }
  }

  extension TableValue {
    /// Reads the stored form of a value. A value that is not of the column's type is returned as it
    /// is stored, so that a comparison shows it.
    init(_ value: SQLiteValue, in column: TableSchema.Column) {
      switch (value, column.type) {
      case (.null, _): self = .null
      case (.int(let number), .bool) where number == 0 || number == 1: self = .bool(number == 1)
      case (.int(let number), _): self = .int(number)
      case (.double(let number), _): self = .double(number)
      case (.text(let text), .time):
        self =
          column.isEnd
          ? end(of: text) ?? .text(text) : Timestamp(text).map(TableValue.time) ?? .text(text)
      case (.text(let text), .json):
        self = (try? JSONValue(text)).map(TableValue.json) ?? .text(text)
      case (.text(let text), _): self = .text(text)
      }
    }
  }

  /// The last moment before `Timestamp.earliest`. It is less than all other times, also as a text.
  private let lastMomentBeforeAll = "-0001-12-31T23:59:59.999Z"

  private func lastMoment(before time: Timestamp) -> String {
    if time <= .earliest { return lastMomentBeforeAll }
    return Timestamp(milliseconds: time.milliseconds - 1).description
  }

  /// Returns the first moment after a period; null for a period that has not ended; nil for a text
  /// that is not a time.
  private func end(of lastMoment: String) -> TableValue? {
    if lastMoment == lastMomentBeforeAll { return .time(.earliest) }
    guard let time = Timestamp(lastMoment) else { return nil }
    return time == .latest ? .null : .time(Timestamp(milliseconds: time.milliseconds + 1))
  }
#endif
