// Embedded Swift has no existential values except of classes, so some types have a second form
// here, for Embedded Swift. In the second form, events of an app's own types are not decoded and
// stay JSON.

#if !hasFeature(Embedded)
  import Synchronization

  /// A set of the app's own event types whose events are decoded into Swift values.
  public struct AppEventTypes: Sendable, ExpressibleByArrayLiteral {
    private var types: [String: any AppEvent.Type] = [:]

    /// Creates an empty set of event types.
    public init() {}
    public init(arrayLiteral types: any AppEvent.Type...) { for type in types { add(type) } }

    /// - Precondition: The name of the added event type has a dot with text on both sides.
    private mutating func add(_ type: any AppEvent.Type) {
      precondition(
        UnknownType.isOfApp(type.name), "an app's type of event has a dot: '\(type.name)' has none")
      types[type.name] = type
    }

    /// Whether the set contains no types.
    public var isEmpty: Bool { types.isEmpty }

    package subscript(name: String) -> (any AppEvent.Type)? { types[name] }

    /// Returns a set with the types of both sets.
    public func union(_ other: AppEventTypes) -> AppEventTypes {
      var all = self
      for type in other.types.values { all.add(type) }
      return all
    }
  }

  /// An event of an app's own type, decoded into a Swift value.
  struct TypedAppEvent: Sendable {
    private let event: any AppEvent

    init(_ event: some AppEvent) { self.event = event }

    /// Decodes the data of `record`. Returns the event and the ids that the data names, or nil if
    /// `names` does not know the event's type.
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

    /// Returns this event with its ids replaced by those of `record`; nil if `record` has too few
    /// ids or ids of other kinds.
    func replacingIDs(with record: AppRecord) -> TypedAppEvent? {
      var given = AppMembers.IDs()
      given.given = record.ids[...]
      let type: any AppEvent.Type = Swift.type(of: event)
      return try? Self.read(type, record, &given)
    }
  }

  /// A failure that an event store outside this module reports, such as a database on a server.
  ///
  /// Two failures are equal if their descriptions are equal.
  ///
  /// The failure contains an existential value, so Swift passes `LogError` and `UseCaseError` in
  /// memory and not in registers. This avoids a crash of Swift 6.3 at `do { … } catch
  /// UseCaseError.refused(.profileExists) {}`. `CatchTests` covers the ways to catch errors.
  public struct StoreFailure: Error, Equatable, CustomStringConvertible {
    /// The error of the store.
    public var reason: any StoreError

    /// Creates a failure from a store's error.
    public init(_ reason: any StoreError) { self.reason = reason }

    public var description: String { reason.description }

    public static func == (a: Self, b: Self) -> Bool { a.description == b.description }
  }

  /// A value behind a lock, so that several threads may change it.
  package struct Guarded<Value: Sendable>: ~Copyable, Sendable {
    private let value: Mutex<Value>

    package init(_ value: Value) { self.value = Mutex(value) }

    package func withLock<T: Sendable>(_ body: (inout sending Value) -> sending T) -> T {
      value.withLock(body)
    }
  }
#else
  /// A set of the app's own event types that are decoded; in Embedded Swift it is always empty.
  public struct AppEventTypes: Sendable {
    /// Creates an empty set of event types.
    public init() {}
    /// Whether the set contains no types; always true in Embedded Swift.
    public var isEmpty: Bool { true }
    /// Returns an empty set, because both sets are empty.
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

  /// A failure that an event store outside this module reports. In Embedded Swift, only the
  /// description of the store's error is kept.
  public struct StoreFailure: Error, Equatable, CustomStringConvertible {
    /// The description of the store's error.
    public let description: String

    /// Creates a failure from a store's error.
    public init(_ reason: some StoreError) { description = reason.description }
  }

  /// `@unchecked Sendable` because there is only one thread.
  package final class Guarded<Value: Sendable>: @unchecked Sendable {
    private var value: Value

    package init(_ value: Value) { self.value = value }

    package func withLock<T>(_ body: (inout Value) -> T) -> T { body(&value) }
  }
#endif
