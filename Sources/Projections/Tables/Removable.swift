import Events

/// The record of something that may have been removed for good. A missing record means that it was
/// never there.
enum Removable<Value: Storable & Equatable & Sendable>: Storable, Equatable, Sendable {
  case removed
  case present(Value)

  /// Nil for something removed.
  var value: Value? {
    if case .present(let value) = self { return value }
    return nil
  }

  static var blank: Self { .removed }

  mutating func code(with coder: inout RecordCoder) {
    var kept = value
    coder(&kept)
    self = kept.map(Self.present) ?? .removed
  }
}
