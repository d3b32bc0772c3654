/// An array of plain values indexed by dense id; it grows as ids appear.
public struct Column<Value: BitwiseCopyable & Sendable>: Sendable {
  @usableFromInline var values: Slab<Value>

  /// - Parameter none: The value of every id that has not been set.
  @inlinable public init(_ none: Value) { values = Slab(blank: none) }

  /// The ids that may have been set.
  @inlinable public var indices: Range<Int> { values.indices }

  /// The value of an id.
  @inlinable
  public subscript(index: UInt32) -> Value {
    get {
      // `UInt32.max` does not fit into `Int` on 32-bit machines.
      index < UInt32(truncatingIfNeeded: values.count) ? values[Int(index)] : values.blank
    }
    set {
      if Int(index) >= values.count { values.grow(to: Int(index) + 1) }
      values[Int(index)] = newValue
    }
  }

  /// Writes the column to a checkpoint or reads it from one.
  public mutating func code(with coder: inout StateCoder) { coder(&values) }
}
