/// An interner for the ids of users, workouts and comments: each gets a dense number, in order of
/// appearance.
///
/// ```swift
/// var names = Names()
/// let alice = try names.user("alice")  // index 0
/// names[alice]                         // "alice"
/// names.find(user: "bob")              // nil: looking up adds nothing
/// ```
///
/// One table belongs to one log: whatever decodes, projects or encodes that log's events uses the
/// same table. It only grows, and a number keeps its name. It is not a set of the users that
/// exist: ids that events merely mention are in it too.
public struct Names: Sendable {
  var users = NameTable()
  var workouts = NameTable()
  var comments = NameTable()
  #if !hasFeature(Embedded)
    /// The types of an app's events that what decodes with this table reads typed.
    public var appEvents = AppEventTypes()
  #endif

  public init() {}

  /// The number of `name`; a new name gets the next one.
  /// - Throws: `InvalidID` if the text cannot be an id.
  public mutating func user(_ name: String) throws(InvalidID) -> UserID {
    UserID(index: try Self.intern(name, in: &users))
  }

  /// The number of `name`; a new name gets the next one.
  public mutating func workout(_ name: String) throws(InvalidID) -> WorkoutID {
    WorkoutID(index: try Self.intern(name, in: &workouts))
  }

  /// The number of `name`; a new name gets the next one.
  public mutating func comment(_ name: String) throws(InvalidID) -> CommentID {
    CommentID(index: try Self.intern(name, in: &comments))
  }

  private static func intern(
    _ name: String, in table: inout NameTable
  ) throws(InvalidID) -> UInt32 {
    guard isValidID(name.utf8) else { throw InvalidID() }
    var name = name
    return name.withUTF8 { table.intern($0) }
  }

  /// The number of `name`; nil if the table has not met it.
  public func find(user name: String) -> UserID? {
    var name = name
    return name.withUTF8 { users.find($0) }.map(UserID.init)
  }

  /// The number of `name`; nil if the table has not met it.
  public func find(workout name: String) -> WorkoutID? {
    var name = name
    return name.withUTF8 { workouts.find($0) }.map(WorkoutID.init)
  }

  /// The number of `name`; nil if the table has not met it.
  public func find(comment name: String) -> CommentID? {
    var name = name
    return name.withUTF8 { comments.find($0) }.map(CommentID.init)
  }

  public subscript(id: UserID) -> String { users.name(id.index) }
  public subscript(id: WorkoutID) -> String { workouts.name(id.index) }
  public subscript(id: CommentID) -> String { comments.name(id.index) }

  /// How many user ids the table has met; valid indices are below it.
  public var userCount: Int { users.count }
  public var workoutCount: Int { workouts.count }
  public var commentCount: Int { comments.count }

  /// Whether the first id comes before the second, compared as bytes.
  public func precedes(_ a: UserID, _ b: UserID) -> Bool { users.precedes(a.index, b.index) }
}

extension Names {
  /// Encodes the tables into a checkpoint, or decodes them from one.
  package mutating func code(with coder: inout StateCoder) {
    coder.part("names", version: 1) { coder in
      users.code(with: &coder)
      workouts.code(with: &coder)
      comments.code(with: &coder)
    }
  }
}
