import Aggregates
import Events
import Projections

/// What users have reported; only for services.
public struct GetReports: Query {
  public struct Input: UseCaseInput {
    public var limit: Int?
    public var offset: Int?
    public var after: PageCursor?

    public init(limit: Int? = nil, offset: Int? = nil, after: PageCursor? = nil) {
      (self.limit, self.offset, self.after) = (limit, offset, after)
    }

    public init(from fields: inout Fields) throws(InputError) {
      limit = try fields.limit()
      offset = try fields.offset()
      after = try fields.after(
        "Only rows behind this one: the last row's time, a comma, and its report.")
    }
  }

  public struct Row: Answer {
    public var report: String
    /// Who reported.
    public var user: String
    public var kind: ReportedContent.Kind
    public var id: String
    public var reason: String
    public var time: Timestamp
    /// Nil while it is open.
    public var outcome: ReportOutcome?

    public var json: JSONValue {
      .object([
        "report": .string(report), "user": .string(user), "kind": .string(kind.rawValue),
        "id": .string(id), "reason": .string(reason), "time": .string("\(time)"),
        "outcome": .optional(outcome?.rawValue),
      ])
    }
  }

  public static let about = About(
    "GetReports", .reports, "As a service, list what users have reported",
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
          report: model.names[id], user: model.names[report.user], kind: report.content.kind,
          id: model.names[report.content.id], reason: report.reason, time: report.time,
          outcome: report.outcome)
      }
    }
  }
}
