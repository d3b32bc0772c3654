/// A column of a table of events: a field of the envelope, or a field that the data of some event
/// types has.
///
/// The list of columns is derived from the code that reads the data, like `Schema`.
package struct EventColumn: Hashable, Sendable {
  /// The type of a column's values.
  package enum Kind: String, Sendable { case integer, number, boolean, text, time }

  /// The column's name: the field's name in JSON. If the envelope also has a field of this name,
  /// the column of the data's field begins with `data_`.
  package var name: String
  /// The type of the column's values.
  package var kind: Kind
  /// Whether each event has a value.
  package var isRequired: Bool

  /// All columns: those of the envelope, then the fields of all event types' data in the order of
  /// the catalogue.
  package static let all: [EventColumn] = {
    var columns = EnvelopeColumn.allCases.map { $0.column }
    for field in DataField.all.joined() {
      let column = EventColumn(name: field.column, kind: field.kind, isRequired: false)
      if !columns.contains(where: { $0.name == column.name }) { columns.append(column) }
    }
    return columns
  }()
}

/// A column whose values come from an event's envelope or from its whole data.
enum EnvelopeColumn: String, CaseIterable, Sendable {
  case seq, time, type, v, stream, rev, actor, id, cause, batch, correlation
  /// The names of the fields that a merge patch sets to null, joined by commas.
  case cleared
  /// The data as JSON text.
  case data

  var column: EventColumn {
    let kind: EventColumn.Kind =
      switch self {
      case .seq, .v, .rev: .integer
      case .time: .time
      default: .text
      }
    let isRequired =
      switch self {
      case .cause, .batch, .correlation, .cleared: false
      default: true
      }
    return EventColumn(name: rawValue, kind: kind, isRequired: isRequired)
  }

  /// Whether a reader finds the value between the fields `stream` and `data` of a line.
  var isInHead: Bool {
    switch self {
    case .stream, .rev, .actor, .id, .cause, .batch: true
    default: false
    }
  }
}

/// A field of an event type's data, with the way to read its value.
struct DataField: Sendable {
  /// A way to read a value in the encoder's layout, and so the type of its column.
  enum Form: Sendable {
    case integer, number, boolean, id, eventID, text
    /// Any other type: the closure reads the value, and returns false if its form is wrong.
    case other(@Sendable (inout FastReader) -> Bool)
  }

  var name: StaticString
  var form: Form
  var isRequired: Bool
  var isPatch: Bool

  /// The name of the field's column.
  var column: String {
    EnvelopeColumn(rawValue: "\(name)") == nil ? "\(name)" : "data_\(name)"
  }

  var kind: EventColumn.Kind {
    switch form {
    case .integer: .integer
    case .number: .number
    case .boolean: .boolean
    default: .text
    }
  }

  /// The fields of each event type's data, in order, indexed by the types' raw values.
  static let all: [[DataField]] = EventType.allCases.map { type in
    var reader = FieldLister()
    // Listing fields never throws an error.
    _ = try? Event(type, from: &reader)
    return reader.fields
  }
}

/// A coder that reads no data. It only lists the fields that an event's `code` method passes to it.
private struct FieldLister: MemberCoder {
  var fields: [DataField] = []

  private mutating func add<V: WireValue>(
    _ name: StaticString, _: V.Type, isRequired: Bool = false, isPatch: Bool = false
  ) {
    fields.append(DataField(name: name, form: V.form, isRequired: isRequired, isPatch: isPatch))
  }

  mutating func callAsFunction<V: WireValue>(_ name: StaticString, _: inout V) {
    add(name, V.self, isRequired: true)
  }
  mutating func callAsFunction<V: WireValue>(_ name: StaticString, _: inout V?) {
    add(name, V.self)
  }
  mutating func callAsFunction<V: WireValue>(_ name: StaticString, _: inout Patch<V>) {
    add(name, V.self, isPatch: true)
  }
  mutating func id(_ name: StaticString, _: inout AnyID, of _: IDKind) {
    add(name, UserID.self, isRequired: true)
  }
}
