import Aggregates
import Events
import Projections

/// The reports that users have made. Only services may ask for them.
public struct GetReports: Query {
  /// The input of `GetReports`.
  public struct Input: UseCaseInput {
    /// The maximum number of rows: 1 to 50, by default 20.
    public var limit: Int?
    /// The number of rows to skip at the start of the list; by default 0.
    public var offset: Int?
    /// The cursor of the previous page's last row; nil for the first page.
    public var after: PageCursor?

    /// Creates the input.
    public init(limit: Int? = nil, offset: Int? = nil, after: PageCursor? = nil) {
      (self.limit, self.offset, self.after) = (limit, offset, after)
    }

    public static var placeholder: Input { Input() }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.limit(&limit)
      try fields.offset(&offset)
      try fields.after(
        "Only rows after this one: the last row's time, a comma, and its report.", &after)
    }
  }

  /// A report in the answer of `GetReports`.
  public struct Row: Answer {
    /// The report's id.
    public var report: String
    /// The id of the user who made the report.
    public var user: String
    /// The kind of the reported content.
    public var kind: Choice<ReportedContent.Kind>
    /// The id of the reported content.
    public var id: String
    /// The reason that the user gave.
    public var reason: String
    /// The time of the report.
    public var time: Timestamp
    /// The outcome with which the report was closed; nil while the report is open.
    public var outcome: Choice<ReportOutcome>?

    public static var schema: String? { "ReportRow" }
    public static var placeholder: Row {
      Row(report: "", user: "", kind: .placeholder, id: "", reason: "", time: .epoch)
    }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("report", "The report's id.", &report)
      try fields.required("user", "The id of the user who made the report.", &user)
      try fields.required("kind", "The kind of the reported content.", &kind)
      try fields.required("id", "The id of the reported content.", &id)
      try fields.required("reason", "The reason that the user gave.", &reason)
      try fields.required("time", "The time of the report.", &time)
      try fields.nullable(
        "outcome", "The outcome with which the report was closed; null while the report is open.",
        &outcome)
    }
  }

  public static let about = About(
    "GetReports", .reports, "List the reports of users; only for services",
    result: "report, user, kind, id, reason, time and outcome, the newest first",
    errors: ["notAuthorized", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [Row] {
    guard caller.service != nil else {
      throw .refused(caller.user == nil ? .unauthorized : .notAuthorized)
    }
    let reports = model.views.all.reports
    let behind = rest(
      of: Array(reports.all.reversed()), after: input.after, time: { reports[$0]?.time },
      key: { model.names[$0] })
    let page = behind.dropFirst(max(input.offset ?? 0, 0))
      .prefix(clamped(input.limit))
    return page.compactMap { id in
      reports[id].map { report in
        Row(
          report: model.names[id], user: model.names[report.user],
          kind: .known(report.content.kind),
          id: model.names[report.content.id], reason: report.reason, time: report.time,
          outcome: report.outcome.map(Choice.known))
      }
    }
  }
}
