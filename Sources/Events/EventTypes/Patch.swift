/// What a merge patch (RFC 7396) does to one member: keep it, clear it, or set a new value.
public enum Patch<Value: Equatable & Sendable>: Equatable, Sendable {
  case keep
  case clear
  case set(Value)

  /// Applies the patch to a member's current value.
  public func apply(to value: inout Value?) {
    switch self {
    case .keep: break
    case .clear: value = nil
    case .set(let new): value = new
    }
  }

  /// What the patch sets; nil if it keeps or clears.
  public var value: Value? {
    if case .set(let value) = self { return value }
    return nil
  }

  /// Whether the patch names the member at all.
  public var isKeep: Bool { self == .keep }
}
