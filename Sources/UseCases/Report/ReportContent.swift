import Events

/// Reports a profile, a workout, a comment, a message or a group to the app's moderation services.
public struct ReportContent: Command {
  /// The input of `ReportContent`.
  public struct Input: UseCaseInput {
    /// The new report's id; by default a generated id. Making the same report again with the same
    /// id changes nothing.
    public var report: String?
    /// The kind of the reported content.
    public var kind: ReportedContent.Kind
    /// The id of the reported content.
    public var id: String
    /// The reason for the report: at most 1,000 characters.
    public var reason: String

    /// Creates the input.
    public init(
      report: String? = nil, kind: ReportedContent.Kind, id: String, reason: String
    ) {
      (self.report, self.kind) = (report, kind)
      (self.id, self.reason) = (id, reason)
    }

    public static var placeholder: Input {
      Input(kind: .placeholder, id: .placeholder, reason: .placeholder)
    }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.optional("report", "The new report's id; by default a new id.", &report)
      try fields.required("kind", "The kind of the reported content.", &kind)
      try fields.required("id", "The id of the reported content.", &id)
      try fields.required("reason", "The reason: at most 1,000 characters.", &reason)
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
