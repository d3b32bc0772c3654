#if PostgreSQL
  import Events
  import PostgreSQL
  import Tables
  import UseCases

  // Values of tables in PostgreSQL's binary format.
  extension TableSchema.Column {
    var binaryType: BinaryType {
      switch type {
      case .text, .user: .text
      case .uuid: .uuid
      case .date: .date
      case .bool: .bool
      case .integer: .int8
      case .double: .float8
      case .time: .timestamptz
      case .json: .jsonb
      }
    }

    /// Appends a value of the column.
    /// - Throws: `.refused` if the value has another type than the column.
    func append(_ value: TableValue, to fields: inout BinaryFields) throws(MirrorFault) {
      switch (type, value) {
      case (.time, .null) where isEnd: fields.append(int8: .max)
      case (_, .null): fields.appendNull()
      case (.text, .text(let text)), (.user, .text(let text)):
        fields.append(text: PostgresText.withoutNUL(text))
      case (.integer, .int(let number)): fields.append(int8: number)
      case (.bool, .bool(let flag)): fields.append(bool: flag)
      case (.time, .time(let time)):
        fields.append(int8: PostgresTime.microseconds(time) - (isEnd ? 1 : 0))
      case (.double, .double(let number)): fields.append(float8: number)
      case (.json, .json(let json)): fields.append(jsonb: Self.text(json))
      case (.uuid, .text(let text)):
        guard let id = EventID(text) else { throw mismatch(value) }
        fields.append(uuid: id)
      case (.date, .text(let text)):
        guard let date = CalendarDate(text) else { throw mismatch(value) }
        fields.append(
          date: Int32(clamping: date.start.daysSinceEpoch - PostgresTime.daysBefore2000))
      default: throw mismatch(value)
      }
    }

    private func mismatch(_ value: TableValue) -> MirrorFault {
      .refused("the column \(name) has the type \(type.rawValue), and one of its values another")
    }

    /// Returns a JSON text without U+0000.
    private static func text(_ json: JSONValue) -> String {
      let text = json.text
      return text.contains("\\u0000") ? PostgresText.stored(json).text : text
    }

    /// Reads a value of the column.
    func value(_ reader: inout BinaryReader) -> TableValue {
      switch type {
      case .text, .user: reader.text().map { .text($0) } ?? .null
      case .uuid: reader.uuid().map { .text("\($0)") } ?? .null
      case .bool: reader.bool().map { .bool($0) } ?? .null
      case .integer: reader.int8().map { .int($0) } ?? .null
      case .double: reader.float8().map { .double($0) } ?? .null
      case .json:
        reader.jsonb().flatMap { try? JSONValue($0) }.map { .json(PostgresText.stored($0)) }
          ?? .null
      case .date:
        reader.date().map { day in
          let days = Int64(day) + PostgresTime.daysBefore2000
          return .text("\(Timestamp(milliseconds: days * 86_400_000).date)")
        } ?? .null
      case .time: reader.int8().map(time) ?? .null
      }
    }
  }

  extension TableSchema.Column {
    /// Returns the value of a stored time. A time that no event has is returned as a text, so that
    /// a comparison shows it.
    private func time(_ stored: Int64) -> TableValue {
      if isEnd, stored == .max { return .null }
      let time = PostgresTime.time(isEnd ? stored &+ 1 : stored)
      let isWhole = PostgresTime.microseconds(time) - (isEnd ? 1 : 0) == stored
      return isWhole ? .time(time) : .text(PostgresTime.text(stored))
    }

    /// Returns a value for people, in the form in which PostgreSQL stores it.
    func storedText(_ value: TableValue) -> String {
      switch value {
      case .null where isEnd: PostgresTime.text(.max)
      case .time(let time) where isEnd: PostgresTime.text(PostgresTime.microseconds(time) - 1)
      default: value.plainText
      }
    }
  }

  /// Times in PostgreSQL: microseconds since 2000-01-01T00:00:00Z.
  enum PostgresTime {
    static let daysBefore2000: Int64 = 10_957
    private static let millisecondsBefore2000 = daysBefore2000 * 86_400_000
    /// The milliseconds since 1970 of the first and the last time that PostgreSQL can store, in the
    /// years 4713 BC and 294276.
    private static let range: ClosedRange<Int64> = -210_866_803_200_000...9_224_318_015_999_999

    static func microseconds(_ time: Timestamp) -> Int64 {
      let milliseconds = min(max(time.milliseconds, range.lowerBound), range.upperBound)
      return (milliseconds - millisecondsBefore2000) * 1_000
    }

    /// Returns a time with all its digits, such as `2026-01-19T08:59:59.999999Z`.
    static func text(_ microseconds: Int64) -> String {
      if microseconds == .max { return "infinity" }
      if microseconds == .min { return "-infinity" }
      let text = "\(time(microseconds))"
      let rest = microseconds - PostgresTime.microseconds(time(microseconds))
      return rest == 0 ? text : "\(text.dropLast())\(rest.padded(to: 3))Z"
    }

    /// Returns the time, rounded down to milliseconds.
    static func time(_ microseconds: Int64) -> Timestamp {
      let (quotient, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000)
      return Timestamp(milliseconds: quotient - (rest < 0 ? 1 : 0) + millisecondsBefore2000)
    }
  }
#endif
