#if SQLite
  import Events

  /// A value in a row, or for a parameter.
  package enum SQLiteValue: Equatable, Sendable {
    case null
    case int(Int64)
    /// A number. SQLite stores a value that is not a number as null.
    case double(Double)
    /// A text, which may contain NUL.
    case text(String)

    package static func optional(_ text: String?) -> SQLiteValue {
      text.map(SQLiteValue.text) ?? .null
    }
    package static func time(_ time: Timestamp?) -> SQLiteValue {
      time.map { .int($0.milliseconds) } ?? .null
    }
    package static func bool(_ value: Bool) -> SQLiteValue { .int(value ? 1 : 0) }
  }

  /// A row of an answer.
  package struct SQLiteRow: Sendable {
    /// The values, in the order of the statement's columns. A value of bytes is null here.
    package var values: [SQLiteValue]

    package func text(_ column: Int) -> String? {
      if case .text(let text) = values[column] { text } else { nil }
    }
    package func int(_ column: Int) -> Int64? {
      if case .int(let number) = values[column] { number } else { nil }
    }
    package func time(_ column: Int) -> Timestamp? {
      int(column).map(Timestamp.init(milliseconds:))
    }
    package func bool(_ column: Int) -> Bool { int(column) == 1 }
  }
#endif
