/// An event type of an app, declared in the app's module and recorded beside the core's own.
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
/// A projection that lists the type in `appEvents` receives its events as Swift values. All other
/// code verifies, keeps and shows such events, but does not interpret them.
public protocol AppEvent: Equatable, Sendable {
  /// The name in the log's `type` field: the app's name, a dot, the type's name. It never changes.
  static var name: String { get }
  /// The schema version that this code writes: 1, 2, 3 …
  static var version: Int { get }
  /// Creates a blank event, to be overwritten by reading.
  init()
  /// Returns the name of the event's stream: two to four ids joined by slashes. The first is not a
  /// family of the core, such as `follow`.
  func stream(_ names: Names) -> String
  /// Reads or writes each field, in the log's order; one list serves both directions. A field in
  /// the log that the list lacks is a fault.
  mutating func code(with members: inout AppMembers) throws(LineFault)
  /// The fields that contain a person's words; empty by default.
  ///
  /// They are blanked when the log erases the actor or a user whom the event names: a text becomes
  /// `-`, a number 0, a list or an object empty.
  static var personal: [String] { get }
  /// Returns the data of an older version in the form of the current one.
  /// - Throws: `unknownVersion`; the default implementation throws it for every version.
  static func upcast(_ data: JSONValue, from version: Int) throws(LineFault) -> JSONValue
}

extension AppEvent {
  public static var personal: [String] { [] }

  public static func upcast(_ data: JSONValue, from version: Int) throws(LineFault) -> JSONValue {
    throw LineFault(.unknownVersion(type: name, version: version), path: "v")
  }

  /// Reads the data of an event that has schema version `version`.
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

  /// Returns the event's data as canonical JSON.
  func data(_ names: Names) -> [UInt8] {
    var (copy, members) = (self, AppMembers(writing: names))
    // Writing never throws.
    try? copy.code(with: &members)
    var out = ByteBuffer()
    out.append(.object(members.found))
    return out.array
  }
}

/// Reads or writes the fields of an app's event by name.
public struct AppMembers {
  /// Maps ids to numbers: those of a table, or those given in the order of reading.
  struct IDs {
    var names = Names()
    var read: [AnyID] = []
    var given: ArraySlice<AnyID>?
  }

  /// The fields to read, or those written so far.
  fileprivate private(set) var found: [JSONValue.Member]
  private var asked: [String] = []
  fileprivate var ids = IDs()
  /// Whether the fields are read; otherwise they are written.
  public let isReading: Bool

  fileprivate init(reading members: [JSONValue.Member]) {
    (found, isReading) = (members, true)
  }

  fileprivate init(writing names: Names) {
    (found, isReading) = ([], false)
    ids.names = names
  }

  /// Reads or writes a required field.
  /// - Throws: When reading, `missingMember` and `wrongType`.
  public mutating func callAsFunction<V: AppValue>(
    _ name: String, _ value: inout V
  ) throws(LineFault) {
    var optional: V? = value
    try self(name, &optional)
    guard let optional else { throw LineFault(.missingMember, path: "data.\(name)") }
    value = optional
  }

  /// Reads or writes an optional field.
  /// - Throws: When reading, `wrongType`.
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

  /// Throws `unknownMember` if a field has not been read.
  fileprivate func end() throws(LineFault) {
    if let other = found.first(where: { !asked.contains($0.name) }) {
      throw LineFault(.unknownMember, path: "data.\(printable(other.name))")
    }
  }

  /// Returns the number of an id; nil if the text is not a valid id.
  public mutating func id<ID: DenseID>(_ name: String, _: ID.Type = ID.self) -> ID? {
    // Uses the next given number if there are any, otherwise the table's.
    if ids.given != nil {
      guard let next = ids.given?.popFirst(), next.kind == ID.kind else { return nil }
      return ID(index: next.index)
    }
    guard let id = try? ids.names.intern(name, ID.kind) else { return nil }
    ids.read.append(id)
    return ID(index: id.index)
  }
}
