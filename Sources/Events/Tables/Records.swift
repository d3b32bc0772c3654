/// A value for each dense id, stored as bytes; the bytes of all values are in one array.
///
/// ```swift
/// var titles = Records<String>()
/// titles[3] = "Slow is smooth"
/// titles[4]  // nil
/// ```
/// - Complexity: Each read decodes a value, and each write encodes one. Memory is 8 bytes for each
///   id and the value's bytes, rounded up to a multiple of eight. On average, unused room takes
///   another fifth.
public struct Records<Value: Storable>: Sendable {
  /// The bytes of each value, in words of eight bytes; the unused bytes of a value's last word are
  /// zero.
  @usableFromInline var words = Lists<UInt64>(blank: 0)
  @usableFromInline var scratch: [UInt8] = []

  /// Creates a table without values.
  @inlinable public init() {}

  /// The ids that may have values.
  @inlinable public var indices: Range<UInt32> { words.indices }

  /// Whether an id has a value.
  @inlinable public func has(_ id: UInt32) -> Bool { words.count(of: id) > 0 }

  /// The value of an id; nil if the id has no value.
  @inlinable public subscript(id: UInt32) -> Value? {
    get {
      read(id) { coder in
        var value = Value.blank
        coder(&value)
        return value
      }
    }
    set {
      guard var newValue else { return words.removeAll(in: id) }
      var coder = RecordCoder(reusing: scratch)
      scratch = []
      coder(&newValue)
      scratch = coder.bytes
      words.set(id, count: (scratch.count + 7) / 8) { words in
        if let last = words.indices.last { words[last] = 0 }
        UnsafeMutableRawBufferPointer(words).copyBytes(from: scratch)
      }
    }
  }

  /// Reads the last bytes of an id's value, so that they are in the CPU cache when the value is
  /// read.
  public mutating func prefetch(_ id: UInt32) { words.prefetchEnd(of: id) }

  /// Calls `body` with a decoder at the start of an id's value, to decode only its first
  /// properties. Returns nil if the id has no value.
  @inlinable public func read<T>(_ id: UInt32, _ body: (inout RecordCoder) -> T) -> T? {
    guard words.count(of: id) > 0 else { return nil }
    return words.withElements(of: id) { words in
      words.withMemoryRebound(to: UInt8.self) { bytes in
        var coder = RecordCoder(bytes)
        let value = body(&coder)
        return coder.isSound ? value : nil
      }
    }
  }

  /// Returns an id's encoded value, which `decode` accepts; an empty array if the id has no value.
  package func encoded(_ id: UInt32) -> [UInt64] {
    has(id) ? words.withElements(of: id) { Array($0) } : []
  }

  /// Decodes the words that `encoded` returned; returns nil for an empty array.
  package static func decode(_ words: [UInt64]) -> Value? {
    if words.isEmpty { return nil }
    return words.withUnsafeBufferPointer { words in
      words.withMemoryRebound(to: UInt8.self) { bytes in
        var (coder, value) = (RecordCoder(bytes), Value.blank)
        coder(&value)
        return value
      }
    }
  }

  /// Writes the table's values to a checkpoint or reads them from one.
  public mutating func code(with coder: inout StateCoder) { words.code(with: &coder) }
}
