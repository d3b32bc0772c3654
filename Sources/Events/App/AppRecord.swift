/// An event of an app's own type, with its data as JSON and, if the type is known, as a Swift
/// value.
///
/// A projection receives it in `Event.app` and gets the Swift value of a type that it knows:
/// `record[RouteSet.self]`.
public struct AppRecord: Equatable, Sendable {
  /// The event type's name, such as `climbr.RouteSet`.
  public let type: String
  /// The schema version of the event's data.
  public let version: Int
  /// The name of the event's stream.
  public let stream: String
  /// The value of the line's `data` field, as canonical JSON.
  public let data: [UInt8]
  /// The ids that the event's data names, in the order of the data's fields; empty unless the data
  /// was decoded from a line.
  package private(set) var ids: [AnyID] = []
  private var typed: TypedAppEvent?

  /// Creates a record from a parsed line. If `names` knows the event's type, also decodes the data.
  /// - Throws: A fault of kind `unknownVersion` if the line's version is newer than the Swift
  ///   type's; other faults if the data does not fit the type.
  init(_ line: ParsedLine, _ names: inout Names) throws(LineFault) {
    (type, version) = (line.type, line.version ?? 1)
    (stream, data) = (line.stream ?? "", line.data)
    if let read = try TypedAppEvent.read(self, &names) { (typed, ids) = read }
  }

  /// Creates a record from a Swift value, for appending the event to a log.
  public init<E: AppEvent>(_ event: E, _ names: Names) {
    (type, version) = (E.name, E.version)
    (stream, data) = (event.stream(names), event.data(names))
    typed = TypedAppEvent(event)
  }

  /// The event as a Swift value of type `E`; nil if the event has another type.
  /// - Precondition: The projection that uses the subscript lists `E` in its `appEvents`.
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
  /// Creates an app's own event from a parsed line; nil if the line's type is not an app's own.
  /// - Throws: `LineFault` if `names` knows the type and the data does not fit it.
  package init?(app line: ParsedLine, _ names: inout Names) throws(LineFault) {
    guard UnknownType.isOfApp(line.type) else { return nil }
    self = .app(try AppRecord(line, &names))
  }
}
