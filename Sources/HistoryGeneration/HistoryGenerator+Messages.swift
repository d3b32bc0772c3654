import Events

extension HistoryGenerator {
  /// A message between friends of whom one follows the other, as the strictest rules want it.
  mutating func sendMessage(_ names: inout Names) -> Act? {
    for _ in 0..<8 {
      let sender = anyone()
      guard let receiver = randomFriend(of: sender), world.isAlive[receiver],
        [world.follows[sender, receiver], world.follows[receiver, sender]].contains(
          GeneratedWorld.FollowState.following)
      else { continue }
      guard let message = try? names.message("m\(world.messages.count + 1)") else { return nil }
      world.messages.append(
        MessageMarks(id: message, sender: UInt32(sender), receiver: UInt32(receiver)))
      let data = MessageSent(
        message: message, sender: id(sender), receiver: id(receiver), text: Texts.comment(&random))
      return Act(event: .conversation(.sent(data)), user: sender)
    }
    return nil
  }

  mutating func removeMessage() -> Act? {
    guard let number = someMessage(), world.isAlive[Int(world.messages[number].sender)] else {
      return nil
    }
    world.messages[number].isRemoved = true
    let marks = world.messages[number]
    let data = MessageRemoved(
      message: marks.id, sender: id(Int(marks.sender)), receiver: id(Int(marks.receiver)))
    return Act(event: .conversation(.removed(data)), user: Int(marks.sender))
  }

  /// What somebody has read is everything until then: the event names itself.
  mutating func readConversation() -> Act? {
    guard let number = someMessage(), world.isAlive[Int(world.messages[number].receiver)] else {
      return nil
    }
    let marks = world.messages[number]
    let data = ConversationRead(
      user: id(Int(marks.receiver)), other: id(Int(marks.sender)), upTo: eventID())
    return Act(event: .conversation(.read(data)), user: Int(marks.receiver))
  }

  mutating func readNotifications() -> Act? {
    let user = anyone()
    let data = NotificationsRead(user: id(user), upTo: eventID())
    return Act(event: .notification(.read(data)), user: user)
  }

  private mutating func eventID() -> EventID {
    EventID(
      time: Timestamp(milliseconds: clock.milliseconds), random: (random.bits(), random.bits()))
  }

  /// A message that is there, often a recent one.
  private mutating func someMessage() -> Int? {
    let count = world.messages.count
    guard count > 0 else { return nil }
    let number = count - 1 - random.skewed(count)
    return world.messages[number].isRemoved ? nil : number
  }

  mutating func report(_ names: inout Names) -> Act? {
    guard let (workout, user) = visit(),
      let report = try? names.report("r\(world.reports.count + 1)")
    else { return nil }
    world.reports.append(ReportMarks(id: report, workout: UInt32(workout)))
    let content = ReportedContent(.workout, AnyID(world.workouts[workout].id))
    let data = ContentReported(
      report: report, user: id(user), content: content, reason: Texts.comment(&random))
    return Act(event: .report(.reported(data)), user: user)
  }

  /// A report ends as removed if its workout is gone meanwhile.
  mutating func closeReport(_ names: inout Names) -> Act? {
    guard world.closedReports < world.reports.count,
      let service = try? names.user(Names.servicePrefix + "moderation")
    else { return nil }
    let marks = world.reports[world.closedReports]
    world.closedReports += 1
    let data = ReportClosed(
      report: marks.id, outcome: world.exists(workout: Int(marks.workout)) ? .kept : .removed)
    return Act(event: .report(.closed(data)), user: 0, service: service)
  }
}

extension Event {
  /// The event that somebody has read up to, which is the event itself in a generated history.
  var readUpTo: EventID? {
    switch self {
    case .conversation(.read(let data)): data.upTo
    case .notification(.read(let data)): data.upTo
    default: nil
    }
  }
}
