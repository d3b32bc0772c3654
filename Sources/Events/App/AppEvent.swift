/// A type of event that belongs to an app, not to the core: the app's module declares it, and the
/// log keeps it beside the core's own.
///
/// ```swift
/// struct RouteSet: AppEvent {
///   static let name = "climbr.RouteSet", version = 1
///   var route = ""
///   var setter = UserID.blank
///   var note: String?
///
///   func stream(_ names: Names) -> String { "climbr.route/\(route)" }
///
///   mutating func code(with members: inout AppMembers) throws(LineFault) {
///     try members("route", &route)
///     try members("setter", &setter)
///     try members("note", &note)
///   }
/// }
/// ```
/// A projection of the app lists its types in `appEvents` and so gets them typed. Everything else
/// verifies such events, keeps and shows them, and passes over them.
public protocol AppEvent: Equatable, Sendable {
  /// The name in the log's `type` member: the app's, a dot, the type's. It never changes.
  static var name: String { get }
  /// The version of the members that this code writes: 1, 2, 3 …
  static var version: Int { get }
  /// Any event, to be overwritten by reading.
  init()
  /// The name of the stream that the event belongs to: two to four ids joined by slashes, of which
  /// the first is no family of the core's, such as `follow`.
  func stream(_ names: Names) -> String
  /// Reads or writes each member, in the order in which they stand in the log; one list serves both
  /// directions. A member of the log that is not in it is a fault.
  mutating func code(with members: inout AppMembers) throws(LineFault)
  /// The members with somebody's words in them, which go when the person who acted, or one whom the
  /// event names, is forgotten: a text becomes `-`, a number 0, a list or an object empty. None by
  /// default.
  static var personal: [String] { get }
  /// The data of an older version as the present one has it.
  /// - Throws: `unknownVersion`, which the default does for every version.
  static func upcast(_ data: JSONValue, from version: Int) throws(LineFault) -> JSONValue
}

extension AppEvent {
  public static var personal: [String] { [] }

  public static func upcast(_ data: JSONValue, from version: Int) throws(LineFault) -> JSONValue {
    throw LineFault(.unknownVersion(type: name, version: version), path: "v")
  }

  /// Reads the data of an event of a version.
  static func read(
    _ data: [UInt8], version: Int, _ ids: inout AppMembers.IDs
  ) throws(LineFault) -> Self {
    var value = try JSONValue(object: data)
    if version < Self.version { value = try upcast(value, from: version) }
    guard case .object(let found) = value else {
      throw LineFault(.wrongType(expected: "an object"), path: "data")
    }
    var members = AppMembers(reading: found)
    swap(&members.ids, &ids)
    defer { swap(&members.ids, &ids) }
    var event = Self()
    try event.code(with: &members)
    try members.end()
    return event
  }

  /// The canonical JSON of the event's data.
  func data(_ names: Names) -> [UInt8] {
    var (copy, members) = (self, AppMembers(writing: names))
    // Writing throws nothing.
    try? copy.code(with: &members)
    var out = ByteBuffer()
    out.append(.object(members.found))
    return out.array
  }
}

/// The members of an app's event, which it reads or writes by name.
public struct AppMembers {
  /// Gives ids their numbers: those of a table, or others given in the order of reading.
  struct IDs {
    var names = Names()
    var read: [AnyID] = []
    var given: ArraySlice<AnyID>?
  }

  /// When writing, what has been written.
  fileprivate private(set) var found: [JSONValue.Member]
  private var asked: [String] = []
  fileprivate var ids = IDs()
  public let isReading: Bool

  fileprivate init(reading members: [JSONValue.Member]) {
    (found, isReading) = (members, true)
  }

  fileprivate init(writing names: Names) {
    (found, isReading) = ([], false)
    ids.names = names
  }

  /// A member that must be there.
  /// - Throws: when reading, `missingMember` and `wrongType`.
  public mutating func callAsFunction<V: AppValue>(
    _ name: String, _ value: inout V
  ) throws(LineFault) {
    var optional: V? = value
    try self(name, &optional)
    guard let optional else { throw LineFault(.missingMember, path: "data.\(name)") }
    value = optional
  }

  /// A member that may be absent.
  /// - Throws: when reading, `wrongType`.
  public mutating func callAsFunction<V: AppValue>(
    _ name: String, _ value: inout V?
  ) throws(LineFault) {
    guard isReading else {
      if let value { found.append(JSONValue.Member(name, value.json(ids.names))) }
      return
    }
    asked.append(name)
    guard let member = found.first(where: { $0.name == name }) else {
      value = nil
      return
    }
    value = V(member.value, &self)
    if value == nil { throw LineFault(.wrongType(expected: V.expected), path: "data.\(name)") }
  }

  /// Refuses members that nobody asked for.
  fileprivate func end() throws(LineFault) {
    if let other = found.first(where: { !asked.contains($0.name) }) {
      throw LineFault(.unknownMember, path: "data.\(printable(other.name))")
    }
  }

  /// The number of an id; nil if the text cannot be one.
  public mutating func id<ID: DenseID>(_ name: String, _: ID.Type = ID.self) -> ID? {
    // The next of the numbers given, or that of the table.
    if ids.given != nil {
      guard let next = ids.given?.popFirst(), next.kind == ID.kind else { return nil }
      return ID(index: next.index)
    }
    guard let id = try? ids.names.intern(name, ID.kind) else { return nil }
    ids.read.append(id)
    return ID(index: id.index)
  }
}
