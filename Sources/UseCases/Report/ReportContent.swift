import Events

/// Reports what should not be there.
public struct ReportContent: Command {
  public struct Input: UseCaseInput {
    /// The report's id; a new one by default. The same report again under it changes nothing.
    public var report: String?
    public var kind: ReportedContent.Kind
    public var id: String
    public var reason: String

    public init(
      report: String? = nil, kind: ReportedContent.Kind, id: String, reason: String
    ) {
      (self.report, self.kind) = (report, kind)
      (self.id, self.reason) = (id, reason)
    }

    public init(from fields: inout Fields) throws(InputError) {
      report = try fields.optional("report", "The id to give it; a new one by default.")
      kind = try fields.required("kind", "What is reported.")
      id = try fields.required("id", "Its id.")
      reason = try fields.required("reason", "At most 1,000 characters.")
    }
  }

  public static let about = About(
    "ReportContent", .reports, "Report a profile, a workout, a comment, a message or a group",
    result: "the report's id",
    errors: [
      "profileNotFound", "workoutNotFound", "notVisible", "commentNotFound", "messageNotFound",
      "groupNotFound", "reasonTooLong", "notAuthorized", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> String {
    let actor = try model.actor()
    let name = try model.given(input.report, "report")
    let content = ReportedContent(input.kind, try model.content(input.id, input.kind))
    let report = ContentReported(
      report: try model.report(name), user: actor, content: content, reason: input.reason)
    try model.decide(ReportEvent.reported(report), by: actor)
    return name
  }
}
