/// A table that gives each id a dense number: 0, 1, 2 … for the ids of each kind, in order of
/// appearance.
///
/// ```swift
/// var names = Names()
/// let alice = try names.user("alice")  // index 0
/// names[alice]                         // "alice"
/// names.find(user: "bob")              // nil: looking up adds nothing
/// ```
///
/// Each log has one table. All code that decodes, projects or encodes the log's events uses this
/// table. The table only grows while it is in use, and each number always stands for the same id.
/// It also contains ids that events only mention, so it is not a list of existing users.
public struct Names: Sendable {
  var users = NameInterner(foldsUUIDs: true)
  var workouts = NameInterner()
  var comments = NameInterner()
  var groups = NameInterner()
  var messages = NameInterner()
  var reports = NameInterner()
  /// The app's own event types. Code that decodes events with this table turns events of these
  /// types into Swift values.
  public var appEvents = AppEventTypes()

  /// Creates a table without ids.
  public init() {}

  /// Returns a user's id as its dense number; a new id gets the next number.
  /// - Throws: `InvalidID` if the text is not a valid id.
  public mutating func user(_ name: String) throws(InvalidID) -> UserID { try id(name) }
  /// Returns a workout's id as its dense number, like `user(_:)`.
  public mutating func workout(_ name: String) throws(InvalidID) -> WorkoutID { try id(name) }
  /// Returns a comment's id as its dense number, like `user(_:)`.
  public mutating func comment(_ name: String) throws(InvalidID) -> CommentID { try id(name) }
  /// Returns a group's id as its dense number, like `user(_:)`.
  public mutating func group(_ name: String) throws(InvalidID) -> GroupID { try id(name) }
  /// Returns a message's id as its dense number, like `user(_:)`.
  public mutating func message(_ name: String) throws(InvalidID) -> MessageID { try id(name) }
  /// Returns a report's id as its dense number, like `user(_:)`.
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
    _ name: String, in table: inout NameInterner
  ) throws(InvalidID) -> UInt32 {
    guard isValidID(name) else { throw InvalidID() }
    var name = name
    return name.withUTF8 { table.intern($0) }
  }

  /// Returns the number of a user's id; nil if the table does not contain the id.
  public func find(user name: String) -> UserID? { find(name) }
  /// Returns the number of a workout's id; nil if the table does not contain the id.
  public func find(workout name: String) -> WorkoutID? { find(name) }
  /// Returns the number of a comment's id; nil if the table does not contain the id.
  public func find(comment name: String) -> CommentID? { find(name) }
  /// Returns the number of an id; nil if the table does not contain the id.
  public func find<ID: DenseID>(_ name: String, as _: ID.Type = ID.self) -> ID? {
    find(name, ID.kind).map { ID(index: $0.index) }
  }

  /// Returns the number of an id of a kind; nil if the table does not contain the id.
  public func find(_ name: String, _ kind: IDKind) -> AnyID? {
    var name = name
    return name.withUTF8 { name in withTable(kind) { $0.find(name) } }.map { AnyID(kind, $0) }
  }

  /// Returns the number of the user whose id a caller passed; nil if the table does not contain the
  /// user.
  ///
  /// If the table does not contain a UUID in this spelling, the function also finds it in another
  /// mix of upper and lower case.
  public func resolve(user name: String) -> UserID? {
    if let user = find(user: name) { return user }
    guard EventID(name) != nil else { return nil }
    var name = name
    return name.withUTF8 { users.findAnyCase($0) }.map { UserID(index: $0) }
  }

  /// Returns a user's id in the spelling that the table contains. If the id is new and a UUID,
  /// returns it in lower case.
  public func spelling(ofUser name: String) -> String {
    if let user = resolve(user: name) { return self[user] }
    return EventID(name) == nil ? name : name.lowercased()
  }

  /// The users whose id is the same UUID as an earlier user's id, but spelled in another case.
  /// - Complexity: O(the number of users).
  public var usersInTwoCases: Set<UserID> {
    var found: Set<UserID> = []
    for index in 0..<UInt32(userCount) {
      let other = users.withBytes(index) { EventID($0) == nil ? nil : users.findAnyCase($0) }
      if let other, other != index { found.insert(UserID(index: max(index, other))) }
    }
    return found
  }

  /// The text of the id with a dense number.
  public subscript<ID: DenseID>(id: ID) -> String {
    withTable(ID.kind) { $0.name(id.index) }
  }
  /// The text of an id of any kind, from its kind and dense number.
  public subscript(id: AnyID) -> String {
    withTable(id.kind) { $0.name(id.index) }
  }

  /// Returns how many ids of a kind the table contains. The dense numbers of these ids are below
  /// this count.
  public func count(of kind: IDKind) -> Int { withTable(kind) { $0.count } }

  /// Returns all ids of a kind as dense numbers, in order of appearance.
  public func all<ID: DenseID>(_: ID.Type) -> [ID] {
    (0..<UInt32(count(of: ID.kind))).map { ID(index: $0) }
  }

  /// Returns the texts of all ids of a kind, in order of appearance.
  public func all(of kind: IDKind) -> some Sequence<String> {
    (0..<UInt32(count(of: kind))).lazy.map { self[AnyID(kind, $0)] }
  }

  /// The number of user ids in the table. The dense numbers of users are below this number.
  public var userCount: Int { users.count }
  /// The number of workout ids in the table. The dense numbers of workouts are below this number.
  public var workoutCount: Int { workouts.count }
  /// The number of comment ids in the table. The dense numbers of comments are below this number.
  public var commentCount: Int { comments.count }

  /// The count of ids of all kinds in the table.
  var idCount: Int { IDKind.allCases.reduce(0) { $0 + count(of: $1) } }

  /// Removes all ids; keeps the table's memory for new ids. Dense numbers that were returned before
  /// become invalid.
  mutating func removeAll() {
    for kind in IDKind.allCases { self[table: kind].removeAll() }
  }

  /// Whether user `a`'s id sorts before user `b`'s id, compared as bytes.
  public func precedes(_ a: UserID, _ b: UserID) -> Bool { users.precedes(a.index, b.index) }
}

extension Names {
  /// Calls `body` with the table for one kind of id, without copying the table.
  @inline(__always)
  private func withTable<T>(_ kind: IDKind, _ body: (borrowing NameInterner) -> T) -> T {
    switch kind {
    case .user: body(users)
    case .workout: body(workouts)
    case .comment: body(comments)
    case .group: body(groups)
    case .message: body(messages)
    case .report: body(reports)
    }
  }

  /// The table for one kind of id. Use it to change the table in place; the getter copies the
  /// table.
  @inline(__always)
  subscript(table kind: IDKind) -> NameInterner {
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

  /// Returns a copy that keeps the present ids while this table grows, page by page. While it is
  /// made, no other copy may change.
  package func snapshot() -> Names {
    var (copy, coder) = (self, StateCoder(sharing: ()))
    copy.code(with: &coder)
    return copy
  }

  /// Writes the ids to a checkpoint or reads them from one.
  package mutating func code(with coder: inout StateCoder) {
    coder.part("names", version: 4) { coder in
      for kind in IDKind.allCases { self[table: kind].code(with: &coder) }
    }
  }
}
