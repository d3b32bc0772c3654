import Events

// What is in the events of groups, messages and reports.
extension Draft {
  func groupEvent(_ type: EventType, _ t: Trial) -> Event {
    switch type {
    case .groupCreated:
      return .group(
        .created(
          GroupCreated(
            group: cast.newGroup(t), owner: cast.user(t), name: t.draw(nameTexts),
            description: t.draw(.optional(texts)), isPublic: t.draw(.bool))))
    case .groupEdited:
      return .group(
        .edited(
          GroupEdited(
            group: cast.group(t), name: t.draw(.optional(nameTexts)), description: patch(t),
            isPublic: t.draw(.optional(.bool)))))
    case .groupTransferred:
      let member = cast.membership(t, among: cast.members)
      return .group(.transferred(GroupTransferred(group: member.group, owner: member.user)))
    case .groupDeleted: return .group(.deleted(GroupReference(group: cast.group(t))))
    case .memberInvited: return .member(.invited(newMembership(t)))
    case .memberRequested: return .member(.requested(newMembership(t)))
    case .memberJoined:
      let there = cast.requested.isEmpty ? cast.invited : cast.requested
      return .member(
        .joined(
          there.isEmpty || t.draw(.bool) ? newMembership(t) : cast.membership(t, among: there)))
    case .memberLeft: return .member(.left(cast.membership(t, among: cast.members)))
    case .memberRemoved:
      let waiting = cast.requested.isEmpty ? cast.invited : cast.requested
      let there = waiting.isEmpty || t.draw(.bool) ? cast.members : waiting
      return .member(.removed(cast.membership(t, among: there)))
    default:
      let member = cast.membership(t, among: cast.members)
      return .member(
        .roleSet(
          MemberRoleSet(
            group: member.group, user: member.user,
            role: t.draw(.element(of: MemberRole.allCases)))))
    }
  }

  private func newMembership(_ t: Trial) -> Membership {
    Membership(group: cast.group(t), user: cast.user(t))
  }

  func messageEvent(_ type: EventType, _ t: Trial) -> Event {
    switch type {
    case .messageSent:
      let (sender, receiver) = cast.writers(t)
      return .conversation(
        .sent(
          MessageSent(
            message: cast.newMessage(t), sender: sender, receiver: receiver, text: t.draw(texts))))
    case .messageRemoved:
      let message = cast.message(t)
      return .conversation(
        .removed(
          MessageRemoved(
            message: message.message, sender: message.sender, receiver: message.receiver)))
    case .conversationRead:
      let message = cast.message(t)
      return .conversation(
        .read(
          ConversationRead(user: message.receiver, other: message.sender, upTo: eventID(t))))
    case .notificationsRead:
      return .notification(.read(NotificationsRead(user: cast.user(t), upTo: eventID(t))))
    case .contentReported:
      return .report(
        .reported(
          ContentReported(
            report: t.draw(.element(of: cast.reportIDs)), user: cast.user(t), content: content(t),
            reason: t.draw(texts))))
    default:
      return .report(
        .closed(
          ReportClosed(
            report: cast.report(t), outcome: t.draw(.element(of: ReportOutcome.allCases)))))
    }
  }

  private func content(_ t: Trial) -> ReportedContent {
    let kind = t.draw(.element(of: ReportedContent.Kind.allCases))
    let id =
      switch kind {
      case .profile: AnyID(cast.user(t))
      case .workout: AnyID(cast.workout(t))
      case .comment: AnyID(cast.comment(t))
      case .message: AnyID(cast.message(t).message)
      case .group: AnyID(cast.group(t))
      }
    return ReportedContent(kind, id)
  }

  /// An id of some time in the history, or one that says no time.
  private func eventID(_ t: Trial) -> EventID {
    let time: Int64 =
      1_767_225_600_000 + t.draw(.element(of: [0, 1_001, 86_400_000, 9_999_999_999]))
    let id = EventID(time: Timestamp(milliseconds: time), random: (0, 0))
    return t.draw(.frequency([(9, .just(id)), (1, .just(EventID(high: 0x4000, low: 0)))]))
  }
}
