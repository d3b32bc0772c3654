import Events

extension StatePath.Kind {
  /// `notifications/USER`: sentences.
  public static let notifications = StatePath.Kind(
    "notifications", "what the user is told of, newest first; .unread: how much is not read",
    of: ["USER"], root: .list,
    members: ["unread": .number.set(by: Notifications.handles)],
    types: Notifications.handles,
    sources: [.friend, .followee, .owner, .author, .membership, .notified],
    leads: leads)

  private static let leads: [EventType: [EventIndex.Role]] = {
    var leads: [EventType: [EventIndex.Role]] = [
      .workoutShared: [.workout, .chups, .reactions, .posts],
      .commentPosted: [.comment, .workout, .hearts, .replies],
    ]
    for type in EventType.allCases where EventTypes.group.union(.member).contains(type) {
      leads[type] = [.group, .members]
    }
    return leads
  }()
}

extension Notifications: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.notifications]

  public static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    func owners(_ event: Event) -> [Touch] {
      Workouts.owners(event).map { .path(.notifications, $0, names) }
    }
    func authors(_ event: Event) -> [Touch] {
      guard case .comment(.posted(let data)) = event else { return [] }
      return [.path(.notifications, data.user, names)]
    }
    func users(_ event: Event) -> [Touch] {
      event.users.map { .path(.notifications, $0, names) }
    }
    /// The owner, and all who have commented.
    func all(of workout: WorkoutID) -> [Touch] {
      [
        .each(EventIndex.Key(.workout, workout), owners),
        .each(EventIndex.Key(.posts, workout), commented),
      ]
    }
    /// The owner of the workout, and who wrote the comment and the one that it answers.
    func commented(_ event: Event) -> [Touch] {
      guard case .comment(.posted(let data)) = event else { return [] }
      let parent = data.replyTo.map { Touch.each(EventIndex.Key(.comment, $0), authors) }
      return [.each(EventIndex.Key(.workout, data.workout), owners)] + authors(event)
        + (parent.map { [$0] } ?? [])
    }
    switch event {
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)):
      return [.path(.notifications, edge.followee, names)]
    case .friendship: return users(copy event)
    case .chup(.given(let data)):
      return [.each(EventIndex.Key(.workout, data.workout), owners)]
    case .chup(.withdrawn(let data)):
      return [.each(EventIndex.Key(.workout, data.workout), owners)]
    case .reaction(.given(let data)), .reaction(.withdrawn(let data)):
      return [.each(EventIndex.Key(.workout, data.workout), owners)]
    case .comment(.posted): return commented(copy event)
    case .comment(.edited): return []
    case .comment(.removed(let data)):
      return [.each(EventIndex.Key(.comment, data.comment), commented)]
    case .heart(.given(let data)), .heart(.withdrawn(let data)):
      return [.each(EventIndex.Key(.comment, data.comment), authors)]
    case .workout(.edited), .workout(.detailAttached), .group(.edited): return []
    case .workout(let event):
      return Event.workout(event).ids.only(WorkoutID.self).flatMap(all)
    case .group, .member: return groups(copy event, users)
    case .notification: return users(copy event)
    case .accountDeleted(let data):
      return [.path(.notifications, data.user, names)]
        + [.follower, .friend, .owner, .membership].map { role in
          .each(EventIndex.Key(role, data.user)) { touches($0, names) }
        }
        + [
          .each(EventIndex.Key(.giver, data.user)) { event in
            // The comment may have been posted on other workouts too.
            if case .comment(.posted(let data)) = event {
              return [.each(EventIndex.Key(.comment, data.comment), commented)]
            }
            return touches(event, names)
          }
        ]
    default: return []
    }
  }

  /// Whoever was ever the owner or an admin of an event's group, and of one that may be gone all.
  private static func groups(_ event: Event, _ users: @escaping (Event) -> [Touch]) -> [Touch] {
    let group = event.ids.only(GroupID.self)
    return users(event)
      + group.flatMap { group -> [Touch] in
        [
          .each(EventIndex.Key(.group, group), users),
          .each(EventIndex.Key(.members, group)) { member in
            if case .group = event { return users(member) }
            if case .member(.roleSet) = member { return users(member) }
            return []
          },
        ]
      }
  }

  public func facts(_ names: Names) -> [Fact] {
    names.users().flatMap { user in
      [fact(about: user, names), unread(user, names)].compactMap { $0 }
    }
  }

  private func unread(_ user: UserID, _ names: Names) -> Fact? {
    let count = unread(of: user).count
    return count == 0 ? nil : Fact(names.path("notifications", user) + ".unread", .int(count))
  }

  func fact(about user: UserID, _ names: Names) -> Fact? {
    let told = newest(of: user, limit: .max)
    return Fact(names.path("notifications", user), list: told.map { $0.text(names) })
  }

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    let user = names.find(user: path.ids[0])
    return Values(user.flatMap { unread($0, names) }.map { [$0] } ?? [])
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    guard let user = names.find(user: path.ids[0]) else { return [] }
    let told = all(of: user)
    var found = StateList(
      names.path("notifications", user), count: told.count, key: { told[$0].seq },
      name: { seq in
        let at = told.lowerBound { $0.seq < seq }
        return at < told.count && told[at].seq == seq ? told[at].text(names) : "\(seq)"
      })
    found.isOfSentences = true
    found.hidden = { hidden(from: user) }
    return [found]
  }
}

extension Notifications.Notification {
  /// `2026-01-31T12:00:00.000Z big chup w1 by bob`.
  func text(_ names: Names) -> String {
    // What a group does is its owner's.
    if case .invitation(let group) = kind { return "\(time) invitation to \(names[group])" }
    if case .approval(let group) = kind { return "\(time) approval by \(names[group])" }
    let id =
      kind.comment.map { names[$0] } ?? kind.workout.map { names[$0] }
      ?? kind.group.map { names[$0] }
    return "\(time) \(kind.words)\(id.map { " " + $0 } ?? "") by \(names[user])"
  }
}
