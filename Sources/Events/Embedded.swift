// The forms that some types take in Embedded Swift, which has no existential values: there the
// events of an app's own types stay JSON.

#if !hasFeature(Embedded)
  /// The types of an app's events that are read typed.
  public struct AppEventTypes: Sendable, ExpressibleByArrayLiteral {
    private var types: [String: any AppEvent.Type] = [:]

    public init() {}
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

  /// An event of an app's own type, read from its data.
  struct TypedAppEvent: Sendable {
    private let event: any AppEvent

    init(_ event: some AppEvent) { self.event = event }

    /// Reads the data of a record and the ids it names; nil if `names` does not know its type.
    static func read(
      _ record: AppRecord, _ names: inout Names
    ) throws(LineFault) -> (event: TypedAppEvent, ids: [AnyID])? {
      guard let type = names.appEvents[record.type] else { return nil }
      if record.version > type.version {
        throw LineFault(.unknownVersion(type: type.name, version: record.version), path: "v")
      }
      var ids = AppMembers.IDs()
      swap(&ids.names, &names)  // so that the table has one owner, and is not copied
      defer { swap(&ids.names, &names) }
      return (try read(type, record, &ids), ids.read)
    }

    private static func read<E: AppEvent>(
      _: E.Type, _ record: AppRecord, _ ids: inout AppMembers.IDs
    ) throws(LineFault) -> TypedAppEvent {
      TypedAppEvent(try E.read(record.data, version: record.version, &ids))
    }

    func cast<E: AppEvent>(to _: E.Type) -> E? { event as? E }

    /// The same event with the ids of `record`.
    func replacingIDs(with record: AppRecord) -> TypedAppEvent? {
      var given = AppMembers.IDs()
      given.given = record.ids[...]
      let type: any AppEvent.Type = Swift.type(of: event)
      return try? Self.read(type, record, &given)
    }
  }

  /// A failure that a store outside this module reports, such as a database behind a network.
  ///
  /// Two failures are equal if their sentences are.
  ///
  /// The existential in it also keeps `LogError` and `UseCaseError` out of registers. Swift 6.3
  /// crashes at `do { … } catch UseCaseError.refused(.profileExists) {}`, which compiles only for
  /// an error that is passed in memory; `CatchTests` holds the ways to catch.
  public struct StoreFailure: Error, Equatable, CustomStringConvertible {
    public var reason: any StoreError

    public init(_ reason: any StoreError) { self.reason = reason }

    public var description: String { reason.description }

    public static func == (a: Self, b: Self) -> Bool { a.description == b.description }
  }
#else
  public struct AppEventTypes: Sendable {
    public init() {}
    public var isEmpty: Bool { true }
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

  public struct StoreFailure: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ reason: some StoreError) { description = reason.description }
  }
#endif
