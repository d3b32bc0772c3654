/// The members of an event's data, in order, recorded from the code that reads them.
///
/// ```swift
/// Schema(.userFollowed).members.map { $0.name }  // ["follower", "followee"]
/// ```
public struct Schema: Equatable, Sendable {
  /// A member of the data.
  public struct Member: Equatable, Sendable {
    /// Whether a member is required, optional, or optional with null for “cleared”.
    public enum Presence: String, Sendable { case required, optional, patch }
    /// The member's name on the wire.
    public var name: String
    /// A description of its values, such as `user id`.
    public var type: String
    /// Whether the member may be absent or null.
    public var presence: Presence
  }

  /// The members in the order of the wire.
  public let members: [Member]

  /// The members' names, in order.
  public var names: [String] { members.map { $0.name } }

  /// Creates the current schema of an event type; an app's own type has no members here.
  public init(_ type: EventType) {
    if type == .app {
      members = []
      return
    }
    self = Schema { (r) throws(LineFault) in _ = try Event(type, from: &r) }
  }

  /// The members of one interval of a workout's detail.
  public static let interval = Schema { (r) throws(LineFault) in _ = try Interval(from: &r) }

  private init(_ read: (inout SchemaReader) throws(LineFault) -> Void) {
    var reader = SchemaReader()
    do { try read(&reader) } catch { preconditionFailure("the schema reader refuses nothing") }
    members = reader.members
  }

  /// The schemas of all types, indexed by raw value.
  static let all: [Schema] = EventType.allCases.map { Schema($0) }
}

/// Reads nothing, and records the members that the code asks for.
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
