import Events

extension Notifications {
  /// A notification in 24 bytes. Any 24 bytes are a valid row.
  struct Row: BitwiseCopyable, Sendable {
    static let none = Row(timeAndKind: 0, seq: 0, user: .init(index: 0), subject: 0, detail: 0)

    private var timeAndKind: Int64
    private(set) var seq: UInt32
    private(set) var user: UserID
    /// The number of the group, or of the workout that was chupped, reacted to or commented on.
    private var subject: UInt32
    /// The number of the comment, or of the reaction's kind.
    private var detail: UInt32

    private init(
      timeAndKind: Int64, seq: UInt32, user: UserID, subject: UInt32, detail: UInt32
    ) {
      (self.timeAndKind, self.seq, self.user) = (timeAndKind, seq, user)
      (self.subject, self.detail) = (subject, detail)
    }

    /// Creates the row of a notification. Without a moment, only its cause is valid.
    init(
      _ notified: Notification.Kind, by user: UserID,
      at moment: Moment = Moment(seq: 0, time: .epoch)
    ) {
      let (kind, detail): (Int64, UInt32) =
        switch notified {
        case .request: (0, 0)
        case .acceptance: (1, 0)
        case .follow: (2, 0)
        case .chup(_, big: false): (3, 0)
        case .chup(_, big: true): (4, 0)
        case .comment(let comment, _): (5, comment.index)
        case .reaction(_, let kind): (6, UInt32(kind.number))
        case .reply(let comment, _): (7, comment.index)
        case .heart(let comment, _): (8, comment.index)
        case .invitation: (9, 0)
        case .joinRequest: (10, 0)
        case .approval: (11, 0)
        }
      self.init(
        timeAndKind: moment.time.milliseconds << 8 | kind,
        seq: UInt32(truncatingIfNeeded: moment.seq), user: user,
        subject: notified.workout?.index ?? notified.group?.index ?? 0,
        detail: detail)
    }

    /// The number of the cause whose end withdraws the notification; nil for the kinds that are
    /// removed in another way. Of all notifications of a recipient by one user, at most one has a
    /// given cause. A request and its acceptance have the same cause, and so have both kinds of
    /// chups.
    @inline(__always)
    private var cause: UInt64? {
      switch timeAndKind & 0xff {
      case 0, 1: 0
      case 2: 1 << 56
      case 3, 4: 2 << 56 | UInt64(subject)
      case 6: 3 << 56 | UInt64(detail) << 32 | UInt64(subject)
      case 8: 4 << 56 | UInt64(detail)
      default: nil
      }
    }

    /// Returns whether the notifications are withdrawn together, if they have the same recipient.
    @inline(__always)
    func hasCause(of other: Row) -> Bool { user == other.user && cause == other.cause }

    /// Returns the key of the notification's cause in `Notifications.causes`; nil if it has none.
    @inline(__always)
    func key(_ recipient: UserID) -> UInt64? {
      cause.map { KeySet.key(recipient.index, user.index) ^ $0 &* 0x9e37_79b9_7f4a_7c15 }
    }

    private var workout: WorkoutID { WorkoutID(index: subject) }
    private var group: GroupID { GroupID(index: subject) }
    private var comment: CommentID { CommentID(index: detail) }
    private var kind: Notification.Kind {
      switch timeAndKind & 0xff {
      case 0: .request
      case 1: .acceptance
      case 2: .follow
      case 3: .chup(workout, big: false)
      case 4: .chup(workout, big: true)
      case 6:
        .reaction(
          workout,
          ReactionKind.allCases[min(Int(detail), ReactionKind.allCases.count - 1)])
      case 7: .reply(comment, workout)
      case 8: .heart(comment, workout)
      case 9: .invitation(group)
      case 10: .joinRequest(group)
      case 11: .approval(group)
      default: .comment(comment, workout)
      }
    }

    var notification: Notification {
      Notification(
        kind: kind, user: user, seq: UInt64(seq),
        time: Timestamp(milliseconds: timeAndKind >> 8))
    }

    /// Returns whether the notification is about the workout or a comment on it.
    func isAbout(_ workout: WorkoutID) -> Bool {
      (3...8).contains(timeAndKind & 0xff) && subject == workout.index
    }

    /// Returns whether the notification is about a heart on the comment.
    func isHeart(on comment: CommentID) -> Bool {
      timeAndKind & 0xff == 8 && detail == comment.index
    }

    var isJoinRequest: Bool { timeAndKind & 0xff == 10 }

    func isAbout(_ group: GroupID) -> Bool {
      (9...11).contains(timeAndKind & 0xff) && subject == group.index
    }
  }
}

extension Notifications.Notification.Kind {
  /// The workout that was chupped, reacted to or commented on; nil for other kinds.
  public var workout: WorkoutID? {
    switch self {
    case .request, .acceptance, .follow, .invitation, .joinRequest, .approval: nil
    case .chup(let workout, _), .reaction(let workout, _), .comment(_, let workout),
      .reply(_, let workout), .heart(_, let workout):
      workout
    }
  }

  /// The comment that was posted or that got a heart; nil for other kinds.
  public var comment: CommentID? {
    switch self {
    case .comment(let comment, _), .reply(let comment, _), .heart(let comment, _): comment
    case .request, .acceptance, .follow, .chup, .reaction, .invitation, .joinRequest, .approval: nil
    }
  }

  /// The group that the invitation, request or approval is about; nil for other kinds.
  public var group: GroupID? {
    switch self {
    case .invitation(let group), .joinRequest(let group), .approval(let group): group
    case .request, .acceptance, .follow, .chup, .reaction, .comment, .reply, .heart: nil
    }
  }
}

extension StatePath.Kind {
  /// The path `notifications/USER`: the user's notifications, each as a sentence.
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
    let notifications = all(of: user)
    var found = StateList(
      names.path("notifications", user), count: notifications.count, key: { notifications[$0].seq },
      name: { seq in
        let at = notifications.lowerBound { $0.seq < seq }
        return at < notifications.count && notifications[at].seq == seq
          ? notifications[at].text(names) : "\(seq)"
      })
    found.isOfSentences = true
    found.hidden = { hidden(from: user) }
    return [found]
  }
}

extension Notifications.Notification {
  /// Returns the notification as text, such as `2026-01-31T12:00:00.000Z big chup w1 by bob`.
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
    // The notification's user is the group's owner; the text leaves the owner out.
    case .invitation(let group): return "\(time) invitation to \(names[group])"
    case .approval(let group): return "\(time) approval by \(names[group])"
    }
    return "\(time) \(what) by \(names[user])"
  }
}
