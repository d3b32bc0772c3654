/// The data of events of one or more types, as in the `data` field of a line.
protocol EventData: WireMembers {
  /// The stream that the event belongs to.
  var stream: StreamID { get }
  /// The subject and the author of the texts in the data; nil if the data has no texts.
  var words: Words? { get }
}

/// A value that a log's line contains as a JSON object: an event's data, or an interval in the
/// data.
///
/// The `code` method lists the object's fields once, in the order of the catalogue
/// `docs/events.md`. Readers, the writer, `Records` tables, `Schema` and the replacement of ids all
/// use this list.
protocol WireMembers: Equatable, Sendable {
  /// Creates a blank value, which reading then overwrites.
  init()
  /// Passes each property to the coder, which reads, writes or changes it as a JSON field.
  mutating func code(with members: inout some MemberCoder) throws(LineFault)
}

extension WireMembers {
  @inline(__always)
  init<C: MemberCoder>(from reader: inout C) throws(LineFault) {
    self.init()
    try code(with: &reader)
  }

  func write(to writer: inout JSONWriter) {
    var copy = self
    // Writing fields never throws an error.
    try? copy.code(with: &writer)
  }

  mutating func mapIDs<Map: IDMap>(_ map: Map) {
    var coder = IDReplacement(map: map)
    // Replacing ids never throws an error.
    try? code(with: &coder)
  }
}

/// A function that returns a new dense number for each id.
protocol IDMap {
  func callAsFunction<ID: DenseID>(_ id: ID) -> ID
}

private struct IDReplacement<Map: IDMap>: MemberCoder {
  let map: Map

  mutating func callAsFunction<V: WireValue>(_: StaticString, _ value: inout V) {
    value.mapIDs(map)
  }
  mutating func callAsFunction<V: WireValue>(_: StaticString, _ value: inout V?) {
    value?.mapIDs(map)
  }
  /// Fields of merge patches have no ids, so nothing is replaced.
  mutating func callAsFunction<V: WireValue>(_: StaticString, _: inout Patch<V>) {}
}

extension Event {
  /// The stream to which the event belongs. It is nil for an app's own event, whose stream only has
  /// a name.
  public var stream: StreamID? {
    var visitor = StreamVisitor()
    return visit(&visitor)
  }

  private struct StreamVisitor: EventVisitor {
    func visit<Data: EventData>(_: EventType, _ data: Data, _: (Data) -> Event) -> StreamID {
      data.stream
    }
  }

  /// The subject and the author of the event's texts; nil for an event without texts, and for an
  /// app's own event.
  package var words: Words? {
    var visitor = WordsVisitor()
    return visit(&visitor) ?? nil
  }

  private struct WordsVisitor: EventVisitor {
    func visit<Data: EventData>(_: EventType, _ data: Data, _: (Data) -> Event) -> Words? {
      data.words
    }
  }

  /// Replaces the event's texts and places, and the ids of other events in its data, with those
  /// that `map` returns. Calls `map` in the order of the data's fields.
  package mutating func mapContent<Map: ContentMap>(_ map: inout Map) {
    var visitor = ContentReplacement(map: map)
    self = visit(&visitor) ?? self
    map = visitor.map
  }

  private struct ContentReplacement<Map: ContentMap>: EventVisitor, MemberCoder {
    var map: Map

    mutating func visit<Data: EventData>(
      _: EventType, _ data: Data, _ event: (Data) -> Event
    ) -> Event {
      var copy = data
      // Replacing texts never throws an error.
      try? copy.code(with: &self)
      return event(copy)
    }

    mutating func callAsFunction<V: WireValue>(_: StaticString, _: inout V) {}
    mutating func callAsFunction<V: WireValue>(_: StaticString, _: inout V?) {}
    mutating func callAsFunction<V: WireValue>(_: StaticString, _: inout Patch<V>) {}

    mutating func text<Text: TextMember>(
      _ name: StaticString, _ text: inout Text, _ kind: TextKind
    ) {
      if kind != .plain { text.mapText { map.text($0, name, kind) } }
    }

    mutating func place(_ latitude: inout Double, _ longitude: inout Double) {
      (latitude, longitude) = map.place(latitude, longitude)
    }

    mutating func event(_: StaticString, _ id: inout EventID) { id = map.eventID(id) }
  }

  func write(to writer: inout JSONWriter) {
    var visitor = DataVisitor(writer: writer)
    _ = visit(&visitor)
    writer = visitor.writer
  }

  private struct DataVisitor: EventVisitor {
    var writer: JSONWriter

    mutating func visit<Data: EventData>(_: EventType, _ data: Data, _: (Data) -> Event) {
      data.write(to: &writer)
    }
  }

  /// Returns the name of the event's stream.
  public func streamName(_ names: borrowing Names) -> String {
    if case .app(let record) = self { return record.stream }
    return stream.map { names.name(of: $0) } ?? ""
  }
}

extension Event {
  /// The ids that the event names, in the order of its fields.
  public var ids: [AnyID] {
    var ids: [AnyID] = []
    forEachID { ids.append($0) }
    return ids
  }

  /// The users that the event names, in the order of its fields.
  public var users: [UserID] { ids.only(UserID.self) }

  /// Calls a closure with each id that the event names, in the order of its fields.
  public func forEachID(_ body: (AnyID) -> Void) {
    var copy = self
    copy.mapIDs {
      body($0)
      return $0.index
    }
  }

  /// Replaces the dense number of each id that the event names with the number that `number`
  /// returns. Calls `number` in the order of the event's fields.
  public mutating func mapIDs(_ number: (AnyID) -> UInt32) {
    withoutActuallyEscaping(number) { number in
      var visitor = Renumbering(number: number)
      if case .app(var record) = self {
        record.mapIDs(visitor)
        self = .app(record)
      } else {
        self = visit(&visitor) ?? self
      }
    }
  }

  private struct Renumbering: IDMap, EventVisitor {
    var number: (AnyID) -> UInt32

    func callAsFunction<ID: DenseID>(_ id: ID) -> ID { ID(index: number(AnyID(id))) }

    func visit<Data: EventData>(_: EventType, _ data: Data, _ event: (Data) -> Event) -> Event {
      var copy = data
      copy.mapIDs(self)
      return event(copy)
    }
  }
}
