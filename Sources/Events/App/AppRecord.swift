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
  #if !hasFeature(Embedded)  // Embedded Swift lacks such existentials.
    private var typed: (any AppEvent)?
  #endif

  /// The event of a line whose type may be one of those that `names` knows.
  /// - Throws: `LineFault` if it is, and the data is not of that type; `unknownVersion`.
  init(_ line: ParsedLine, _ names: inout Names) throws(LineFault) {
    (type, version) = (line.type, line.version ?? 1)
    (stream, data) = (line.stream ?? "", line.data)
    #if !hasFeature(Embedded)
      guard let type = names.appEvents[type] else { return }
      if version > type.version {
        throw LineFault(.unknownVersion(type: type.name, version: version), path: "v")
      }
      var ids = AppMembers.IDs()
      swap(&ids.names, &names)  // so that the table has one owner, and is not copied
      defer { swap(&ids.names, &names) }
      typed = try Self.read(type, data, version, &ids)
      self.ids = ids.read
    #endif
  }

  public static func == (a: Self, b: Self) -> Bool {
    a.type == b.type && a.version == b.version && a.stream == b.stream && a.data == b.data
  }
}

#if !hasFeature(Embedded)
  extension AppRecord {
    public init<E: AppEvent>(_ event: E, _ names: Names) {
      (type, version) = (E.name, E.version)
      (stream, data) = (event.stream(names), event.data(names))
      typed = event
    }

    /// The event, if it is of this type.
    /// - Precondition: the projection that asks lists the type in its `appEvents`.
    public subscript<E: AppEvent>(_: E.Type) -> E? {
      assert(
        typed != nil || type != E.name,
        "\(E.name) is missing in the appEvents of the projection that reads it")
      return typed as? E
    }

    private static func read<E: AppEvent>(
      _: E.Type, _ data: [UInt8], _ version: Int, _ ids: inout AppMembers.IDs
    ) throws(LineFault) -> any AppEvent {
      try E.read(data, version: version, &ids)
    }
  }
#endif

extension AppRecord {
  mutating func mapIDs(_ map: some IDMap) {
    ids = ids.map { $0.mapped(map) }
    #if !hasFeature(Embedded)
      guard let typed else { return }
      var given = AppMembers.IDs()
      given.given = ids[...]
      let type: any AppEvent.Type = Swift.type(of: typed)
      self.typed = try? Self.read(type, data, version, &given)
    #endif
  }
}

#if !hasFeature(Embedded)
  /// The types of an app's events that are read typed.
  public struct AppEventTypes: Sendable, ExpressibleByArrayLiteral {
    private var types: [String: any AppEvent.Type] = [:]

    public init(arrayLiteral types: any AppEvent.Type...) { for type in types { add(type) } }

    /// - Precondition: the name has a dot with something on either side.
    private mutating func add(_ type: any AppEvent.Type) {
      precondition(
        UnknownType.isOfApp(type.name), "an app's type of event has a dot: '\(type.name)' has none")
      types[type.name] = type
    }

    public var isEmpty: Bool { types.isEmpty }

    package subscript(name: String) -> (any AppEvent.Type)? { types[name] }

    public func union(_ other: AppEventTypes) -> AppEventTypes {
      var all = self
      for type in other.types.values { all.add(type) }
      return all
    }
  }
#endif

extension Event {
  /// The event of a parsed line of an app's own type; nil for another type.
  /// - Throws: `LineFault` if the type is known to `names`, and the data is not of that type.
  package init?(app line: ParsedLine, _ names: inout Names) throws(LineFault) {
    guard UnknownType.isOfApp(line.type) else { return nil }
    self = .app(try AppRecord(line, &names))
  }
}
