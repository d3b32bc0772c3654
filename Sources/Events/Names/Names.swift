/// An interner for ids: gives each id a dense number within its kind, in order of appearance.
///
/// ```swift
/// var names = Names()
/// let alice = try names.user("alice")  // index 0
/// names[alice]                         // "alice"
/// names.find(user: "bob")              // nil: looking up adds nothing
/// ```
///
/// One table belongs to one log: all code that decodes, projects or encodes the log's events uses
/// the same table. The table only grows while it is in use, and a number keeps its name. It also
/// contains ids that events merely mention, so it is not a list of existing users.
public struct Names: Sendable {
  var users = NameTable(foldsUUIDs: true)
  var workouts = NameTable()
  var comments = NameTable()
  var groups = NameTable()
  var messages = NameTable()
  var reports = NameTable()
  /// The app's own event types that decoding with this table turns into Swift values.
  public var appEvents = AppEventTypes()

  /// Creates an empty table.
  public init() {}

  /// Returns the number of a user's id; a new id gets the next number.
  /// - Throws: `InvalidID` if the text is not a valid id.
  public mutating func user(_ name: String) throws(InvalidID) -> UserID { try id(name) }
  /// Returns the number of a workout's id, as `user(_:)` does.
  public mutating func workout(_ name: String) throws(InvalidID) -> WorkoutID { try id(name) }
  /// Returns the number of a comment's id, as `user(_:)` does.
  public mutating func comment(_ name: String) throws(InvalidID) -> CommentID { try id(name) }
  /// Returns the number of a group's id, as `user(_:)` does.
  public mutating func group(_ name: String) throws(InvalidID) -> GroupID { try id(name) }
  /// Returns the number of a message's id, as `user(_:)` does.
  public mutating func message(_ name: String) throws(InvalidID) -> MessageID { try id(name) }
  /// Returns the number of a report's id, as `user(_:)` does.
  public mutating func report(_ name: String) throws(InvalidID) -> ReportID { try id(name) }

  private mutating func id<ID: DenseID>(_ name: String) throws(InvalidID) -> ID {
    ID(index: try Self.intern(name, in: &self[table: ID.kind]))
  }

  /// Returns the number of an id of any kind; a new id gets the next number.
  /// - Throws: `InvalidID` if the text is not a valid id.
  public mutating func intern(_ name: String, _ kind: IDKind) throws(InvalidID) -> AnyID {
    AnyID(kind, try Self.intern(name, in: &self[table: kind]))
  }

  private static func intern(
    _ name: String, in table: inout NameTable
  ) throws(InvalidID) -> UInt32 {
    guard isValidID(name.utf8) else { throw InvalidID() }
    var name = name
    return name.withUTF8 { table.intern($0) }
  }

  /// Returns the number of a user's id; nil if the table does not contain it.
  public func find(user name: String) -> UserID? { find(name) }
  /// Returns the number of a workout's id; nil if the table does not contain it.
  public func find(workout name: String) -> WorkoutID? { find(name) }
  /// Returns the number of a comment's id; nil if the table does not contain it.
  public func find(comment name: String) -> CommentID? { find(name) }
  /// Returns the number of an id; nil if the table does not contain it.
  public func find<ID: DenseID>(_ name: String, as _: ID.Type = ID.self) -> ID? {
    find(name, ID.kind).map { ID(index: $0.index) }
  }

  /// Returns the number of an id of a kind; nil if the table does not contain it.
  public func find(_ name: String, _ kind: IDKind) -> AnyID? {
    var name = name
    return name.withUTF8 { name in withTable(kind) { $0.find(name) } }.map { AnyID(kind, $0) }
  }

  /// Returns the number of a user whom a caller names; nil if the table does not contain the user.
  ///
  /// If the table does not contain a UUID in this spelling, the same UUID in another case matches.
  public func resolve(user name: String) -> UserID? {
    if let user = find(user: name) { return user }
    guard EventID(name) != nil else { return nil }
    var name = name
    return name.withUTF8 { users.findAnyCase($0) }.map { UserID(index: $0) }
  }

  /// Returns the spelling of a user's id in the table; a new UUID becomes lower case.
  public func spelling(ofUser name: String) -> String {
    if let user = resolve(user: name) { return self[user] }
    return EventID(name) == nil ? name : name.lowercased()
  }

  /// The users whose id is the same UUID as an earlier user's, in another case.
  /// - Complexity: O(users).
  public var usersInTwoCases: Set<UserID> {
    var found: Set<UserID> = []
    for index in 0..<UInt32(userCount) {
      let other = users.withBytes(index) { EventID($0) == nil ? nil : users.findAnyCase($0) }
      if let other, other != index { found.insert(UserID(index: max(index, other))) }
    }
    return found
  }

  /// The text of an id.
  public subscript<ID: DenseID>(id: ID) -> String {
    withTable(ID.kind) { $0.name(id.index) }
  }
  /// The text of an id of any kind.
  public subscript(id: AnyID) -> String {
    withTable(id.kind) { $0.name(id.index) }
  }

  /// Returns the number of ids of a kind; valid indices are below it.
  public func count(of kind: IDKind) -> Int { withTable(kind) { $0.count } }

  /// Returns all ids of a kind, in order of appearance.
  public func all<ID: DenseID>(_: ID.Type) -> [ID] {
    (0..<UInt32(count(of: ID.kind))).map { ID(index: $0) }
  }

  /// Returns the texts of all ids of a kind, in order of appearance.
  public func all(of kind: IDKind) -> some Sequence<String> {
    (0..<UInt32(count(of: kind))).lazy.map { self[AnyID(kind, $0)] }
  }

  /// The number of user ids; valid indices are below it.
  public var userCount: Int { users.count }
  /// The number of workout ids; valid indices are below it.
  public var workoutCount: Int { workouts.count }
  /// The number of comment ids; valid indices are below it.
  public var commentCount: Int { comments.count }

  /// The number of ids of all kinds.
  var idCount: Int { IDKind.allCases.reduce(0) { $0 + count(of: $1) } }

  /// Removes all ids and keeps the tables' memory; numbers given out before become invalid.
  mutating func removeAll() {
    for kind in IDKind.allCases { self[table: kind].removeAll() }
  }

  /// Whether the first id sorts before the second, compared as bytes.
  public func precedes(_ a: UserID, _ b: UserID) -> Bool { users.precedes(a.index, b.index) }
}

extension Names {
  /// Calls `body` with the table of one kind of ids, without copying it.
  @inline(__always)
  private func withTable<T>(_ kind: IDKind, _ body: (borrowing NameTable) -> T) -> T {
    switch kind {
    case .user: body(users)
    case .workout: body(workouts)
    case .comment: body(comments)
    case .group: body(groups)
    case .message: body(messages)
    case .report: body(reports)
    }
  }

  /// The table of one kind of ids, for changing it in place; the getter copies it.
  @inline(__always)
  subscript(table kind: IDKind) -> NameTable {
    get { withTable(kind) { copy $0 } }
    _modify {
      switch kind {
      case .user: yield &users
      case .workout: yield &workouts
      case .comment: yield &comments
      case .group: yield &groups
      case .message: yield &messages
      case .report: yield &reports
      }
    }
  }

  /// Writes the tables to a checkpoint or reads them from one.
  package mutating func code(with coder: inout StateCoder) {
    coder.part("names", version: 4) { coder in
      for kind in IDKind.allCases { self[table: kind].code(with: &coder) }
    }
  }
}
