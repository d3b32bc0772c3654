import Events

/// A record, or a mark that it was removed for good. Without either, there never was a record.
enum Removable<Value: Storable & Equatable & Sendable>: Storable, Equatable, Sendable {
  case removed
  case present(Value)

  /// The record; nil if it was removed.
  var value: Value? {
    if case .present(let value) = self { return value }
    return nil
  }

  static var blank: Self { .removed }

  /// Decodes whether a record is present, but not the record itself.
  static func isPresent(_ coder: inout RecordCoder) -> Bool {
    var isPresent = false
    coder(&isPresent)
    return isPresent
  }

  mutating func code(with coder: inout RecordCoder) {
    var kept = value
    coder(&kept)
    self = kept.map(Self.present) ?? .removed
  }
}
