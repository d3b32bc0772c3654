/// Values that are not plain, by dense id: each as a few bytes, all in one array.
///
/// ```swift
/// var titles = Records<String>()
/// titles[3] = "Slow is smooth"
/// titles[4]  // nil
/// ```
/// - Complexity: each read decodes a value, each write encodes it. Memory: 8 bytes for each id, and
///   the value's bytes rounded up to a multiple of eight, a fifth more on average.
public struct Records<Value: Storable>: Sendable {
  /// A record ends where its value does; the rest of its last word is zero.
  @usableFromInline var words = Lists<UInt64>(blank: 0)
  @usableFromInline var scratch: [UInt8] = []

  @inlinable public init() {}

  /// The ids that may have values.
  @inlinable public var indices: Range<UInt32> { words.indices }

  @inlinable public func has(_ id: UInt32) -> Bool { words.count(of: id) > 0 }

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

  /// Reads where a value ends, so that it is in the cache when it is asked for.
  public mutating func prefetch(_ id: UInt32) { words.prefetchEnd(of: id) }

  /// Decodes the first members of a value; nil if there is none.
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

  /// The value as bytes, in words, for `decode`; empty if there is none.
  package func encoded(_ id: UInt32) -> [UInt64] {
    has(id) ? words.withElements(of: id) { Array($0) } : []
  }

  /// The value of words that `encoded` returned; nil if there are none.
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

  public mutating func code(with coder: inout StateCoder) { words.code(with: &coder) }
}
