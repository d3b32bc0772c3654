/// A value for checkpoints that cannot be copied as plain memory: it has texts, or several cases.
public protocol Storable {
  /// Any value, to be overwritten by decoding.
  static var blank: Self { get }
  /// Encodes or decodes each member, as the coder does.
  mutating func code(with coder: inout StateCoder)
}

extension StateCoder {
  public mutating func callAsFunction<V: Storable>(_ value: inout V) { value.code(with: &self) }

  public mutating func callAsFunction<V: Storable>(_ value: inout V?) {
    var isThere = value != nil
    self(&isThere)
    guard isThere else {
      value = nil
      return
    }
    var wrapped = value ?? .blank
    self(&wrapped)
    value = wrapped
  }

  public mutating func callAsFunction<V: Storable>(_ values: inout [V]) {
    var count = values.count
    self.count(&count)
    if isReading { values = [V](repeating: .blank, count: count) }
    for index in values.indices { self(&values[index]) }
  }

  /// Lists of plain values: their lengths, then all values one after the other.
  public mutating func callAsFunction<V: BitwiseCopyable>(_ lists: inout [[V]]) {
    var lengths = lists.map { UInt32($0.count) }
    self(&lengths)
    var all = isReading ? [] : lists.flatMap { $0 }
    self(&all)
    guard isReading else { return }
    guard lengths.reduce(0, { $0 + Int($1) }) == all.count else { return fail() }
    var start = 0
    lists = lengths.map { length in
      defer { start += Int(length) }
      return length == 0 ? [] : Array(all[start..<start + Int(length)])
    }
  }

  public mutating func callAsFunction<K: Storable & Hashable, V: BitwiseCopyable>(
    _ dictionary: inout [K: V]
  ) {
    var keys = Array(dictionary.keys)
    var values = Array(dictionary.values)
    self(&keys)
    self(&values)
    if isReading { dictionary = merged(keys, values) }
  }

  private mutating func merged<K: Hashable, V>(_ keys: [K], _ values: [V]) -> [K: V] {
    guard keys.count == values.count else {
      fail()
      return [:]
    }
    return Dictionary(firstOf: zip(keys, values))
  }
}

extension String: Storable {
  public static var blank: String { "" }

  public mutating func code(with coder: inout StateCoder) {
    var count = utf8.count
    coder.count(&count)
    if coder.isReading {
      self = String(unsafeUninitializedCapacity: count) { target in
        coder.bytes(UnsafeMutableRawBufferPointer(target))
        return coder.isSound ? count : 0
      }
    } else {
      withUTF8 { coder.bytes(UnsafeMutableRawBufferPointer(mutating: UnsafeRawBufferPointer($0))) }
    }
  }
}
