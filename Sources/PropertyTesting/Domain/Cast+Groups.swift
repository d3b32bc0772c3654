import Events

// Groups, messages and reports.
extension Cast {
  mutating func apply(_ event: GroupEvent) {
    switch event {
    case .created(let group):
      groups.add(group)
      members.add(Membership(group: group.group, user: group.owner))
      made += 1
    case .edited: break
    case .transferred(let data):
      guard var group = groups.first(where: { $0.group == data.group }) else { return }
      groups.remove { $0.group == data.group }
      group.owner = data.owner
      groups.add(group)
    case .deleted(let data):
      groups.remove { $0.group == data.group }
      for bundle in [\Cast.members, \.invited, \.requested] {
        self[keyPath: bundle].remove { $0.group == data.group }
      }
    }
  }

  mutating func apply(_ event: MemberEvent) {
    let membership = Membership(group: event.group, user: event.user)
    if case .roleSet = event { return }
    invited.remove { $0 == membership }
    requested.remove { $0 == membership }
    switch event {
    case .invited: invited.add(membership)
    case .requested: requested.add(membership)
    case .joined: if !members.contains(membership) { members.add(membership) }
    case .left, .removed: members.remove { $0 == membership }
    case .roleSet: break
    }
  }

  func owner(of group: GroupID) -> UserID? { groups.first { $0.group == group }?.owner }

  func group(_ t: Trial) -> GroupID {
    let there = isHostile || groups.isEmpty ? groupIDs : groups.map(\.group)
    return one(t, of: there) { habits.thing(&$0, among: there) { $0 == habits.group } }
  }

  func newGroup(_ t: Trial) -> GroupID {
    isHostile ? group(t) : groupIDs[made % groupIDs.count]
  }

  /// Somebody in a group, or with another standing there.
  func membership(_ t: Trial, among there: Bundle<Membership>) -> Membership {
    pick(t, there) {
      $0.group == habits.group
    } _: {
      Membership(group: group($0), user: user($0))
    }
  }

  func message(_ t: Trial) -> MessageSent {
    pick(t, messages) {
      $0.sender == habits.user
    } _: { t in
      MessageSent(
        message: t.draw(.element(of: messageIDs)), sender: user(t), receiver: user(t), text: "")
    }
  }

  func newMessage(_ t: Trial) -> MessageID {
    isHostile ? t.draw(.element(of: messageIDs)) : messageIDs[sent % messageIDs.count]
  }

  /// Two who may write to each other, under most rules.
  func writers(_ t: Trial) -> (UserID, UserID) {
    let friendship = friendship(t)
    return t.draw(.bool)
      ? (friendship.sender, friendship.receiver) : (friendship.receiver, friendship.sender)
  }

  func report(_ t: Trial) -> ReportID {
    isHostile || reports.isEmpty
      ? t.draw(.element(of: reportIDs)) : t.draw(.element(of: reports.map(\.report)))
  }
}
