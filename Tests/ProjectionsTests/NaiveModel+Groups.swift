import Events

@testable import Projections

extension NaiveModel {
  mutating func applyGroup(_ event: Event, _ moment: Moment) {
    guard case .group(let event) = event else { return }
    switch event {
    case .created(let data):
      guard groups[data.group] == nil, !goneGroups.contains(data.group) else { return }
      if deleted.contains(data.owner) { return drop(data.group) }
      groups[data.group] = Groups.Group(
        name: data.name, description: data.description, isPublic: data.isPublic,
        owner: data.owner, createdAt: moment.time)
      set(.owner, data.group, data.owner, nil)
    case .edited(let data):
      guard var group = groups[data.group] else { return }
      group.name = data.name ?? group.name
      group.description = patched(data.description, group.description)
      group.isPublic = data.isPublic ?? group.isPublic
      groups[data.group] = group
    case .transferred(let data):
      guard let old = groups[data.group]?.owner, old != data.owner else { return }
      if deleted.contains(data.owner) { return drop(data.group) }
      groups[data.group]?.owner = data.owner
      set(.admin, data.group, old, moment)
      set(.owner, data.group, data.owner, moment)
    case .deleted(let data): drop(data.group)
    }
  }

  mutating func applyMember(_ event: Event, _ moment: Moment) {
    guard case .member(let event) = event else { return }
    let (group, user) = (event.group, event.user)
    guard !goneGroups.contains(group), !deleted.contains(user) else { return }
    let old = standings[group]?[user] ?? .none
    switch event {
    case .invited: if !old.isMember { set(.invited, group, user, moment) }
    case .requested: if !old.isMember { set(.requested, group, user, moment) }
    case .joined: if !old.isMember { set(.member, group, user, moment) }
    case .left, .removed: if old != .owner { set(.none, group, user, moment) }
    case .roleSet(let data):
      if [.member, .admin].contains(old) {
        set(data.role == .admin ? .admin : .member, group, user, moment)
      }
    }
  }

  /// - Parameter moment: nil if nobody is notified.
  private mutating func set(
    _ new: Groups.Standing, _ group: GroupID, _ user: UserID, _ moment: Moment?
  ) {
    let old = standings[group]?[user] ?? .none
    standings[group, default: [:]][user] = new
    if !new.isMember || !old.isMember {
      members[group]?.removeAll { $0 == user }
      waiting[group]?.removeAll { $0 == user }
      if new.isMember { members[group, default: []].append(user) }
      if [.invited, .requested].contains(new) { waiting[group, default: []].append(user) }
    }
    guard let moment, old != new else { return }
    told[user]?.removeAll { told in
      told.group == group
        && (told.kind == "joinRequest"
          ? !new.isAdmin : !(old.isMember && new.isMember) || new == .owner)
    }
    let admins = (members[group] ?? []).filter { standings[group]?[$0]?.isAdmin == true }
    if old == .requested {
      for admin in admins {
        told[admin]?.removeAll {
          $0.group == group && $0.kind == "joinRequest" && $0.user == user
        }
      }
    }
    guard let owner = groups[group]?.owner else { return }
    switch new {
    case .invited: tell(user, "invitation", owner, moment, nil, nil, group)
    case .requested:
      for admin in admins { tell(admin, "joinRequest", user, moment, nil, nil, group) }
    case .member where old == .requested && groups[group]?.isPublic == false:
      tell(user, "approval", owner, moment, nil, nil, group)
    default: break
    }
  }

  private mutating func drop(_ group: GroupID) {
    for user in told.keys { told[user]?.removeAll { $0.group == group } }
    groups[group] = nil
    goneGroups.insert(group)
    standings[group] = nil
    members[group] = nil
    waiting[group] = nil
  }

  mutating func leaveGroups(_ user: UserID) {
    for (group, data) in groups where data.owner == user { drop(group) }
    for group in standings.keys {
      standings[group]?[user] = nil
      members[group]?.removeAll { $0 == user }
      waiting[group]?.removeAll { $0 == user }
    }
  }

  mutating func applyMessage(_ event: Event, _ moment: Moment) {
    switch event {
    case .conversation(.sent(let data)):
      guard sent.insert(data.message).inserted else { return }
      messages[data.message] = Conversations.Message(
        sender: data.sender, receiver: data.receiver, text: data.text, seq: moment.seq,
        time: moment.time)
      talks[[data.sender, data.receiver], default: []].append(data.message)
    case .conversation(.removed(let data)):
      sent.insert(data.message)
      messages[data.message] = nil
      for pair in talks.keys { talks[pair]?.removeAll { $0 == data.message } }
    case .conversation(.read(let data)):
      if let time = data.upTo.time { reads.append((data.user, data.other, time, moment.seq)) }
    case .notification(.read(let data)):
      if let time = data.upTo.time { reads.append((data.user, nil, time, moment.seq)) }
    case .report(.reported(let data)):
      if reports[data.report] == nil {
        reports[data.report] = Reports.Report(
          user: data.user, content: data.content, reason: data.reason, time: moment.time)
      }
    case .report(.closed(let data)): reports[data.report]?.outcome = data.outcome
    default: break
    }
  }

  func hasRead(_ user: UserID, of other: UserID?, _ seq: UInt64) -> Bool {
    let time = times[seq, default: .latest]
    return reads.contains {
      $0.user == user && $0.of == other && seq < $0.seq && time <= $0.upTo
    }
  }
}
