/// A value behind one reference, so that a copy of a large value costs one retain.
///
/// ```swift
/// var state = Boxed(Names())
/// let earlier = state              // shares the value
/// _ = try state.value.user("ann")  // copies the value's members first, because it is shared
/// earlier.value.userCount          // 0
/// ```
/// States with many tables are boxed where they are stored. Otherwise the compiler makes functions
/// that copy and destroy each table's reference, for each type and closure that has the state.
/// - Complexity: reading and changing cost one indirection. The first change of a shared value
///   copies its members; tables then copy their memory when they change.
public struct Boxed<Value: Sendable>: Sendable {
  /// It is `@unchecked Sendable`, because its value changes only through a unique reference.
  @usableFromInline final class Box: @unchecked Sendable {
    @usableFromInline let address: UnsafeMutablePointer<Value>

    @inlinable init(_ value: Value) {
      address = .allocate(capacity: 1)
      address.initialize(to: value)
    }

    deinit {
      address.deinitialize(count: 1)
      address.deallocate()
    }
  }

  @usableFromInline var box: Box

  /// Boxes a value.
  @inlinable public init(_ value: Value) { box = Box(value) }

  /// The value.
  ///
  /// Its accessors return addresses. With `_read`, a property that yielded a large struct crashed
  /// in builds without optimization (Swift 6.3.1).
  @inlinable public var value: Value {
    @inline(__always) unsafeAddress { UnsafePointer(box.address) }
    @inline(__always) unsafeMutableAddress {
      if !isKnownUniquelyReferenced(&box) { box = Box(box.address.pointee) }
      return box.address
    }
  }
}
