import Events

/// A kind of relation or thing in a history. One event begins it, and another may end it.
enum Subject: Int, CaseIterable, Sendable {
  // Two users.
  case follow, block, request, friendship
  case workout, comment, group, message, report
  // A workout, a comment or a group, and a user.
  case chup, reaction, heart, member, invitation, application

  /// The first id's kind.
  var kind: IDKind {
    switch self {
    case .follow, .block, .request, .friendship: .user
    case .workout, .chup, .reaction: .workout
    case .comment, .heart: .comment
    case .group, .member, .invitation, .application: .group
    case .message: .message
    case .report: .report
    }
  }

  /// Whether there is a second id, which is a user's.
  var hasUser: Bool { kind == .user || rawValue >= Subject.chup.rawValue }
}

/// The weight of each event type, and the subjects that such an event needs, begins and ends.
enum EventWeights {
  struct Entry: Sendable {
    var type: EventType
    /// The weight in a long history.
    var weight: Int
    /// The weight in a short history: usually about the square root of `weight`, and at least 2, so
    /// that rare types occur too.
    var short: Int
    /// The subject that must exist before the event.
    var needs: Subject?
    var begins: Subject?
    var ends: Subject?

    init(
      _ type: EventType, _ weight: Int, short: Int? = nil, needs: Subject? = nil,
      begins: Subject? = nil, ends: Subject? = nil
    ) {
      (self.type, self.weight) = (type, weight)
      self.short = short ?? (2...).first { $0 * $0 + $0 >= weight } ?? 2
      (self.needs, self.begins, self.ends) = (needs ?? ends, begins, ends)
    }
  }

  /// A group of event types that are more frequent in a history.
  enum Theme: Sendable {
    case about(Subject)
    case beginning(Subject)
    case profiles, endings

    func has(_ entry: Entry) -> Bool {
      switch self {
      case .about(let subject): [entry.needs, entry.begins, entry.ends].contains(subject)
      case .beginning(let subject): entry.begins == subject
      case .profiles: entry.needs == nil && entry.begins == nil
      case .endings: entry.ends != nil || entry.type == .accountDeleted
      }
    }
  }

  /// The types, the simplest first. Do not change their order, because tapes contain their places.
  static let all: [Entry] = [
    Entry(.userFollowed, 401, begins: .follow), Entry(.profileCreated, 16),
    Entry(.userUnfollowed, 41, ends: .follow), Entry(.friendRequested, 60, begins: .request),
    Entry(.friendRequestAccepted, 44, begins: .friendship, ends: .request),
    Entry(.friendRequestRejected, 7, ends: .request),
    Entry(.friendRequestCancelled, 5, ends: .request), Entry(.friendRemoved, 13, ends: .friendship),
    Entry(.workoutShared, 51, short: 10, begins: .workout),
    Entry(.chupGiven, 170, needs: .workout, begins: .chup), Entry(.chupWithdrawn, 13, ends: .chup),
    Entry(.commentPosted, 56, needs: .workout, begins: .comment),
    Entry(.commentEdited, 8, needs: .comment), Entry(.commentRemoved, 7, ends: .comment),
    Entry(.commentHearted, 44, needs: .comment, begins: .heart),
    Entry(.commentUnhearted, 7, ends: .heart), Entry(.workoutEdited, 12, needs: .workout),
    Entry(.workoutDetailAttached, 14, needs: .workout), Entry(.workoutRemoved, 4, ends: .workout),
    Entry(.profileEdited, 18), Entry(.profilePhotoSet, 6), Entry(.profilePhotoRemoved, 2),
    Entry(.baseLocationSet, 4), Entry(.baseLocationCleared, 1), Entry(.sportSet, 6),
    Entry(.sportRemoved, 1), Entry(.sendLogged, 8), Entry(.accountDeleted, 3),
    Entry(.userBlocked, 2, short: 6, begins: .block), Entry(.userUnblocked, 1, ends: .block),
    Entry(.reactionGiven, 20, needs: .workout, begins: .reaction),
    Entry(.reactionWithdrawn, 3, ends: .reaction), Entry(.weeklyGoalSet, 2),
    Entry(.premiumRecorded, 2), Entry(.groupCreated, 2, short: 4, begins: .group),
    Entry(.groupEdited, 1, needs: .group), Entry(.groupTransferred, 1, needs: .group),
    Entry(.groupDeleted, 1, ends: .group),
    Entry(.memberInvited, 3, needs: .group, begins: .invitation),
    Entry(.memberRequested, 2, needs: .group, begins: .application),
    Entry(.memberJoined, 8, needs: .group, begins: .member),
    Entry(.memberLeft, 1, needs: .group, ends: .member),
    Entry(.memberRemoved, 1, needs: .group, ends: .member),
    Entry(.memberRoleSet, 1, short: 4, needs: .group),
    Entry(.messageSent, 24, needs: .friendship, begins: .message),
    Entry(.messageRemoved, 1, ends: .message), Entry(.conversationRead, 5, needs: .message),
    Entry(.notificationsRead, 4), Entry(.contentReported, 1, begins: .report),
    Entry(.reportClosed, 1, ends: .report),
  ]

  /// The place of each type in `all`, by raw value.
  static let places: [Int] = EventType.allCases.map { type in
    all.firstIndex { $0.type == type } ?? 0
  }

  static func place(of type: EventType) -> Int { places[Int(type.rawValue)] }

  static subscript(type: EventType) -> Entry { all[place(of: type)] }

  /// The first type that begins a subject.
  static let beginnings: [EventType] = Subject.allCases.map { subject in
    all.first { $0.begins == subject }?.type ?? .profileCreated
  }

  /// Returns the types' places in `all`, each as many times as its weight.
  /// - Parameter themes: a theme's types are 8 times as likely in a short history, and 6 times in
  ///   a hostile one.
  static func lots(_ style: HistoryStyle, themes: [Theme] = []) -> [UInt8] {
    var lots: [UInt8] = []
    for (place, entry) in all.enumerated() {
      var weight = entry.weight
      if style == .long {
        // `joinersDue` determines when users join.
        if entry.type == .profileCreated { weight = 0 }
      } else {
        weight = entry.short
        if themes.contains(where: { $0.has(entry) }) { weight *= style == .hostile ? 6 : 8 }
        // A hostile history has events about deleted users.
        if style == .hostile, entry.type == .accountDeleted { weight *= 3 }
      }
      lots += repeatElement(UInt8(place), count: weight)
    }
    return lots
  }

  /// The likely next types within a burst, by a type's raw value: the same type, and types that
  /// need what it begins or begin what it ends.
  static let following: [[EventType]] = EventType.allCases.map { type in
    let entry = Self[type]
    let others = all.filter { other in
      entry.begins != nil && entry.begins == other.needs
        || entry.ends != nil && entry.ends == other.begins
    }
    return Array(repeating: type, count: entry.ends == nil ? 3 : 1) + others.map(\.type)
  }
}
