import Aggregates
import Events

/// Closes a report, and optionally removes the reported content. The events that remove the content
/// name the event that closes the report as their cause.
public struct CloseReport: SilentCommand {
  /// The input of `CloseReport`.
  public struct Input: UseCaseInput {
    /// The report's id.
    public var report: String
    /// The outcome. `removed` also removes the reported content, or clears the fields of a reported
    /// profile.
    public var outcome: ReportOutcome

    /// Creates the input.
    public init(report: String, outcome: ReportOutcome) {
      (self.report, self.outcome) = (report, outcome)
    }

    public static var placeholder: Input { Input(report: .placeholder, outcome: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("report", "The report's id.", &report)
      try fields.required(
        "outcome",
        "The outcome; removed also removes the content, or clears the profile's fields.", &outcome)
    }
  }

  public static let about = About(
    "CloseReport", .reports,
    "Close a report, and optionally remove the reported content; only for services",
    errors: ["reportNotFound", "notAuthorized", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actorOrService()
    let id = try model.report(input.report)
    let closed = ReportClosed(report: id, outcome: input.outcome)
    guard try model.decide(ReportEvent.closed(closed), by: actor) != nil else { return }
    guard input.outcome == .removed, let content = model.aggregates.value.content(of: id) else {
      return
    }
    model.draft.cause = model.draft.events.count - 1
    defer { model.draft.cause = nil }
    for event in model.aggregates.value.removals(of: content) { try model.decide(event, by: actor) }
  }
}

extension AggregateStates {
  /// Returns the content that was reported; nil if there is no such report.
  func content(of report: ReportID) -> ReportedContent? {
    switch self.report(report) {
    case .none: nil
    case .open(let reported), .closed(let reported, _): reported.content
    }
  }

  /// Returns the events that remove reported content; an empty list if the content is already
  /// removed.
  func removals(of content: ReportedContent) -> [Event] {
    let index = content.id.index
    switch content.kind {
    case .workout:
      let workout = WorkoutID(index: index)
      return owner(workout) == nil ? [] : [.workout(.removed(WorkoutReference(workout: workout)))]
    case .comment:
      let comment = CommentID(index: index)
      guard let on = workout(of: comment), owner(on) != nil else { return [] }
      return [.comment(.removed(CommentReference(comment: comment)))]
    case .message:
      guard case .sent(let data) = message(MessageID(index: index)) else { return [] }
      let removed = MessageRemoved(
        message: data.message, sender: data.sender, receiver: data.receiver)
      return [.conversation(.removed(removed))]
    case .group:
      guard case .open = group(GroupID(index: index)) else { return [] }
      return [.group(.deleted(GroupReference(group: GroupID(index: index))))]
    case .profile:
      let user = UserID(index: index)
      guard exists(user) else { return [] }
      // The event lists no fields, because the decider adds the fields to clear.
      let cleared = Event.profile(.edited(ProfileEdited(user: user)))
      return profile(user).photo == nil
        ? [cleared] : [cleared, .profile(.photoRemoved(UserReference(user: user)))]
    }
  }
}
