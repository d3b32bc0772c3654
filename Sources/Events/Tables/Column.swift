/// Plain values by dense id, grown as ids appear.
public struct Column<Value: BitwiseCopyable & Sendable>: Sendable {
  @usableFromInline var values: Slab<Value>

  /// - Parameter none: the value of an id that has none.
  @inlinable public init(_ none: Value) { values = Slab(blank: none) }

  @inlinable public var indices: Range<Int> { values.indices }

  @inlinable
  public subscript(index: UInt32) -> Value {
    get {
      // Not as `Int`, which where that has 32 bits cannot hold `UInt32.max`.
      index < UInt32(truncatingIfNeeded: values.count) ? values[Int(index)] : values.blank
    }
    set {
      if Int(index) >= values.count { values.grow(to: Int(index) + 1) }
      values[Int(index)] = newValue
    }
  }

  public mutating func code(with coder: inout StateCoder) { coder(&values) }
}
