#if PostgreSQL
  import Events

  /// A type of values, with its number in PostgreSQL's table `pg_type`, which never changes.
  package enum BinaryType: UInt32, Sendable {
    case bool = 16
    case bytes = 17
    case int8 = 20
    case int4 = 23
    case text = 25
    case float8 = 701
    case date = 1082
    case timestamptz = 1184
    case uuid = 2950
    case jsonb = 3802

    /// The number of the type of arrays.
    var array: UInt32 {
      switch self {
      case .bool: 1000
      case .bytes: 1001
      case .int8: 1016
      case .int4: 1007
      case .text: 1009
      case .float8: 1022
      case .date: 1182
      case .timestamptz: 1185
      case .uuid: 2951
      case .jsonb: 3807
      }
    }
  }

  /// Values in PostgreSQL's binary format, each with its length: the rows of a COPY, or an array's
  /// elements.
  package struct BinaryFields: Sendable {
    /// The bytes of all values.
    package private(set) var bytes: [UInt8] = []
    /// The number of values.
    package private(set) var count = 0
    private(set) var hasNulls = false

    package init() {}

    /// Removes all values.
    package mutating func removeAll() {
      bytes.removeAll(keepingCapacity: true)
      (count, hasNulls) = (0, false)
    }

    /// Starts a row of a COPY.
    package mutating func startRow(fields: Int) { bytes.append(bigEndian: Int16(clamping: fields)) }

    package mutating func appendNull() {
      start(-1)
      hasNulls = true
    }

    package mutating func append(bool value: Bool) {
      start(1)
      bytes.append(value ? 1 : 0)
    }

    /// Appends a number, or the microseconds of a time since 2000-01-01T00:00:00Z.
    package mutating func append(int8 value: Int64) {
      start(8)
      bytes.append(bigEndian: value)
    }

    package mutating func append(float8 value: Double) {
      start(8)
      bytes.append(bigEndian: value.bitPattern)
    }

    /// Appends the number of a day since 2000-01-01.
    package mutating func append(date value: Int32) {
      start(4)
      bytes.append(bigEndian: value)
    }

    package mutating func append(uuid value: EventID) {
      start(16)
      bytes.append(bigEndian: value.high)
      bytes.append(bigEndian: value.low)
    }

    mutating func append(bytes value: [UInt8]) {
      start(value.count)
      bytes += value
    }

    /// Appends a text. The server refuses a text that contains U+0000.
    package mutating func append(text value: String) {
      start(value.utf8.count)
      bytes.append(contentsOf: value.utf8)
    }

    /// Appends a JSON text.
    package mutating func append(jsonb value: String) {
      start(value.utf8.count + 1)
      bytes.append(1)  // the format's version
      bytes.append(contentsOf: value.utf8)
    }

    private mutating func start(_ length: Int) {
      count += 1
      bytes.append(bigEndian: Int32(clamping: length))
    }

    /// The bytes before the first row of a COPY: a signature, no flags, no extension.
    static let copyHeader: [UInt8] =
      Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0] + [UInt8](repeating: 0, count: 8)
    /// The bytes after the last row of a COPY.
    static let copyTrailer: [UInt8] = [0xff, 0xff]
  }

  /// Reads a row of a COPY in binary format, field by field. A null, and a field of another length
  /// than its type has, is nil.
  package struct BinaryReader {
    private var bytes: [UInt8] = []
    private var place = 0

    mutating func replace(_ other: UnsafeRawBufferPointer) {
      bytes.removeAll(keepingCapacity: true)
      bytes.append(contentsOf: other)
      place = 0
    }

    mutating func skipCopyHeader() { place = min(BinaryFields.copyHeader.count, bytes.count) }

    /// Skips the number of a row's fields; returns false after the last row.
    mutating func startRow() -> Bool {
      guard bytes.count - place >= 2 else { return false }
      place += 2
      return bytes[place - 2] & 0x80 == 0
    }

    package mutating func bool() -> Bool? { next(1).map { bytes[$0.lowerBound] != 0 } }
    /// Reads a number, or the microseconds of a time since 2000-01-01T00:00:00Z.
    package mutating func int8() -> Int64? { next(8).map { Int64(bitPattern: number($0)) } }
    package mutating func float8() -> Double? { next(8).map { Double(bitPattern: number($0)) } }
    /// Reads the number of a day since 2000-01-01.
    package mutating func date() -> Int32? {
      next(4).map { Int32(truncatingIfNeeded: number($0)) }
    }
    package mutating func uuid() -> EventID? {
      next(16).map { range in
        let middle = range.lowerBound + 8
        return EventID(
          high: number(range.lowerBound..<middle), low: number(middle..<range.upperBound))
      }
    }
    package mutating func text() -> String? {
      next().map { String(decoding: bytes[$0], as: UTF8.self) }
    }
    package mutating func jsonb() -> String? {
      next().map { String(decoding: bytes[$0].dropFirst(), as: UTF8.self) }
    }

    /// Returns the place of the next field's bytes; nil for a null or another length.
    private mutating func next(_ length: Int? = nil) -> Range<Int>? {
      guard bytes.count - place >= 4 else { return nil }
      let count = Int(Int32(truncatingIfNeeded: number(place..<place + 4)))
      place += 4
      guard count >= 0, bytes.count - place >= count else { return nil }
      place += count
      return length == nil || length == count ? place - count..<place : nil
    }

    private func number(_ range: Range<Int>) -> UInt64 {
      bytes[range].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
#endif
