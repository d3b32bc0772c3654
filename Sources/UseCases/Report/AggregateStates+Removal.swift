import Aggregates
import Events

extension AggregateStates {
  /// What a report is about; nil without such a report.
  func content(of report: ReportID) -> ReportedContent? {
    switch self.report(report) {
    case .none: nil
    case .open(let reported), .closed(let reported, _): reported.content
    }
  }

  /// The events that remove reported content; none for what is gone already.
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
      // The decider finds what there is to clear.
      let cleared = Event.profile(.edited(ProfileEdited(user: user)))
      return profile(user).photo == nil
        ? [cleared] : [cleared, .profile(.photoRemoved(UserReference(user: user)))]
    }
  }
}
