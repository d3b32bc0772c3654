import Events

/// How often each type of event occurs in a history.
enum EventWeights {
  /// The types, simplest first, with their weights in a long history. The order is part of every
  /// tape: a tape names a type by its place.
  static let all: [(type: EventType, weight: Int)] = [
    (.userFollowed, 401), (.profileCreated, 16), (.userUnfollowed, 41), (.friendRequested, 60),
    (.friendRequestAccepted, 44), (.friendRequestRejected, 7), (.friendRequestCancelled, 5),
    (.friendRemoved, 13), (.workoutShared, 51), (.chupGiven, 170), (.chupWithdrawn, 13),
    (.commentPosted, 56), (.commentEdited, 8), (.commentRemoved, 7), (.commentHearted, 44),
    (.commentUnhearted, 7), (.workoutEdited, 12), (.workoutDetailAttached, 14),
    (.workoutRemoved, 4), (.profileEdited, 18), (.profilePhotoSet, 6), (.profilePhotoRemoved, 2),
    (.baseLocationSet, 4), (.baseLocationCleared, 1), (.sportSet, 6), (.sportRemoved, 1),
    (.sendLogged, 8), (.accountDeleted, 3), (.userBlocked, 2), (.userUnblocked, 1),
    (.reactionGiven, 20), (.reactionWithdrawn, 3), (.weeklyGoalSet, 2), (.premiumRecorded, 2),
    (.groupCreated, 2), (.groupEdited, 1), (.groupTransferred, 1), (.groupDeleted, 1),
    (.memberInvited, 3), (.memberRequested, 2), (.memberJoined, 8), (.memberLeft, 1),
    (.memberRemoved, 1), (.memberRoleSet, 1), (.messageSent, 24), (.messageRemoved, 1),
    (.conversationRead, 5), (.notificationsRead, 4), (.contentReported, 1), (.reportClosed, 1),
  ]

  /// The place of each type in `all`, by raw value.
  static let places: [Int] = EventType.allCases.map { type in
    all.firstIndex { $0.type == type } ?? 0
  }

  static func place(of type: EventType) -> Int { places[Int(type.rawValue)] }

  /// The places of the types in `all`, each as often as its weight, to pick one of them.
  ///
  /// A short history takes the square roots of the weights, at least 2, so that rare types occur
  /// in it, too.
  /// - Parameter emphasized: types that are twelve times as likely in a short history, and six
  ///   times in a hostile one.
  static func lots(_ style: HistoryStyle, emphasized: Set<EventType> = []) -> [UInt8] {
    var lots: [UInt8] = []
    for (place, entry) in all.enumerated() {
      var weight = entry.weight
      if style == .long {
        // The history's length determines when users join.
        if entry.type == .profileCreated { weight = 0 }
      } else {
        weight = (2...).first { $0 * $0 + $0 >= weight } ?? 2
        if emphasized.contains(entry.type) { weight *= style == .hostile ? 6 : 12 }
        // A hostile history goes on about deleted users.
        if style == .hostile, entry.type == .accountDeleted { weight *= 3 }
      }
      for _ in 0..<weight { lots.append(UInt8(place)) }
    }
    return lots
  }

  /// Types that a short history may emphasize together.
  static let themes: [Set<EventType>] = [
    [.userFollowed, .userUnfollowed, .userBlocked, .userUnblocked],
    [.userFollowed, .profileEdited],
    [.userBlocked, .profileEdited],
    [
      .friendRequested, .friendRequestAccepted, .friendRequestRejected, .friendRequestCancelled,
      .friendRemoved,
    ],
    [
      .workoutShared, .chupGiven, .chupWithdrawn, .reactionGiven, .reactionWithdrawn,
      .workoutEdited, .workoutDetailAttached,
    ],
    [.commentPosted, .commentEdited, .commentHearted, .commentUnhearted],
    [.accountDeleted, .workoutRemoved, .commentRemoved, .friendRemoved, .profileCreated],
    [
      .profileEdited, .profilePhotoSet, .baseLocationSet, .sportSet, .sendLogged, .weeklyGoalSet,
      .premiumRecorded,
    ],
    [
      .groupCreated, .groupTransferred, .memberInvited, .memberRequested, .memberJoined,
      .memberLeft, .memberRemoved, .memberRoleSet,
    ],
    [
      .messageSent, .messageRemoved, .conversationRead, .notificationsRead, .userBlocked,
      .friendRequestAccepted,
    ],
  ]

  /// The types likely to follow a type within a burst, by the type's raw value.
  static let following: [[EventType]] = {
    let following: [EventType: [EventType]] = [
      .userFollowed: [
        .userFollowed, .userFollowed, .userFollowed, .userUnfollowed, .profileEdited,
      ],
      .userUnfollowed: [.userFollowed, .userFollowed, .userUnfollowed],
      .friendRequested: [
        .friendRequestAccepted, .friendRequestAccepted, .friendRequestCancelled,
        .friendRequestRejected, .friendRequested,
      ],
      .friendRequestCancelled: [.friendRequested],
      .friendRequestRejected: [.friendRequested, .userFollowed],
      .friendRequestAccepted: [.friendRemoved, .friendRequested, .workoutShared, .userFollowed],
      .friendRemoved: [.friendRequested, .friendRequested, .userUnfollowed, .chupGiven],
      .workoutShared: [.chupGiven, .commentPosted, .workoutShared, .workoutRemoved],
      .workoutEdited: [.workoutEdited, .workoutRemoved],
      .workoutRemoved: [.workoutShared, .commentPosted, .chupGiven],
      .chupGiven: [.chupGiven, .chupWithdrawn, .commentPosted, .reactionGiven],
      .reactionGiven: [.reactionGiven, .reactionWithdrawn, .workoutRemoved],
      .reactionWithdrawn: [.reactionGiven],
      .chupWithdrawn: [.chupGiven, .workoutRemoved],
      .commentPosted: [.commentPosted, .commentHearted, .commentEdited, .commentRemoved],
      .commentHearted: [.commentUnhearted, .commentHearted, .commentRemoved],
      .commentUnhearted: [.commentHearted],
      .commentRemoved: [.commentPosted, .commentHearted, .commentEdited],
      .groupCreated: [.memberInvited, .memberRequested, .memberJoined],
      .groupTransferred: [.memberLeft, .memberRemoved, .groupTransferred, .accountDeleted],
      .memberInvited: [.memberJoined, .memberJoined, .memberLeft, .memberRemoved],
      .memberRequested: [.memberJoined, .memberJoined, .memberInvited, .memberRemoved],
      .memberJoined: [.memberRoleSet, .memberJoined, .memberLeft, .groupTransferred],
      .memberRoleSet: [.groupTransferred, .memberRequested, .memberRemoved, .memberRoleSet],
      .memberLeft: [.memberRequested, .memberInvited, .memberJoined],
      .messageSent: [.messageSent, .conversationRead, .messageRemoved, .userBlocked],
      .messageRemoved: [.messageSent, .conversationRead],
      .contentReported: [.reportClosed],
      .profilePhotoSet: [.profilePhotoSet, .profilePhotoRemoved],
      .baseLocationSet: [.baseLocationSet, .baseLocationCleared],
      .sportSet: [.sportSet, .sportRemoved],
      .accountDeleted: [
        .userFollowed, .userUnfollowed, .friendRequested, .profileCreated, .profileEdited,
        .commentPosted, .chupGiven,
      ],
    ]
    return EventType.allCases.map { following[$0] ?? [] }
  }()
}
