#if PostgreSQL
  import Events

  /// A parameter of a statement.
  package enum Value: Sendable {
    case int8(Int64)
    case int4(Int)
    case text(String)
    case uuid(EventID)
    case byteLists([[UInt8]])
    case int8s([Int64])
    case texts([String])
    case uuids([EventID])
    /// An array of a type, whose elements may be null.
    case array(BinaryType, BinaryFields)
  }

  /// The parameters of a statement in PostgreSQL's binary format, one after the other.
  struct Parameters {
    /// The numbers of PostgreSQL's types in the table `pg_type`, which never change.
    private enum Kind: UInt32 {
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

    private(set) var bytes: [UInt8] = []
    private(set) var kinds: [UInt32] = []
    private(set) var starts: [Int] = []

    init(_ values: [Value]) { for value in values { add(value) } }

    private mutating func add(_ value: Value) {
      starts.append(bytes.count)
      switch value {
      case .int8(let value):
        kinds.append(Kind.int8.rawValue)
        append(value)
      case .int4(let value):
        kinds.append(Kind.int4.rawValue)
        append(Int32(clamping: value))
      case .text(let value):
        kinds.append(Kind.text.rawValue)
        bytes += value.utf8
      case .uuid(let value):
        kinds.append(Kind.uuid.rawValue)
        append(value)
      case .byteLists(let values):
        array(.bytesArray, .bytes, values, { $0.count }, { $0.bytes += $1 })
      case .int8s(let values): array(.int8Array, .int8, values, { _ in 8 }, { $0.append($1) })
      case .texts(let values):
        array(.textArray, .text, values, { $0.utf8.count }, { $0.bytes += $1.utf8 })
      case .uuids(let values): array(.uuidArray, .uuid, values, { _ in 16 }, { $0.append($1) })
      case .array(let type, let fields):
        kinds.append(type.array)
        append(Int32(fields.count == 0 ? 0 : 1))  // dimensions
        append(Int32(fields.hasNulls ? 1 : 0))
        append(type.rawValue)
        if fields.count > 0 {
          append(Int32(fields.count))
          append(Int32(1))  // lower bound
        }
        bytes += fields.bytes
      }
    }

    private mutating func array<Element>(
      _ kind: Kind, _ element: Kind, _ values: [Element], _ size: (Element) -> Int,
      _ append: (inout Parameters, Element) -> Void
    ) {
      kinds.append(kind.rawValue)
      self.append(Int32(values.isEmpty ? 0 : 1))  // dimensions
      self.append(Int32(0))  // no nulls
      self.append(element.rawValue)
      if !values.isEmpty {
        self.append(Int32(values.count))
        self.append(Int32(1))  // lower bound
      }
      for value in values {
        self.append(Int32(size(value)))
        append(&self, value)
      }
    }

    private mutating func append(_ id: EventID) {
      append(id.high)
      append(id.low)
    }

    private mutating func append(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
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
