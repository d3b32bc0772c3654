import Events

extension StatePath.Kind {
  /// `notifications/USER`: sentences.
  public static let notifications = StatePath.Kind(
    "notifications", "what the user is told of, newest first", of: ["USER"], root: .list,
    types: Notifications.handles,
    sources: [.friend, .followee, .owner],
    leads: [
      .workoutShared: [.workout, .chups, .reactions, .posts], .commentPosted: [.comment, .workout],
    ])
}

extension Notifications: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.notifications]

  public static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    func owners(_ workout: WorkoutID) -> Touch {
      .each(Mentions.Key(.workout, workout)) { event in
        Workouts.owners(event).map { .path(.notifications, $0, names) }
      }
    }
    func commented(_ event: Event) -> [Touch] {
      guard case .comment(.posted(let data)) = event else { return [] }
      return [owners(data.workout)]
    }
    switch event {
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)):
      return [.path(.notifications, edge.followee, names)]
    case .friendship(let event):
      return Event.friendship(event).ids.users.map { .path(.notifications, $0, names) }
    case .chup(let event): return Event.chup(event).ids.workouts.map(owners)
    case .reaction(.given(let data)), .reaction(.withdrawn(let data)):
      return [owners(data.workout)]
    case .comment(.posted): return commented(copy event)
    case .comment(.edited): return []
    case .comment(.removed(let data)):
      return [.each(Mentions.Key(.comment, data.comment), commented)]
    case .workout(let event): return Event.workout(event).ids.workouts.map(owners)
    case .accountDeleted(let data):
      return [.path(.notifications, data.user, names)]
        + [.follower, .friend, .owner].map { role in
          .each(Mentions.Key(role, data.user)) { touches($0, names) }
        }
        + [
          .each(Mentions.Key(.giver, data.user)) { event in
            // The comment may have been posted on other workouts too.
            if case .comment(.posted(let data)) = event {
              return [.each(Mentions.Key(.comment, data.comment), commented)]
            }
            return touches(event, names)
          }
        ]
    default: return []
    }
  }

  public func facts(_ names: Names) -> [Fact] {
    names.users().compactMap { fact(about: $0, names) }
  }

  func fact(about user: UserID, _ names: Names) -> Fact? {
    let told = newest(of: user, limit: .max)
    return Fact(names.path("notifications", user), list: told.map { $0.text(names) })
  }

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    Values()
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
    let kind =
      switch kind {
      case .request: "request"
      case .acceptance: "acceptance"
      case .follow: "follow"
      case .chup(let workout, let big): "\(big ? "big chup" : "chup") \(names[workout])"
      case .reaction(let workout, let kind): "\(kind.rawValue) \(names[workout])"
      case .comment(let comment, _): "comment \(names[comment])"
      }
    return "\(time) \(kind) by \(names[user])"
  }
}
