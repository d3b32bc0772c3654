import Events
import Projections
import TimeMachine

extension ProjectedState {
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
