import Events

extension StatePath.Kind {
  /// The path `notifications/USER`, a list of sentences.
  public static let notifications = StatePath.Kind(
    "notifications", "the user's notifications, newest first; .unread: number of unread ones",
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

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    guard let user = names.find(user: path.ids[0]) else { return Values() }
    let count = unread(of: user).count
    return count == 0
      ? Values() : Values(Fact(names.path("notifications", user) + ".unread", .int(count)))
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
  /// Returns a sentence such as `2026-01-31T12:00:00.000Z big chup w1 by bob`.
  func text(_ names: Names) -> String {
    let what: String
    switch kind {
    case .request: what = "request"
    case .acceptance: what = "acceptance"
    case .follow: what = "follow"
    case .chup(let workout, let big): what = "\(big ? "big chup" : "chup") \(names[workout])"
    case .reaction(let workout, let kind): what = "\(kind.rawValue) \(names[workout])"
    case .comment(let comment, _): what = "comment \(names[comment])"
    case .reply(let comment, _): what = "reply \(names[comment])"
    case .heart(let comment, _): what = "heart \(names[comment])"
    case .joinRequest(let group): what = "request to join \(names[group])"
    // Its user is the group's owner; the text leaves the owner out.
    case .invitation(let group): return "\(time) invitation to \(names[group])"
    case .approval(let group): return "\(time) approval by \(names[group])"
    }
    return "\(time) \(what) by \(names[user])"
  }
}
