// Embedded Swift has no existential values, so some types have a second form here. In that form
// the events of an app's own types stay JSON.

#if !hasFeature(Embedded)
  /// The app's own event types that are decoded into Swift values.
  public struct AppEventTypes: Sendable, ExpressibleByArrayLiteral {
    private var types: [String: any AppEvent.Type] = [:]

    /// Creates an empty set of types.
    public init() {}
    public init(arrayLiteral types: any AppEvent.Type...) { for type in types { add(type) } }

    /// - Precondition: The type's name has a dot with text on both sides.
    private mutating func add(_ type: any AppEvent.Type) {
      precondition(
        UnknownType.isOfApp(type.name), "an app's type of event has a dot: '\(type.name)' has none")
      types[type.name] = type
    }

    /// Whether the set has no types.
    public var isEmpty: Bool { types.isEmpty }

    package subscript(name: String) -> (any AppEvent.Type)? { types[name] }

    /// Returns the types of both sets.
    public func union(_ other: AppEventTypes) -> AppEventTypes {
      var all = self
      for type in other.types.values { all.add(type) }
      return all
    }
  }

  /// An event of an app's own type, read from its data.
  struct TypedAppEvent: Sendable {
    private let event: any AppEvent

    init(_ event: some AppEvent) { self.event = event }

    /// Reads a record's data and the ids it names; returns nil if `names` does not know its type.
    static func read(
      _ record: AppRecord, _ names: inout Names
    ) throws(LineFault) -> (event: TypedAppEvent, ids: [AnyID])? {
      guard let type = names.appEvents[record.type] else { return nil }
      if record.version > type.version {
        throw LineFault(.unknownVersion(type: type.name, version: record.version), path: "v")
      }
      var ids = AppMembers.IDs()
      swap(&ids.names, &names)  // The table keeps one owner, so it is not copied.
      defer { swap(&ids.names, &names) }
      return (try read(type, record, &ids), ids.read)
    }

    private static func read<E: AppEvent>(
      _: E.Type, _ record: AppRecord, _ ids: inout AppMembers.IDs
    ) throws(LineFault) -> TypedAppEvent {
      TypedAppEvent(try E.read(record.data, version: record.version, &ids))
    }

    func cast<E: AppEvent>(to _: E.Type) -> E? { event as? E }

    /// Returns the same event with the ids of `record`.
    func replacingIDs(with record: AppRecord) -> TypedAppEvent? {
      var given = AppMembers.IDs()
      given.given = record.ids[...]
      let type: any AppEvent.Type = Swift.type(of: event)
      return try? Self.read(type, record, &given)
    }
  }

  /// A failure reported by a store outside this module, such as a database on a server.
  ///
  /// Two failures are equal if their descriptions are.
  ///
  /// The existential in it also keeps `LogError` and `UseCaseError` out of registers. Swift 6.3
  /// crashes at `do { … } catch UseCaseError.refused(.profileExists) {}` unless the error is passed
  /// in memory; `CatchTests` covers the ways to catch.
  public struct StoreFailure: Error, Equatable, CustomStringConvertible {
    /// The store's own error.
    public var reason: any StoreError

    /// Creates a failure from a store's error.
    public init(_ reason: any StoreError) { self.reason = reason }

    public var description: String { reason.description }

    public static func == (a: Self, b: Self) -> Bool { a.description == b.description }
  }
#else
  /// The app's own event types; always empty in Embedded Swift.
  public struct AppEventTypes: Sendable {
    /// Creates an empty set of types.
    public init() {}
    /// Whether the set has no types; always true.
    public var isEmpty: Bool { true }
    /// Returns an empty set.
    public func union(_ other: AppEventTypes) -> AppEventTypes { self }
  }

  struct TypedAppEvent: Sendable {
    init(_ event: some AppEvent) {}

    static func read(
      _ record: AppRecord, _ names: inout Names
    ) throws(LineFault) -> (event: TypedAppEvent, ids: [AnyID])? { nil }

    func cast<E: AppEvent>(to _: E.Type) -> E? { nil }

    func replacingIDs(with record: AppRecord) -> TypedAppEvent? { nil }
  }

  /// A failure reported by a store outside this module; it keeps only the description.
  public struct StoreFailure: Error, Equatable, CustomStringConvertible {
    /// The description of the store's error.
    public let description: String

    /// Creates a failure from a store's error.
    public init(_ reason: some StoreError) { description = reason.description }
  }
#endif
