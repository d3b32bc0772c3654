/// An event of an app's own type, as the log has it.
///
/// A projection finds it in `Event.app` and asks for a type it knows: `record[RouteSet.self]`.
public struct AppRecord: Equatable, Sendable {
  /// The wire name.
  public let type: String
  /// The schema version.
  public let version: Int
  /// The stream's name.
  public let stream: String
  /// The `data` field: canonical JSON.
  public let data: [UInt8]
  /// The ids that the event names, in the order of reading; empty for an unknown type.
  package private(set) var ids: [AnyID] = []
  private var typed: TypedAppEvent?

  /// Creates the record of a parsed line; also decodes the data if `names` knows the type.
  /// - Throws: `LineFault` if the data does not fit the known type; `unknownVersion`.
  init(_ line: ParsedLine, _ names: inout Names) throws(LineFault) {
    (type, version) = (line.type, line.version ?? 1)
    (stream, data) = (line.stream ?? "", line.data)
    if let read = try TypedAppEvent.read(self, &names) { (typed, ids) = read }
  }

  /// Creates the record of an event, for writing.
  public init<E: AppEvent>(_ event: E, _ names: Names) {
    (type, version) = (E.name, E.version)
    (stream, data) = (event.stream(names), event.data(names))
    typed = TypedAppEvent(event)
  }

  /// The event as a value of type `E`; nil if it has another type.
  /// - Precondition: The calling projection lists the type in its `appEvents`.
  public subscript<E: AppEvent>(_: E.Type) -> E? {
    assert(
      typed != nil || type != E.name,
      "\(E.name) is missing in the appEvents of the projection that reads it")
    return typed?.cast(to: E.self)
  }

  mutating func mapIDs(_ map: some IDMap) {
    ids = ids.map { $0.mapped(map) }
    typed = typed?.replacingIDs(with: self)
  }

  public static func == (a: Self, b: Self) -> Bool {
    a.type == b.type && a.version == b.version && a.stream == b.stream && a.data == b.data
  }
}

extension Event {
  /// Creates the event of a parsed line of an app's own type; nil for another type.
  /// - Throws: `LineFault` if `names` knows the type and the data does not fit it.
  package init?(app line: ParsedLine, _ names: inout Names) throws(LineFault) {
    guard UnknownType.isOfApp(line.type) else { return nil }
    self = .app(try AppRecord(line, &names))
  }
}
