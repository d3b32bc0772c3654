/// A plain value for each dense id, in one array that grows as new ids get values.
public struct Column<Value: BitwiseCopyable & Sendable>: Sendable {
  @usableFromInline var values: Slab<Value>

  /// - Parameter none: The value of an id for which no value has been set.
  @inlinable public init(_ none: Value) { values = Slab(blank: none) }

  /// The ids for which a value may have been set.
  @inlinable public var indices: Range<Int> { values.indices }

  /// The value of an id; `none` if no value has been set.
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

  /// Writes the column's values to a checkpoint or reads them from one.
  public mutating func code(with coder: inout StateCoder) { coder(&values) }
}
