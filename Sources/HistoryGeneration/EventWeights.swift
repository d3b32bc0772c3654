import Events

/// A kind of thing (such as a workout) or relation (such as a follow) in a history. One event
/// begins it, and another may end it.
enum Subject: Int, CaseIterable, Sendable {
  // Relations between two users.
  case follow, block, request, friendship
  case workout, comment, group, message, report
  // Relations between a user and a workout, a comment or a group.
  case chup, reaction, heart, member, invitation, application

  /// The kind of the subject's first id.
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

  /// Returns the subjects whose first id has this kind.
  static func of(_ kind: IDKind) -> Set<Subject> { Set(allCases.filter { $0.kind == kind }) }

  /// Whether the subject has a second id, which is always a user's.
  var hasUser: Bool { kind == .user || rawValue >= Subject.chup.rawValue }
}

/// The weight of each event type, and the subjects that such an event needs, begins and ends.
enum EventWeights {
  struct Entry: Sendable {
    var type: EventType
    /// The type's weights in long, short and hostile histories.
    ///
    /// A short history has more of the types that need many earlier events or that end something. A
    /// hostile history has more deletions and texts.
    var weights: (long: Int, short: Int, hostile: Int)
    /// The kind of thing that must exist before the event.
    var needs: Subject?
    var begins: Subject?
    var ends: Subject?

    init(
      _ type: EventType, _ long: Int, _ short: Int, hostile: Int? = nil, needs: Subject? = nil,
      begins: Subject? = nil, ends: Subject? = nil
    ) {
      (self.type, self.weights) = (type, (long, short, hostile ?? short))
      (self.needs, self.begins, self.ends) = (needs ?? ends, begins, ends)
    }

    /// The subject that the event is about; nil for events of profiles and notifications.
    var subject: Subject? { begins ?? ends ?? needs }
  }

  /// A group of event types that one history has more often than others do.
  enum Theme: Sendable {
    /// The events about the given subjects; if `profiles` is true, also the events of profiles.
    case about(Set<Subject>, profiles: Bool = false)
    case beginning(Subject)
    case endings

    func has(_ entry: Entry) -> Bool {
      switch self {
      case .about(let subjects, let profiles):
        entry.subject.map(subjects.contains) ?? (profiles && entry.type != .accountDeleted)
      case .beginning(let subject): entry.begins == subject
      case .endings: entry.ends != nil || entry.type == .accountDeleted
      }
    }
  }

  /// An entry for each type, the simplest first. Keep this order, because tapes of recorded choices
  /// contain indices of the entries.
  static let all: [Entry] = [
    Entry(.userFollowed, 401, 28, hostile: 10, begins: .follow),
    Entry(.profileCreated, 0, 4),
    Entry(.userUnfollowed, 41, 4, ends: .follow),
    Entry(.friendRequested, 60, 8, begins: .request),
    Entry(.friendRequestAccepted, 44, 12, hostile: 6, begins: .friendship, ends: .request),
    Entry(.friendRequestRejected, 7, 2, ends: .request),
    Entry(.friendRequestCancelled, 5, 2, ends: .request),
    Entry(.friendRemoved, 13, 4, ends: .friendship),
    Entry(.workoutShared, 51, 6, hostile: 8, begins: .workout),
    Entry(.chupGiven, 170, 6, needs: .workout, begins: .chup),
    Entry(.chupWithdrawn, 13, 2, ends: .chup),
    Entry(.commentPosted, 56, 6, hostile: 8, needs: .workout, begins: .comment),
    Entry(.commentEdited, 8, 2, hostile: 4, needs: .comment),
    Entry(.commentRemoved, 7, 2, ends: .comment),
    Entry(.commentHearted, 44, 6, needs: .comment, begins: .heart),
    Entry(.commentUnhearted, 7, 4, ends: .heart),
    Entry(.workoutEdited, 12, 2, hostile: 6, needs: .workout),
    Entry(.workoutDetailAttached, 14, 2, hostile: 4, needs: .workout),
    Entry(.workoutRemoved, 4, 2, ends: .workout),
    Entry(.profileEdited, 18, 4, hostile: 9),
    Entry(.profilePhotoSet, 6, 2),
    Entry(.profilePhotoRemoved, 2, 3),
    Entry(.baseLocationSet, 4, 2, hostile: 4),
    Entry(.baseLocationCleared, 1, 3),
    Entry(.sportSet, 6, 2, hostile: 4),
    Entry(.sportRemoved, 1, 3, hostile: 4),
    Entry(.sendLogged, 8, 2, hostile: 3),
    Entry(.accountDeleted, 3, 2, hostile: 6),
    Entry(.userBlocked, 2, 5, begins: .block),
    Entry(.userUnblocked, 1, 3, ends: .block),
    Entry(.reactionGiven, 20, 4, needs: .workout, begins: .reaction),
    Entry(.reactionWithdrawn, 3, 2, ends: .reaction),
    Entry(.weeklyGoalSet, 2, 2),
    Entry(.premiumRecorded, 2, 2),
    Entry(.groupCreated, 2, 2, begins: .group),
    Entry(.groupEdited, 1, 1, hostile: 2, needs: .group),
    Entry(.groupTransferred, 1, 1, hostile: 2, needs: .group),
    Entry(.groupDeleted, 1, 1, hostile: 2, ends: .group),
    Entry(.memberInvited, 3, 2, needs: .group, begins: .invitation),
    Entry(.memberRequested, 2, 2, needs: .group, begins: .application),
    Entry(.memberJoined, 8, 3, needs: .group, begins: .member),
    Entry(.memberLeft, 1, 2, needs: .group, ends: .member),
    Entry(.memberRemoved, 1, 2, needs: .group, ends: .member),
    Entry(.memberRoleSet, 1, 2, needs: .group),
    Entry(.messageSent, 24, 3, needs: .friendship, begins: .message),
    Entry(.messageRemoved, 1, 2, ends: .message),
    Entry(.conversationRead, 5, 2, needs: .message),
    Entry(.notificationsRead, 4, 2),
    Entry(.contentReported, 1, 1, hostile: 2, begins: .report),
    Entry(.reportClosed, 1, 1, hostile: 2, ends: .report),
  ]

  /// The index of each type's entry in `all`, by the type's raw value.
  static let places: [Int] = EventType.allCases.map { type in
    all.firstIndex { $0.type == type } ?? 0
  }

  static func place(of type: EventType) -> Int { places[Int(type.rawValue)] }

  static subscript(type: EventType) -> Entry { all[place(of: type)] }

  /// The first type that begins each subject, by the subject's raw value.
  static let beginnings: [EventType] = Subject.allCases.map { subject in
    all.first { $0.begins == subject }?.type ?? .profileCreated
  }

  /// Returns each type's index in `all`, repeated as many times as the type's weight says.
  /// - Parameter themes: groups of types that get six times their weight.
  static func lots(_ style: HistoryStyle, themes: [Theme] = []) -> [UInt8] {
    var lots: [UInt8] = []
    for (place, entry) in all.enumerated() {
      var weight =
        switch style {
        case .long: entry.weights.long
        case .short: entry.weights.short
        case .hostile: entry.weights.hostile
        }
      if themes.contains(where: { $0.has(entry) }) { weight *= 6 }
      lots += repeatElement(UInt8(place), count: weight)
    }
    return lots
  }

  /// The likely next types within a burst, by the previous type's raw value.
  ///
  /// These are the previous type itself, the types that need the subject that it begins, and the
  /// types that begin the subject that it ends.
  static let following: [[EventType]] = EventType.allCases.map { type in
    let entry = Self[type]
    let others = all.filter { other in
      entry.begins != nil && entry.begins == other.needs
        || entry.ends != nil && entry.ends == other.begins
    }
    return Array(repeating: type, count: entry.ends == nil ? 3 : 1) + others.map(\.type)
  }
}
