import Aggregates
import Events
import Projections
import UseCases

/// A table of the tables' interface: rows of the projections, as one viewer may see them.
///
/// ```swift
/// Table.named("follows")?.columns.map(\.name)
/// // ["id", "follower_id", "followee_id", "created_at", "updated_at", "deleted_at"]
/// ```
/// A table stores nothing. It reads its rows from a projection through its indexes, and asks the
/// rules about each row that it shows. A query that no index answers visits all rows, up to a
/// bound.
package final class Table: Sendable {
  /// The table's name.
  package let name: String
  /// A sentence about the rows.
  package let about: String
  /// The columns, in the order of `select=*`.
  package let columns: [Column]
  /// The indexes of the columns that identify a row.
  package let key: [Int]
  /// The columns whose values are keys of other tables.
  package let references: [Reference]
  let indexes: [Index]
  /// The use cases for writes; nil if the table cannot be written.
  package let writes: TableWrites?
  /// The index of texts; only profiles have one.
  let search: TextSearch?
  /// Visits the keys of all rows that a viewer might see, until `body` returns false.
  let visitAll: @Sendable (TableView, (RowKey) -> Bool) -> Void
  /// Returns whether the viewer may see a row, without reading its values.
  let isVisible: @Sendable (RowKey, TableView) -> Bool
  /// Returns a row's values in the wanted columns; nil if the viewer may not see the row.
  let values: @Sendable (RowKey, TableView, _ wanted: [Int]) -> [TableValue]?
  /// The part of the declaration that a mirror needs.
  let mirror: MirrorRows

  /// Declares a table.
  /// - Parameters:
  ///   - members: the columns, each with its value in an item.
  ///   - about: a sentence about the rows.
  ///   - key: the names of the columns that identify a row.
  ///   - mirror: the rows of a mirror that an event may change.
  ///   - writes: the use cases for writes.
  ///   - all: visits the keys of all rows that the viewer might see.
  ///   - isVisible: a quicker way to learn whether `item` is nil.
  ///   - item: returns what the columns read; nil if the viewer may not see the row.
  init<Item>(
    _ name: String, _ about: String, _ members: [Member<Item>], key: [String],
    mirror: MirrorRows, indexes: [NamedIndex] = [], search: TextSearch? = nil,
    writes: TableWrites? = nil,
    all: @escaping @Sendable (TableView, (RowKey) -> Bool) -> Void,
    isVisible: (@Sendable (RowKey, TableView) -> Bool)? = nil,
    item: @escaping @Sendable (RowKey, TableView) -> Item?
  ) {
    let columns = members.map(\.column)
    func place(_ column: String) -> Int {
      guard let index = columns.firstIndex(where: { $0.name == column }) else {
        preconditionFailure("\(name) has no column \(column)")
      }
      return index
    }
    (self.name, self.columns, self.search, visitAll) = (name, columns, search, all)
    (self.about, self.mirror, self.writes) = (about, mirror, writes)
    self.key = key.map(place)
    references = members.enumerated().compactMap { index, member in
      member.table.map {
        Reference(
          name: "\(name)_\(member.column.name)_fkey", column: index, table: $0,
          isOptional: member.column.isOptional, mayDangle: member.mayDangle)
      }
    }
    self.indexes = indexes.map { index in
      Index(
        columns: index.columns.map(place), isOpen: index.isOpen,
        newestBy: index.newestBy.map {
          Order(column: place($0.column), ifNull: $0.ifNull.map(place))
        }, estimate: index.estimate, visit: index.visit)
    }
    self.isVisible = isVisible ?? { item($0, $1) != nil }
    let getters = members.map(\.value)
    values = { key, view, wanted in
      guard let item = item(key, view) else { return nil }
      var values: [TableValue] = []
      values.reserveCapacity(wanted.count)
      for column in wanted { values.append(getters[column](item, view)) }
      return values
    }
  }

  /// A column of a table.
  package struct Column: Sendable {
    /// The column's name.
    package let name: String
    /// The type of the column's values. Each may also be null in a row that the viewer sees only in
    /// part.
    package let type: ColumnType
    /// A sentence about the values.
    package let about: String
    /// Whether a value may be null in a row that the viewer sees in full.
    package let isOptional: Bool
    /// Whether the values depend on the viewer, so that a mirror has no such column.
    package let isViewers: Bool
  }

  /// A column that names a row of another table.
  package struct Reference: Sendable {
    /// The name of the foreign key: TABLE_COLUMN_fkey, as PostgreSQL names it.
    package let name: String
    /// The index of the column.
    package let column: Int
    /// The name of the other table, whose key is one column.
    package let table: String
    /// Whether the column may be null, so that a row may have no row of the other table.
    package let isOptional: Bool
    /// Whether the value stays when the other row is removed. A mirror then has no foreign key.
    let mayDangle: Bool
  }

  /// A column by which the rows of a visit are sorted.
  struct Order: Sendable {
    let column: Int
    /// The column that must be null in all rows, or else the order is another; nil if none must.
    let ifNull: Int?
  }

  /// A way to find rows by their values in some columns.
  struct Index: Sendable {
    /// The indexes of the columns whose values select the rows.
    let columns: [Int]
    /// Whether callers who are not signed in may use the index: it finds one item, not a list.
    let isOpen: Bool
    /// The columns by which the visited rows are sorted, the greatest value first.
    let newestBy: [Order]
    /// Returns about how many rows a visit reaches.
    let estimate: @Sendable ([TableValue], TableView) -> Int
    /// Visits the keys of the rows with these values, until `body` returns false.
    let visit: @Sendable ([TableValue], TableView, (RowKey) -> Bool) -> Void
  }

  /// An index that finds rows whose text contains a text, ignoring case and diacritics.
  struct TextSearch: Sendable {
    /// The indexes of the texts' columns; a row is found if one of them contains the text.
    let columns: [Int]
    /// The column that sorts the found rows, the least first.
    let sortedBy: Int
    /// Returns the first rows of the index that contain a text, at most `limit`.
    let find: @Sendable (String, _ limit: Int, TableView) -> [RowKey]
    /// Returns the rows that may meet a condition and are not in the index; nil if the index cannot
    /// answer the condition.
    let others: @Sendable (TableCondition, TableView) -> [RowKey]?
  }

  /// Returns the index of a column; nil if there is no such column.
  package func column(_ name: String) -> Int? { columns.firstIndex { $0.name == name } }
}

/// The type of a column, with its name in PostgreSQL.
package enum ColumnType: String, Sendable {
  case text, uuid, date
  case bool = "boolean"
  case integer = "bigint"
  case double = "double precision"
  case time = "timestamp with time zone"
  case json = "jsonb"
  /// A user's id: a text. If it is a UUID, its case is ignored.
  case user
}

/// A value in a row.
package enum TableValue: Equatable, Sendable {
  case null
  case text(String)
  case int(Int64)
  case double(Double)
  case bool(Bool)
  case time(Timestamp)
  case json(JSONValue)

  static func optional(_ text: String?) -> TableValue { text.map { .text($0) } ?? .null }
  static func optional(_ number: Int?) -> TableValue { number.map { .int(Int64($0)) } ?? .null }
  static func optional(_ time: Timestamp?) -> TableValue { time.map { .time($0) } ?? .null }
  static func optional(_ flag: Bool?) -> TableValue { flag.map { .bool($0) } ?? .null }

  var text: String? { if case .text(let text) = self { text } else { nil } }
}

/// The dense ids that identify a row within its table.
struct RowKey: Hashable, Sendable {
  var a: UInt32
  var b: UInt32 = 0
  var c: UInt32 = 0

  init(_ a: some DenseID) { self.a = a.index }
  init(_ a: some DenseID, number: UInt32) { (self.a, b) = (a.index, number) }
  init(_ a: some DenseID, _ b: some DenseID, _ c: UInt32 = 0) {
    (self.a, self.b, self.c) = (a.index, b.index, c)
  }
  /// A key from a position in the log.
  init(seq: UInt64) {
    (a, b) = (UInt32(truncatingIfNeeded: seq >> 32), UInt32(truncatingIfNeeded: seq))
  }

  var user: UserID { UserID(index: a) }
  var other: UserID { UserID(index: b) }
  var workout: WorkoutID { WorkoutID(index: a) }
  var comment: CommentID { CommentID(index: a) }
  var group: GroupID { GroupID(index: a) }
  var report: ReportID { ReportID(index: a) }
  var message: MessageID { MessageID(index: a) }
  var seq: UInt64 { UInt64(a) << 32 | UInt64(b) }
}

/// The state and the viewer that a query of tables reads. It is a class, because it keeps how much
/// the viewer sees of each user.
final class TableView {
  let model: Model
  let viewer: Viewer
  /// Whether the view is a mirror's: it has the rows of all users, and no viewer.
  let isMirror: Bool
  /// The viewer, if it is a user.
  let me: UserID?
  /// Whether the caller may read lists, and not only single items by their ids.
  let mayList: Bool
  let followIDs: FollowIDs
  let sports: SportNumbers
  /// Returns whether nobody waits for the answer any more.
  let isGone: () -> Bool
  private var visibilities: [UserID: ProfileVisibility] = [:]

  init(
    _ model: Model, _ caller: Caller, _ followIDs: FollowIDs,
    isGone: @escaping () -> Bool = { false }
  ) {
    (self.model, self.followIDs, isMirror, self.isGone) = (model, followIDs, false, isGone)
    sports = SportNumbers()
    viewer = model.viewer(caller)
    mayList = caller.user != nil || caller.service != nil || model.rules.listing != .signedIn
    if case .user(let user) = viewer { me = user } else { me = nil }
  }

  /// Creates the view of a mirror. Views of the same rows share the last two arguments.
  init(mirroring model: consuming Model, _ followIDs: FollowIDs, _ sports: SportNumbers) {
    (self.model, self.followIDs, isMirror, isGone) = (model, followIDs, true, { false })
    self.sports = sports
    (viewer, me, mayList) = (.service, nil, true)
  }

  func user(_ value: TableValue) -> UserID? { value.text.flatMap { model.existing($0) } }
  func name(_ id: some DenseID) -> TableValue { .text(model.names[id]) }
  func isHidden(_ user: UserID) -> Bool { visibility(of: user) == .hidden }

  /// Returns how much of a user's profile the viewer sees. A query asks several times about the
  /// same user, so the view keeps the answers.
  func visibility(of user: UserID) -> ProfileVisibility {
    if isMirror { return model.views.isOpen(user) ? .full : .hidden }
    if let known = visibilities[user] { return known }
    let visibility = model.visibility(of: user, viewer)
    visibilities[user] = visibility
    return visibility
  }

  /// Returns a workout that the viewer may see; nil for others.
  func workout(_ id: WorkoutID) -> WorkoutShared? {
    model.views.workout(id).flatMap { model.sees($0, viewer) ? $0 : nil }
  }

  /// Calls `body` with each user that the log names, until it returns false.
  @discardableResult
  func visitUsers(_ body: (UserID) -> Bool) -> Bool {
    (0..<UInt32(model.names.userCount)).visit { body(UserID(index: $0)) }
  }

  func find<ID: DenseID>(_ value: TableValue) -> ID? {
    value.text.flatMap { model.views.find($0, in: model.names) }
  }
}

/// The numbers of sports in row keys. Sports have no dense ids, because there are only a few.
final class SportNumbers {
  private var sports: [SportID] = []

  /// Returns the sport with a number; nil if there is none.
  subscript(number: UInt32) -> SportID? { sports.dropFirst(Int(number)).first }

  /// Returns the number of a sport.
  func number(of sport: SportID) -> UInt32 {
    if let index = sports.firstIndex(of: sport) { return UInt32(index) }
    sports.append(sport)
    return UInt32(sports.count - 1)
  }
}

// Declarations of tables.
extension Table {
  /// A column's declaration: its name, its type, and its value in an item.
  struct Member<Item>: Sendable {
    let column: Column
    let table: String?
    let mayDangle: Bool
    let value: @Sendable (Item, TableView) -> TableValue

    init(
      _ name: String, _ type: ColumnType, _ about: String, references table: String? = nil,
      isOptional: Bool = false, mayDangle: Bool = false, isViewers: Bool = false,
      _ value: @escaping @Sendable (Item, TableView) -> TableValue
    ) {
      column = Column(
        name: name, type: type, about: about, isOptional: isOptional, isViewers: isViewers)
      (self.table, self.mayDangle, self.value) = (table, mayDangle, value)
    }
  }

  /// An index's declaration, with the names of its columns.
  struct NamedIndex {
    let columns: [String]
    var isOpen = false
    var newestBy: [(column: String, ifNull: String?)] = []
    var estimate: @Sendable ([TableValue], TableView) -> Int = { _, _ in 1 }
    let visit: @Sendable ([TableValue], TableView, (RowKey) -> Bool) -> Void
  }
}

extension Sequence {
  /// Calls `body` with each element until it returns false. Returns true if `body` never did.
  @discardableResult
  func visit(_ body: (Element) -> Bool) -> Bool { !contains { !body($0) } }
}
