/// An event type that an app declares in its own module. Its events are recorded in the same log as
/// those of the core.
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
/// code checks, stores and shows such events, but does not interpret them.
public protocol AppEvent: Equatable, Sendable {
  /// The event type's name in the log's `type` field: the app's name, a dot and the type's name.
  /// Never change it.
  static var name: String { get }
  /// The schema version of the data that this code writes: 1, 2, 3 …
  static var version: Int { get }
  /// Creates a blank event, which reading then overwrites.
  init()
  /// Returns the name of the event's stream: two to four ids joined by slashes. The first id must
  /// not be the name of a family of the core, such as `follow`.
  func stream(_ names: Names) -> String
  /// Passes each property to `members`, which reads or writes it as a field of the event's data.
  /// The order of the calls is the order of the fields in the log. Reading fails if the data has a
  /// field that this method does not pass.
  mutating func code(with members: inout AppMembers) throws(LineFault)
  /// The names of the fields that contain a person's words; empty by default.
  ///
  /// Erasing a user blanks these fields, if the user is the event's actor or the event names the
  /// user. A text becomes `-`, a number 0, and a list or object empty.
  static var personal: [String] { get }
  /// Converts an event's data from an older schema version to the current one.
  /// - Throws: `unknownVersion` for a version that it cannot convert. The default implementation
  ///   throws it for every version.
  static func upcast(_ data: JSONValue, from version: Int) throws(LineFault) -> JSONValue
}

extension AppEvent {
  public static var personal: [String] { [] }

  public static func upcast(_ data: JSONValue, from version: Int) throws(LineFault) -> JSONValue {
    throw LineFault(.unknownVersion(type: name, version: version), path: "v")
  }

  /// Reads an event from its data, which has schema version `version`.
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
    // Writing fields never throws an error.
    try? copy.code(with: &members)
    var out = ByteBuffer()
    out.append(.object(members.found))
    return out.array
  }
}

/// Reads or writes the fields in the data of an app's own event, by name.
public struct AppMembers {
  /// Maps ids to dense numbers. If `given` is nil, the table `names` assigns the numbers. Otherwise
  /// the numbers in `given` are used, in the order in which the fields are read.
  struct IDs {
    var names = Names()
    var read: [AnyID] = []
    var given: ArraySlice<AnyID>?
  }

  /// When reading, all fields of the data; when writing, the fields written so far.
  fileprivate private(set) var found: [JSONValue.Member]
  private var asked: [String] = []
  fileprivate var ids = IDs()
  /// Whether the event's fields are read; otherwise they are written.
  public let isReading: Bool

  fileprivate init(reading members: [JSONValue.Member]) {
    (found, isReading) = (members, true)
  }

  fileprivate init(writing names: Names) {
    (found, isReading) = ([], false)
    ids.names = names
  }

  /// Reads or writes a required field.
  /// - Throws: When reading, `missingMember` if the field is absent, and `wrongType` if its value
  ///   has another form.
  public mutating func callAsFunction<V: AppValue>(
    _ name: String, _ value: inout V
  ) throws(LineFault) {
    var optional: V? = value
    try self(name, &optional)
    guard let optional else { throw LineFault(.missingMember, path: "data.\(name)") }
    value = optional
  }

  /// Reads or writes an optional field.
  /// - Throws: When reading, `wrongType` if the field's value has another form.
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

  /// Ends the reading of an event. Throws `unknownMember` if its data has a field that was not
  /// read.
  fileprivate func end() throws(LineFault) {
    if let other = found.first(where: { !asked.contains($0.name) }) {
      throw LineFault(.unknownMember, path: "data.\(printable(other.name))")
    }
  }

  /// Returns the dense number of the id with the text `name`; nil if the text is not a valid id.
  public mutating func id<ID: DenseID>(_ name: String, _: ID.Type = ID.self) -> ID? {
    // If `given` is set, use its next number; otherwise use the number in the table.
    if ids.given != nil {
      guard let next = ids.given?.popFirst(), next.kind == ID.kind else { return nil }
      return ID(index: next.index)
    }
    guard let id = try? ids.names.intern(name, ID.kind) else { return nil }
    ids.read.append(id)
    return ID(index: id.index)
  }
}
