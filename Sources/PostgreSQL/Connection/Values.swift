#if PostgreSQL
  import Events

  /// Values for a statement, in the binary form that PostgreSQL's protocol has for their types, one
  /// after the other.
  struct Parameters: Sendable {
    /// The numbers of types in pg_type, which never change.
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
    /// Where each value begins.
    private(set) var starts: [Int] = []

    mutating func add(int8 value: Int64) {
      begin(.int8)
      append(value)
    }
    mutating func add(int4 value: Int) {
      begin(.int4)
      append(Int32(clamping: value))
    }
    mutating func add(text value: String) {
      begin(.text)
      bytes += value.utf8
    }
    mutating func add(uuid value: EventID) {
      begin(.uuid)
      append(value.high)
      append(value.low)
    }

    mutating func add(bytes values: some Collection<[UInt8]>) {
      array(.bytesArray, .bytes, values, { $0.count }, { $0.bytes += $1 })
    }
    mutating func add(int8s values: some Collection<Int64>) {
      array(.int8Array, .int8, values, { _ in 8 }, { $0.append($1) })
    }
    mutating func add(texts values: some Collection<String>) {
      array(.textArray, .text, values, { $0.utf8.count }, { $0.bytes += $1.utf8 })
    }
    mutating func add(uuids values: some Collection<EventID>) {
      array(
        .uuidArray, .uuid, values, { _ in 16 },
        { parameters, id in
          parameters.append(id.high)
          parameters.append(id.low)
        })
    }

    private mutating func array<Value>(
      _ kind: Kind, _ element: Kind, _ values: some Collection<Value>, _ size: (Value) -> Int,
      _ append: (inout Parameters, Value) -> Void
    ) {
      begin(kind)
      self.append(Int32(values.isEmpty ? 0 : 1))  // dimensions
      self.append(Int32(0))  // no nulls
      self.append(element.rawValue)
      if !values.isEmpty {
        self.append(Int32(values.count))
        self.append(Int32(1))  // where it begins
      }
      for value in values {
        self.append(Int32(size(value)))
        append(&self, value)
      }
    }

    private mutating func begin(_ kind: Kind) {
      kinds.append(kind.rawValue)
      starts.append(bytes.count)
    }

    private mutating func append(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
  }

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
