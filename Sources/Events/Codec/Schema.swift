/// The members of an event's data, in order, recorded from the code that reads them.
///
/// ```swift
/// Schema(.userFollowed).members.map { $0.name }  // ["follower", "followee"]
/// ```
public struct Schema: Equatable, Sendable {
  public struct Member: Equatable, Sendable {
    public enum Presence: String, Sendable { case required, optional, patch }
    public var name: String
    public var type: String
    public var presence: Presence
  }

  public let members: [Member]

  public var names: [String] { members.map { $0.name } }

  /// The current schema of a type of event.
  /// One of an app's own has no schema here.
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

  /// The schema of each type, by raw value.
  static let all: [Schema] = EventType.allCases.map { Schema($0) }
}

/// Reads nothing, and records the members asked for.
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
