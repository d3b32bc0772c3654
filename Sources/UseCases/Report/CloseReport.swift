import Events

/// Closes a report; what is removed with it names the closing as its cause.
public struct CloseReport: Command {
  public struct Input: UseCaseInput {
    public var report: String
    public var outcome: ReportOutcome

    public init(report: String, outcome: ReportOutcome) {
      self.report = report
      self.outcome = outcome
    }

    public init(from fields: inout Fields) throws(InputError) {
      report = try fields.required("report", "Which report.")
      outcome = try fields.required(
        "outcome",
        "removed: the item, comment or message is removed, a group deleted, or what a profile says."
      )
    }
  }

  public static let about = About(
    "CloseReport", .reports, "As a service, close a report, and perhaps remove what was reported",
    errors: ["reportNotFound", "notAuthorized", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actorOrService()
    let id = try model.report(input.report)
    let closed = ReportClosed(report: id, outcome: input.outcome)
    guard try model.decide(ReportEvent.closed(closed), by: actor) != nil else { return Nothing() }
    guard input.outcome == .removed, let content = model.society.content(of: id) else {
      return Nothing()
    }
    model.draft.cause = model.draft.events.count - 1
    defer { model.draft.cause = nil }
    for event in model.society.removals(of: content) { try model.decide(event, by: actor) }
    return Nothing()
  }
}
