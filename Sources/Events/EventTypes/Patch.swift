/// The change of one field by a merge patch (RFC 7396).
public enum Patch<Value: Equatable & Sendable>: Equatable, Sendable {
  /// Keeps the value; the field is absent in the JSON.
  case keep
  /// Removes the value; the field is null.
  case clear
  /// Sets a new value.
  case set(Value)

  /// Applies the patch to a field's current value.
  public func apply(to value: inout Value?) {
    switch self {
    case .keep: break
    case .clear: value = nil
    case .set(let new): value = new
    }
  }

  /// The new value; nil if the patch keeps or clears the field.
  public var value: Value? {
    if case .set(let value) = self { return value }
    return nil
  }

  /// Whether the patch keeps the value.
  public var isKeep: Bool { self == .keep }
}
