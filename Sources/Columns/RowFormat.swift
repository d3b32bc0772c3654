import Events

/// A format of rows: an Arrow IPC stream, or a JSON object for each row.
package enum RowFormat: String, CaseIterable, Sendable {
  case arrow, jsonl

  /// Returns the bytes before the first batch.
  package func beginning(_ columns: [EventColumn]) -> [UInt8] {
    self == .arrow ? ArrowStream.schema(columns) : []
  }

  /// Returns the bytes of a batch.
  package func encode(_ batch: RowBatch) -> [UInt8] {
    self == .arrow ? ArrowStream.batch(batch.columns, rows: batch.rows) : Self.lines(batch)
  }

  /// The bytes after the last batch.
  package var ending: [UInt8] { self == .arrow ? ArrowStream.end : [] }

  /// Returns a JSON object for each row. A row without a value for a column lacks the member.
  private static func lines(_ batch: RowBatch) -> [UInt8] {
    var out = ByteBuffer(capacity: batch.rows * 128)
    for row in 0..<batch.rows {
      var isFirst = true
      for column in batch.columns where column.hasValue(row) {
        out.append(isFirst ? "{" : ",")
        isFirst = false
        out.appendJSON(column.column.name)
        out.append(":")
        append(column, row, to: &out)
      }
      out.append(isFirst ? "{}\n" : "}\n")
    }
    return out.array
  }

  private static func append(_ column: ColumnBuilder, _ row: Int, to out: inout ByteBuffer) {
    switch column.column.kind {
    case .text: out.appendJSON(String(decoding: column.text(row), as: UTF8.self))
    case .boolean: out.append(column.boolean(row) ? "true" : "false")
    case .integer: out.append("\(Int64(bitPattern: column.words[row]))")
    case .number: out.append(JSONValue.double(Double(bitPattern: column.words[row])).text)
    case .time:
      let time = Timestamp(milliseconds: Int64(bitPattern: column.words[row]))
      out.appendJSON("\(time)")
    }
  }
}
