/// The `data` of one or more event types: how its members are read and written, and its stream.
///
/// A conforming type lists its members twice, in the catalogue's order: once reading, once
/// writing. The schema (`docs/events.md`, the golden snapshot) is taken from the reading side.
protocol EventData: WireMembers {
  var stream: StreamID { get }
  /// Replaces its ids, in the order of its members.
  mutating func mapIDs(_ map: some IDMap)
  /// What its texts are of, and who wrote them; nil if it has none.
  var words: Words? { get }
  /// Replaces what is said in words, and ids of other events, in the order of its members.
  mutating func mapContent(_ map: inout some ContentMap)
}

/// What is an object on the wire: an event's data, or an interval in one.
protocol WireMembers: Equatable, Sendable {
  init<R: MemberReader>(from reader: inout R) throws(LineFault)
  func write<W: MemberWriter>(to writer: inout W)
}

/// A replacement for the data of an event, the same for every type.
protocol DataMap {
  mutating func callAsFunction<Data: EventData>(_ data: Data) -> Data
}

private struct ContentReplacement<Map: ContentMap>: DataMap {
  var map: Map

  mutating func callAsFunction<Data: EventData>(_ data: Data) -> Data {
    var copy = data
    copy.mapContent(&map)
    return copy
  }
}

/// An operation on the data of an event, the same for every type.
protocol DataVisitor {
  associatedtype Result
  mutating func visit(_ data: some EventData) -> Result
}

extension Event {
  /// The stream this event belongs to: the aggregate whose history it is part of. Nil for an event
  /// of an app's, whose stream has a name only.
  public var stream: StreamID? {
    struct Visitor: DataVisitor {
      func visit(_ data: some EventData) -> StreamID { data.stream }
    }
    var visitor = Visitor()
    return visitData(&visitor)
  }

  /// What its texts are of, and who wrote them; nil if it has none of the core's own.
  package var words: Words? {
    struct Visitor: DataVisitor {
      func visit(_ data: some EventData) -> Words? { data.words }
    }
    var visitor = Visitor()
    return visitData(&visitor) ?? nil
  }

  /// Replaces its texts and the ids of other events that it names, in the order of its members.
  package mutating func mapContent(_ map: inout some ContentMap) {
    var replacement = ContentReplacement(map: map)
    mapData(&replacement)
    map = replacement.map
  }

  func write(to writer: inout JSONWriter) {
    struct Visitor: DataVisitor {
      var writer: JSONWriter
      mutating func visit(_ data: some EventData) { data.write(to: &writer) }
    }
    var visitor = Visitor(writer: writer)
    _ = visitData(&visitor)
    writer = visitor.writer
  }

  /// The name of its stream.
  public func streamName(_ names: borrowing Names) -> String {
    if case .app(let record) = self { return record.stream }
    return stream.map { names.name(of: $0) } ?? ""
  }
}
