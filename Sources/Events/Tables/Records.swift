/// A value for each dense id, encoded as bytes; all values share one array.
///
/// ```swift
/// var titles = Records<String>()
/// titles[3] = "Slow is smooth"
/// titles[4]  // nil
/// ```
/// - Complexity: Each read decodes a value, each write encodes it. Memory is 8 bytes for each id
///   and the value's bytes, rounded up to a multiple of eight, and a fifth more on average.
public struct Records<Value: Storable>: Sendable {
  /// The bytes of each value; the rest of a value's last word is zero.
  @usableFromInline var words = Lists<UInt64>(blank: 0)
  @usableFromInline var scratch: [UInt8] = []

  /// Creates an empty table.
  @inlinable public init() {}

  /// The ids that may have values.
  @inlinable public var indices: Range<UInt32> { words.indices }

  /// Whether an id has a value.
  @inlinable public func has(_ id: UInt32) -> Bool { words.count(of: id) > 0 }

  /// The value of an id; nil if it has none.
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

  /// Reads the end of a value, so that it is in the cache when the value is read.
  public mutating func prefetch(_ id: UInt32) { words.prefetchEnd(of: id) }

  /// Calls `body` to decode the first fields of a value; returns nil if the id has none.
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

  /// Returns the encoded value for `decode`; empty if the id has none.
  package func encoded(_ id: UInt32) -> [UInt64] {
    has(id) ? words.withElements(of: id) { Array($0) } : []
  }

  /// Decodes the words that `encoded` returned; returns nil if there are none.
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

  /// Writes the table to a checkpoint or reads it from one.
  public mutating func code(with coder: inout StateCoder) { words.code(with: &coder) }
}
