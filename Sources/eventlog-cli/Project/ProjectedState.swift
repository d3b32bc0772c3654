import Events
import Projections

/// The state that a question of `project` reads, at one revision.
struct ProjectedState: Sendable {
  var views: Reading
  var names: Names
  var head: LogHead
  /// The events of unknown types before it.
  var skipped: [UnknownType: Int] = [:]

  func find(user name: String) -> UserID? { views.find(user: name, in: names) }

  func handle(of user: UserID) -> Cell {
    (views.card(of: user)?.handle).map(Cell.text) ?? .null
  }

  func userCells(_ user: UserID) -> [Cell] {
    eventlog_cli.userCells(names[user], views.card(of: user))
  }

  /// A workout, and its owner, by handle if there is one.
  func workoutCells(_ workout: WorkoutShared) -> [Cell] {
    [.text(names[workout.workout]), .text(names[workout.owner]), handle(of: workout.owner)]
  }

  /// At most `limit` rows.
  func answer(_ rows: Rows, limit: Int? = nil, title: String? = nil) -> ProjectionAnswer {
    var rows = rows
    if let limit { rows.rows = Array(rows.rows.prefix(limit)) }
    return ProjectionAnswer(rows: rows, head: head, skipped: skipped, title: title)
  }
}

/// A projection that is made of some of the standard ones.
protocol PartOfViews: Projection {
  func give(to views: inout Views)
}

extension Profiles: PartOfViews {
  func give(to views: inout Views) { views.take(self) }
}

extension FollowLists: PartOfViews {
  func give(to views: inout Views) { views.take(self) }
}

extension Relationships: PartOfViews {
  func give(to views: inout Views) { views.take(self) }
}

extension Blocks: PartOfViews {
  func give(to views: inout Views) { views.take(self) }
}

extension Notifications: PartOfViews {
  func give(to views: inout Views) { views.take(self) }
}

extension Groups: PartOfViews {
  func give(to views: inout Views) { views.take(self) }
}

extension Conversations: PartOfViews {
  func give(to views: inout Views) { views.take(self) }
}

extension Pair: PartOfViews where First: PartOfViews, Second: PartOfViews {
  func give(to views: inout Views) {
    first.give(to: &views)
    second.give(to: &views)
  }
}

/// The answer of a projection, its revision, and the events skipped.
struct ProjectionAnswer: Sendable {
  var rows: Rows
  var head: LogHead
  var skipped: [UnknownType: Int]
  /// A line above a table.
  var title: String?

  /// Prints the rows and how many events were skipped.
  func write(_ format: Format) {
    if format == .table, let title { Output.line(styled(sanitized(title), .bold) + "\n") }
    rows.write(format, footer: asOf(head))
    noteSkipped(skipped)
  }
}
