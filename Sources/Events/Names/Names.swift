/// An interner for ids: each gets a dense number among those of its kind, in order of appearance.
///
/// ```swift
/// var names = Names()
/// let alice = try names.user("alice")  // index 0
/// names[alice]                         // "alice"
/// names.find(user: "bob")              // nil: looking up adds nothing
/// ```
///
/// One table belongs to one log: whatever decodes, projects or encodes that log's events uses the
/// same table. It only grows for those who use it, and a number keeps its name. It is not a set of
/// the users that exist: ids that events merely mention are in it too.
public struct Names: Sendable {
  var users = NameTable(foldsUUIDs: true)
  var workouts = NameTable()
  var comments = NameTable()
  var groups = NameTable()
  var messages = NameTable()
  var reports = NameTable()
  /// The types of an app's events that what decodes with this table reads typed.
  public var appEvents = AppEventTypes()

  public init() {}

  /// The number of `name`; a new name gets the next one. The same for each kind of ids.
  /// - Throws: `InvalidID` if the text cannot be an id.
  public mutating func user(_ name: String) throws(InvalidID) -> UserID { try id(name) }
  public mutating func workout(_ name: String) throws(InvalidID) -> WorkoutID { try id(name) }
  public mutating func comment(_ name: String) throws(InvalidID) -> CommentID { try id(name) }
  public mutating func group(_ name: String) throws(InvalidID) -> GroupID { try id(name) }
  public mutating func message(_ name: String) throws(InvalidID) -> MessageID { try id(name) }
  public mutating func report(_ name: String) throws(InvalidID) -> ReportID { try id(name) }

  private mutating func id<ID: DenseID>(_ name: String) throws(InvalidID) -> ID {
    ID(index: try Self.intern(name, in: &self[table: ID.kind]))
  }

  /// The number of an id of any kind; a new one gets the next.
  /// - Throws: `InvalidID` if the text cannot be an id.
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

  /// The number of `name`; nil if the table has not met it.
  public func find(user name: String) -> UserID? { find(name) }
  public func find(workout name: String) -> WorkoutID? { find(name) }
  public func find(comment name: String) -> CommentID? { find(name) }
  public func find<ID: DenseID>(_ name: String, as _: ID.Type = ID.self) -> ID? {
    find(name, ID.kind).map { ID(index: $0.index) }
  }

  /// The number of `name`; nil if the table has not met it.
  public func find(_ name: String, _ kind: IDKind) -> AnyID? {
    var name = name
    return name.withUTF8 { name in withTable(kind) { $0.find(name) } }.map { AnyID(kind, $0) }
  }

  /// The number of a user whom a caller names: of a UUID that the table has not met in this case,
  /// that of its other spelling.
  public func resolve(user name: String) -> UserID? {
    if let user = find(user: name) { return user }
    guard EventID(name) != nil else { return nil }
    var name = name
    return name.withUTF8 { users.findAnyCase($0) }.map { UserID(index: $0) }
  }

  /// How a user whom a caller names is written: as the table has it; a new UUID in lower case.
  public func spelling(ofUser name: String) -> String {
    if let user = resolve(user: name) { return self[user] }
    return EventID(name) == nil ? name : name.lowercased()
  }

  /// The users whose id is a UUID that an earlier user has in another case.
  /// - Complexity: O(users).
  public var usersInTwoCases: Set<UserID> {
    var found: Set<UserID> = []
    for index in 0..<UInt32(userCount) {
      let other = users.withBytes(index) { EventID($0) == nil ? nil : users.findAnyCase($0) }
      if let other, other != index { found.insert(UserID(index: max(index, other))) }
    }
    return found
  }

  public subscript<ID: DenseID>(id: ID) -> String {
    withTable(ID.kind) { $0.name(id.index) }
  }
  public subscript(id: AnyID) -> String {
    withTable(id.kind) { $0.name(id.index) }
  }

  /// How many ids of a kind the table has met; valid indices are below it.
  public func count(of kind: IDKind) -> Int { withTable(kind) { $0.count } }

  /// All ids of a kind, in order of appearance.
  public func all<ID: DenseID>(_: ID.Type) -> [ID] {
    (0..<UInt32(count(of: ID.kind))).map { ID(index: $0) }
  }

  /// The texts of all ids of a kind, in order of appearance.
  public func all(of kind: IDKind) -> some Sequence<String> {
    (0..<UInt32(count(of: kind))).lazy.map { self[AnyID(kind, $0)] }
  }

  /// How many user ids the table has met; valid indices are below it.
  public var userCount: Int { users.count }
  public var workoutCount: Int { workouts.count }
  public var commentCount: Int { comments.count }

  /// How many ids of all kinds the table has met.
  var idCount: Int { IDKind.allCases.reduce(0) { $0 + count(of: $1) } }

  /// Forgets all ids, whose numbers then mean nothing, and keeps the tables' memory.
  mutating func removeAll() {
    for kind in IDKind.allCases { self[table: kind].removeAll() }
  }

  /// Whether the first id comes before the second, compared as bytes.
  public func precedes(_ a: UserID, _ b: UserID) -> Bool { users.precedes(a.index, b.index) }
}

extension Names {
  /// Calls `body` with the table of one kind of ids, which is not copied for it.
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

  /// The table of one kind of ids, to be changed; getting it copies it.
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

  /// Encodes the tables into a checkpoint, or decodes them from one.
  package mutating func code(with coder: inout StateCoder) {
    coder.part("names", version: 4) { coder in
      for kind in IDKind.allCases { self[table: kind].code(with: &coder) }
    }
  }
}
