#if PostgreSQL
  import Events

  /// A parameter of a statement.
  package enum Value: Sendable {
    case int8(Int64)
    case int4(Int)
    case text(String)
    case uuid(EventID)
    /// An array of a type, whose elements may be null.
    case array(BinaryType, BinaryFields)

    static func byteLists(_ values: [[UInt8]]) -> Value {
      array(.bytes, values) { $0.append(bytes: $1) }
    }
    static func int8s(_ values: [Int64]) -> Value {
      array(.int8, values) { $0.append(int8: $1) }
    }
    package static func texts(_ values: [String]) -> Value {
      array(.text, values) { $0.append(text: $1) }
    }
    static func uuids(_ values: [EventID]) -> Value {
      array(.uuid, values) { $0.append(uuid: $1) }
    }

    private static func array<Element>(
      _ type: BinaryType, _ values: [Element], _ append: (inout BinaryFields, Element) -> Void
    ) -> Value {
      .array(type, values.reduce(into: BinaryFields(), append))
    }
  }

  /// The parameters of a statement in PostgreSQL's binary format, one after the other.
  struct Parameters {
    private(set) var bytes: [UInt8] = []
    private(set) var kinds: [UInt32] = []
    private(set) var starts: [Int] = []

    init(_ values: [Value]) { for value in values { add(value) } }

    private mutating func add(_ value: Value) {
      starts.append(bytes.count)
      switch value {
      case .int8(let value):
        kinds.append(BinaryType.int8.rawValue)
        bytes.append(bigEndian: value)
      case .int4(let value):
        kinds.append(BinaryType.int4.rawValue)
        bytes.append(bigEndian: Int32(clamping: value))
      case .text(let value):
        kinds.append(BinaryType.text.rawValue)
        bytes += value.utf8
      case .uuid(let value):
        kinds.append(BinaryType.uuid.rawValue)
        bytes.append(bigEndian: value.high)
        bytes.append(bigEndian: value.low)
      case .array(let type, let fields):
        kinds.append(type.array)
        bytes.append(bigEndian: Int32(fields.count == 0 ? 0 : 1))  // dimensions
        bytes.append(bigEndian: Int32(fields.hasNulls ? 1 : 0))
        bytes.append(bigEndian: type.rawValue)
        if fields.count > 0 {
          bytes.append(bigEndian: Int32(fields.count))
          bytes.append(bigEndian: Int32(1))  // lower bound
        }
        bytes += fields.bytes
      }
    }
  }

  extension Parameters {
    /// Calls `body` with a pointer to each value's bytes, and with their numbers.
    func withPointers<T>(
      _ body: (_ values: [UnsafePointer<CChar>?], _ lengths: [Int32]) -> T
    ) -> T {
      let ends = starts.dropFirst() + [bytes.count]
      let lengths = zip(starts, ends).map { Int32($1 - $0) }
      return bytes.withUnsafeBytes { raw in
        // A value without bytes must not be a null pointer, because libpq would send it as NULL.
        let start = raw.baseAddress?.assumingMemoryBound(to: CChar.self) ?? emptyValue
        return body(starts.map { start + $0 }, lengths)
      }
    }
  }

  /// A non-null pointer for values without bytes.
  nonisolated(unsafe) private let emptyValue: UnsafePointer<CChar> = {
    let place = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    place.pointee = 0
    return UnsafePointer(place)
  }()

  extension [UInt8] {
    mutating func append(bigEndian value: some FixedWidthInteger) {
      Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
  }

  /// The rows of an answer: the bytes of each row's columns.
  package struct Rows: Sendable {
    package var rows: [[[UInt8]]] = []

    /// Returns an integer; it must not be null.
    package func int(_ row: Int, _ column: Int) -> Int64 {
      rows[row][column].reduce(0) { $0 << 8 | Int64($1) }
    }
    /// Returns a text; it must not be null.
    package func text(_ row: Int, _ column: Int) -> String {
      String(decoding: rows[row][column], as: UTF8.self)
    }
  }
#endif
