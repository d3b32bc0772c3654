#if PostgreSQL
  import Events

  /// A value for a statement, in the binary form that PostgreSQL's protocol has for its type.
  struct Parameter {
    /// The numbers of types in pg_type, which never change.
    enum Kind: UInt32 {
      case bool = 16
      case bytes = 17
      case int8 = 20
      case int4 = 23
      case text = 25
      case uuid = 2950
      case bytesArray = 1001
      case int8Array = 1016
      case textArray = 1009
      case uuidArray = 2951
    }

    let kind: Kind
    let bytes: [UInt8]

    static func int8(_ value: Int64) -> Parameter { .init(kind: .int8, bytes: bigEndian(value)) }
    static func int4(_ value: Int) -> Parameter {
      .init(kind: .int4, bytes: bigEndian(Int32(clamping: value)))
    }
    static func text(_ value: String) -> Parameter { .init(kind: .text, bytes: Array(value.utf8)) }
    static func uuid(_ id: EventID) -> Parameter { .init(kind: .uuid, bytes: bigEndian(id)) }

    static func bytes(_ values: [[UInt8]]) -> Parameter { array(.bytesArray, .bytes, values) }
    static func int8s(_ values: [Int64]) -> Parameter {
      array(.int8Array, .int8, values.map { bigEndian($0) })
    }
    static func texts(_ values: [String]) -> Parameter {
      array(.textArray, .text, values.map { Array($0.utf8) })
    }
    static func uuids(_ values: [EventID]) -> Parameter {
      array(.uuidArray, .uuid, values.map { bigEndian($0) })
    }

    private static func array(_ kind: Kind, _ element: Kind, _ values: [[UInt8]]) -> Parameter {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(20 + values.reduce(0) { $0 + $1.count + 4 })
      bytes += bigEndian(Int32(values.isEmpty ? 0 : 1))  // dimensions
      bytes += bigEndian(Int32(0))  // no nulls
      bytes += bigEndian(element.rawValue)
      if !values.isEmpty { bytes += bigEndian(Int32(values.count)) + bigEndian(Int32(1)) }
      for value in values {
        bytes += bigEndian(Int32(value.count))
        bytes += value
      }
      return Parameter(kind: kind, bytes: bytes)
    }
  }

  private func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }

  private func bigEndian(_ id: EventID) -> [UInt8] { bigEndian(id.high) + bigEndian(id.low) }

  /// The rows that a statement returned, in binary form.
  struct Rows: Sendable {
    var rows: [[[UInt8]]] = []

    func int(_ row: Int, _ column: Int) -> Int64 {
      rows[row][column].reduce(0) { $0 << 8 | Int64($1) }
    }
    func text(_ row: Int, _ column: Int) -> String {
      String(decoding: rows[row][column], as: UTF8.self)
    }
  }
#endif
