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

extension EventData {
  /// Any value of the type.
  static var sample: Self {
    var reader = SchemaReader()
    do {
      return try Self(from: &reader)
    } catch {
      preconditionFailure("the reader of schemas throws nothing: \(error)")
    }
  }
}

private struct SchemaReader: MemberReader {
  var members: [Schema.Member] = []

  private mutating func add<V: WireValue>(
    _ name: StaticString, _ presence: Schema.Member.Presence, _: V.Type
  ) {
    members.append(.init(name: "\(name)", type: "\(V.schema)", presence: presence))
  }
  mutating func required<V: WireValue>(_ name: StaticString) -> V {
    add(name, .required, V.self)
    return V.blank
  }
  mutating func id(_ name: StaticString, of kind: IDKind) -> AnyID {
    members.append(.init(name: "\(name)", type: "id of that kind", presence: .required))
    return AnyID(kind, 0)
  }
  mutating func optional<V: WireValue>(_ name: StaticString) -> V? {
    add(name, .optional, V.self)
    return V.blank
  }
  mutating func patch<V: WireValue>(_ name: StaticString) -> Patch<V> {
    add(name, .patch, V.self)
    return .keep
  }
}
