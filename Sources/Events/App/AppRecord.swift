/// An event of an app's own type, as it stands in a log.
///
/// A projection finds it in `Event.app`, and asks for the types it knows: `record[RouteSet.self]`.
public struct AppRecord: Equatable, Sendable {
  /// The wire name and the schema version.
  public let type: String
  public let version: Int
  /// The stream's name.
  public let stream: String
  /// The `data` member: canonical JSON.
  public let data: [UInt8]
  /// The ids that the event names, in the order of reading; none for a type that is not known.
  package private(set) var ids: [AnyID] = []
  private var typed: TypedAppEvent?

  /// The event of a line whose type may be one of those that `names` knows.
  /// - Throws: `LineFault` if it is, and the data is not of that type; `unknownVersion`.
  init(_ line: ParsedLine, _ names: inout Names) throws(LineFault) {
    (type, version) = (line.type, line.version ?? 1)
    (stream, data) = (line.stream ?? "", line.data)
    if let read = try TypedAppEvent.read(self, &names) { (typed, ids) = read }
  }

  public init<E: AppEvent>(_ event: E, _ names: Names) {
    (type, version) = (E.name, E.version)
    (stream, data) = (event.stream(names), event.data(names))
    typed = TypedAppEvent(event)
  }

  /// The event, if it is of this type.
  /// - Precondition: the projection that asks lists the type in its `appEvents`.
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
  /// The event of a parsed line of an app's own type; nil for another type.
  /// - Throws: `LineFault` if the type is known to `names`, and the data is not of that type.
  package init?(app line: ParsedLine, _ names: inout Names) throws(LineFault) {
    guard UnknownType.isOfApp(line.type) else { return nil }
    self = .app(try AppRecord(line, &names))
  }
}
