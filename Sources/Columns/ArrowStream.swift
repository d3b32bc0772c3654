import Events

/// The messages of an Arrow IPC stream with typed columns: a schema, record batches, and an end.
///
/// The writer is small because it needs five types: 64-bit integers, doubles, booleans, texts, and
/// times in milliseconds since 1970, UTC. Arrow's own library for C++ would be a dependency of tens
/// of megabytes.
enum ArrowStream {
  private static let schemaHeader: UInt8 = 1
  private static let batchHeader: UInt8 = 3

  /// The bytes that end a stream.
  static let end: [UInt8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]

  /// Returns the message that begins a stream.
  static func schema(_ columns: [EventColumn]) -> [UInt8] {
    var message = FlatBuffer()
    let fields = columns.map { column in
      let name = message.string(column.name)
      let (type, table) = typeTable(column.kind, &message)
      let children = message.vector([])
      return message.table([
        .offset(name), .byte(column.isRequired ? 0 : 1), .byte(type), .offset(table), .absent,
        .offset(children),
      ])
    }
    let list = message.vector(fields)
    let schema = message.table([.short(0), .offset(list)])
    return framed(schemaHeader, schema, bodyLength: 0, &message)
  }

  /// Returns the number of a column's type in Arrow's union of types, and the place of its table.
  private static func typeTable(
    _ kind: EventColumn.Kind, _ message: inout FlatBuffer
  ) -> (UInt8, Int) {
    switch kind {
    case .integer: return (2, message.table([.int(64), .byte(1)]))
    case .number: return (3, message.table([.short(2)]))
    case .text: return (5, message.table([]))
    case .boolean: return (6, message.table([]))
    case .time:
      let zone = message.string("UTC")
      return (10, message.table([.short(1), .offset(zone)]))
    }
  }

  /// Returns the message of `rows` rows.
  static func batch(_ columns: [ColumnBuilder], rows: Int) -> [UInt8] {
    var buffers: [(Int64, Int64)] = []
    var length = 0
    func add(_ size: Int) {
      buffers.append((Int64(length), Int64(size)))
      length += padded(size)
    }
    for column in columns {
      add(column.nullCount == 0 ? 0 : column.validity.count)
      switch column.column.kind {
      case .text:
        add(column.ends.count * 4)
        add(column.bytes.count)
      case .boolean: add(column.bytes.count)
      default: add(column.words.count * 8)
      }
    }
    var message = FlatBuffer()
    let nodes = message.vector(pairs: columns.map { (Int64(rows), Int64($0.nullCount)) })
    let places = message.vector(pairs: buffers)
    let batch = message.table([.long(Int64(rows)), .offset(nodes), .offset(places)])
    var bytes = framed(batchHeader, batch, bodyLength: length, &message)
    bytes.reserveCapacity(bytes.count + length)
    for column in columns {
      if column.nullCount > 0 { ColumnBuilder.append(column.validity, to: &bytes) }
      switch column.column.kind {
      case .text:
        ColumnBuilder.append(column.ends, to: &bytes)
        ColumnBuilder.append(column.bytes, to: &bytes)
      case .boolean: ColumnBuilder.append(column.bytes, to: &bytes)
      default: ColumnBuilder.append(column.words, to: &bytes)
      }
    }
    return bytes
  }

  private static func padded(_ size: Int) -> Int { (size + 7) / 8 * 8 }

  private static func framed(
    _ header: UInt8, _ place: Int, bodyLength: Int, _ message: inout FlatBuffer
  ) -> [UInt8] {
    let version: Int16 = 4
    let root = message.table([
      .short(version), .byte(header), .offset(place), .long(Int64(bodyLength)),
    ])
    let body = message.finish(root)
    var bytes: [UInt8] = [0xff, 0xff, 0xff, 0xff]
    for shift in stride(from: 0, to: 32, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: body.count >> shift))
    }
    return bytes + body
  }
}
