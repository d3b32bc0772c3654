import Events

// The notifications about groups. An invitation disappears when it is answered. A join request
// disappears when it is closed or the recipient stops being an admin.
extension Notifications {
  mutating func apply(_ event: GroupEvent, _ moment: Moment) {
    switch event {
    case .created(let data):
      // An imported log may create a group twice; only the first event counts.
      if memberships.owner(of: data.group) == nil {
        publicGroups[data.group.index] = data.isPublic
      }
      memberships.apply(event, at: moment)
    case .edited(let data):
      if let isPublic = data.isPublic { publicGroups[data.group.index] = isPublic }
    case .deleted(let data):
      remove(data.group)
      memberships.apply(event, at: moment)
    case .transferred(let data):
      let (group, new) = (data.group, data.owner)
      // A transfer to a deleted account deletes the group.
      if ownership.isGone(new) { remove(group) }
      let old = memberships.standing(group, new)
      memberships.apply(event, at: moment)
      change(group, new, from: old, moment)
    }
  }

  mutating func apply(_ event: MemberEvent, _ moment: Moment) {
    let (group, user) = (event.group, event.user)
    let old = memberships.standing(group, user)
    memberships.apply(event, at: moment)
    change(group, user, from: old, moment)
  }

  private mutating func change(
    _ group: GroupID, _ user: UserID, from old: Groups.Standing, _ moment: Moment
  ) {
    let new = memberships.standing(group, user)
    guard old != new else { return }
    // Only the members of a group and those whom it invited have notifications about it.
    if old == .invited || old.isMember {
      lists.removeAll(in: user.index) { row in
        guard row.isAbout(group) else { return false }
        // The notification of an approval disappears when the member becomes the group's owner.
        return row.isJoinRequest
          ? !new.isAdmin : !(old.isMember && new.isMember) || new == .owner
      }
    }
    let admins =
      old == .requested || new == .requested
      ? memberships.members(of: group).filter { memberships.standing(group, $0).isAdmin } : []
    if old == .requested {
      for admin in admins {
        lists.removeAll(in: admin.index) {
          $0.isAbout(group) && $0.isJoinRequest && $0.user == user
        }
      }
    }
    guard let owner = memberships.owner(of: group) else { return }
    switch new {
    case .invited: notify(user, .invitation(group), by: owner, moment)
    case .requested: for admin in admins { notify(admin, .joinRequest(group), by: user, moment) }
    case .member:
      // Joining a public group needs no approval, so no notification says that it was approved.
      if old == .requested, !publicGroups[group.index] {
        notify(user, .approval(group), by: owner, moment)
      }
    case .none, .admin, .owner: break
    }
  }

  /// Removes a deleted user's memberships, and the notifications about the user's own groups.
  mutating func removeMember(_ user: UserID) {
    for group in memberships.groups(ownedBy: user) { remove(group) }
    memberships.removeAccount(user)
  }

  private mutating func remove(_ group: GroupID) {
    for user in memberships.users(of: group) {
      lists.removeAll(in: user.index) { $0.isAbout(group) }
    }
  }
}
