/// The change that a merge patch (RFC 7396) makes to one field.
public enum Patch<Value: Equatable & Sendable>: Equatable, Sendable {
  /// Keeps the field's value; the JSON patch does not contain the field.
  case keep
  /// Removes the field's value; the JSON patch contains null.
  case clear
  /// Sets a new value; the JSON patch contains the value.
  case set(Value)

  /// Applies this change to a field's current value.
  public func apply(to value: inout Value?) {
    switch self {
    case .keep: break
    case .clear: value = nil
    case .set(let new): value = new
    }
  }

  /// The new value that the patch sets; nil if the patch keeps or clears the field.
  public var value: Value? {
    if case .set(let value) = self { return value }
    return nil
  }

  /// Whether the patch keeps the field's value.
  public var isKeep: Bool { self == .keep }
}
