/// The fields of an event type's data, in order. The schema is derived by running the code that
/// reads the data.
///
/// ```swift
/// Schema(.userFollowed).members.map { $0.name }  // ["follower", "followee"]
/// ```
public struct Schema: Equatable, Sendable {
  /// A field of an event's data.
  public struct Member: Equatable, Sendable {
    /// Whether a field is required (`required`), optional (`optional`), or optional with null for
    /// “cleared” (`patch`).
    public enum Presence: String, Sendable { case required, optional, patch }
    /// The field's name in JSON.
    public var name: String
    /// A description of the field's values, such as `user id`.
    public var type: String
    /// Whether the field may be absent or null.
    public var presence: Presence
  }

  /// The fields, in the order in which events are written.
  public let members: [Member]

  /// The names of the fields, in order.
  public var names: [String] { members.map { $0.name } }

  /// Creates the current schema of an event type; for an app's own type it has no fields.
  public init(_ type: EventType) {
    if type == .app {
      members = []
      return
    }
    self = Schema { (r) throws(LineFault) in _ = try Event(type, from: &r) }
  }

  /// The schema of one interval in the data of `WorkoutDetailAttached`.
  public static let interval = Schema { (r) throws(LineFault) in _ = try Interval(from: &r) }

  private init(_ read: (inout SchemaReader) throws(LineFault) -> Void) {
    var reader = SchemaReader()
    do { try read(&reader) } catch { preconditionFailure("the schema reader refuses nothing") }
    members = reader.members
  }

  /// The schemas of the core's event types, indexed by the types' raw values.
  static let all: [Schema] = EventType.allCases.map { Schema($0) }
}

/// A coder that reads no data. It only records the fields that an event's `code` method passes to
/// it.
private struct SchemaReader: MemberCoder {
  var members: [Schema.Member] = []

  private mutating func add(
    _ name: StaticString, _ presence: Schema.Member.Presence, _ type: StaticString
  ) {
    members.append(.init(name: "\(name)", type: "\(type)", presence: presence))
  }
  mutating func callAsFunction<V: WireValue>(_ name: StaticString, _: inout V) {
    add(name, .required, V.schema)
  }
  mutating func callAsFunction<V: WireValue>(_ name: StaticString, _: inout V?) {
    add(name, .optional, V.schema)
  }
  mutating func callAsFunction<V: WireValue>(_ name: StaticString, _: inout Patch<V>) {
    add(name, .patch, V.schema)
  }
  mutating func id(_ name: StaticString, _: inout AnyID, of _: IDKind) {
    add(name, .required, "id of that kind")
  }
}
