import Events

/// The state at one point of a generated history: just enough to know what may come next.
///
/// Users, workouts and comments are numbered 0, 1, 2 … here. Deleting an account only marks it:
/// what belonged to it is gone because every query considers living users only.
struct GeneratedWorld {
  var userIDs: [UserID] = []
  var isAlive: [Bool] = []
  var profiles: [ProfileMarks] = []
  var handles: [String] = []
  /// Every user, most followed first; newcomers get a random rank.
  var ranks: [UInt32] = []
  var deletions = 0
  /// Handles that were given up and are free.
  var freeHandles: [String] = []

  var follows = PairStates()
  var friendships = PairStates()
  var friends: [[UInt32]] = []
  var requests: [Request] = []
  /// Who blocks whom: sender and receiver.
  var blocks: [Request] = []

  var workouts: [WorkoutMarks] = []
  var chups = PairStates()
  /// A user's reaction to a workout: one at a time here.
  var reactions = PairStates()
  var comments: [CommentMarks] = []
  var hearts = PairStates()
  var groups: [GroupMarks] = []
  /// What users are to groups.
  var members = PairStates()
  /// How many groups each user owns.
  var ownedGroups: [UInt32] = []
  var messages: [MessageMarks] = []
  var reports: [ReportMarks] = []
  /// How many of them are closed: the first ones.
  var closedReports = 0

  enum MemberState {
    static let invited: UInt8 = 1
    static let requested: UInt8 = 2
    static let member: UInt8 = 3
    static let admin: UInt8 = 4
    static let owner: UInt8 = 5
    static let ended: UInt8 = 6
  }

  enum FollowState {
    static let following: UInt8 = 1
    static let ended: UInt8 = 2
  }
  enum FriendState {
    static let requested: UInt8 = 1
    static let friends: UInt8 = 2
    static let ended: UInt8 = 3
    static let blocked: UInt8 = 4
  }
  enum ChupState {
    static let plain: UInt8 = 1
    static let big: UInt8 = 2
    static let withdrawn: UInt8 = 3
  }
  /// One and the number of the kind that stands, or `withdrawn`.
  enum ReactionState {
    static let given: ClosedRange<UInt8> = 1...UInt8(ReactionKind.allCases.count)
    static let withdrawn: UInt8 = 7
  }
  enum HeartState {
    static let hearted: UInt8 = 1
    static let ended: UInt8 = 2
  }

  /// A friend request that awaits an answer.
  struct Request {
    var sender: UInt32
    var receiver: UInt32
  }

  /// The state of a friendship, in either order of the users.
  @inline(__always)
  func friendship(_ one: Int, _ other: Int) -> UInt8 {
    friendships[min(one, other), max(one, other)]
  }

  @inline(__always)
  mutating func setFriendship(_ one: Int, _ other: Int, _ state: UInt8) {
    friendships[min(one, other), max(one, other)] = state
  }

  /// Whether a user may follow or ask another under the strictest rules: those who do not see a
  /// person cannot.
  @inline(__always)
  func sees(_ user: Int, profileOf other: Int) -> Bool {
    switch friendship(user, other) {
    case FriendState.blocked: false
    case FriendState.friends: true
    default: profiles[other].isPublic
    }
  }

  /// Whether a block stands between two users: then neither sees the other's comments.
  @inline(__always)
  func isBlocked(_ one: Int, _ other: Int) -> Bool {
    one != other && friendship(one, other) == FriendState.blocked
  }

  /// Whether the workout exists and its owner does too.
  @inline(__always)
  func exists(workout: Int) -> Bool {
    !workouts[workout].isRemoved && isAlive[Int(workouts[workout].owner)]
  }

  /// Whether the comment, its author, its workout and the workout's owner all exist.
  @inline(__always)
  func exists(comment: Int) -> Bool {
    !comments[comment].isRemoved && isAlive[Int(comments[comment].author)]
      && exists(workout: Int(comments[comment].workout))
  }

  /// Whether the user exists, and is the workout's owner or a friend who may see it.
  @inline(__always)
  func sees(_ user: Int, workout: Int) -> Bool {
    let owner = Int(workouts[workout].owner)
    return isAlive[user]
      && (user == owner
        || !workouts[workout].isPrivate && friendship(user, owner) == FriendState.friends)
  }
}

/// A user's profile as fingerprints of its members, 0 for a missing one: shows what an edit would
/// change.
struct ProfileMarks {
  var displayName: UInt32 = 0
  var bio: UInt32 = 0
  var homeGym: UInt32 = 0
  var homeZIP: UInt32 = 0
  var climbingSince: UInt32 = 0
  var favoriteStyle: UInt32 = 0
  var boulderGradeScale: UInt32 = 0
  var routeGradeScale: UInt32 = 0
  var riderType: UInt32 = 0
  var location: UInt32 = 0
  var isPublic: Bool
  var hasPhoto = false
  /// The weekly goal, in metres.
  var goal: UInt32 = 0
  /// How many handles were generated for the user.
  var handleCount: UInt16 = 1
  /// How many workouts the user shared.
  var workoutCount: UInt32 = 0
  /// Four bits per sport: 0 for none, otherwise 1 + 2 × level, + 1 for a mentor.
  var sports: UInt64 = 0
}

/// A workout, with fingerprints of the members that an edit may change.
struct WorkoutMarks {
  var id: WorkoutID
  var owner: UInt32
  var isRemoved = false
  var isPrivate = false
  var isErgTest: Bool
  var detail = Detail.none
  var kind: UInt8
  var effort: Effort
  var date: UInt32
  var intensityZone: UInt32 = 0
  var text: UInt32 = 0
  var session: UInt32 = 0
  var climb: UInt32 = 0
  /// The number of the newest comment plus one; 0 if there is none.
  var lastComment: UInt32 = 0

  /// The kind of detail attached: none, read from a photo, or corrected or typed by hand.
  enum Detail: UInt8 { case none, read, edited }
}

/// A distance in metres, the time taken for it, and the time for 500 m, both in tenths of a second.
struct Effort {
  var meters: UInt32
  var time: UInt32
  var split: UInt16
}

/// A comment, with a fingerprint of its text.
struct CommentMarks {
  var id: CommentID
  var workout: UInt32
  var author: UInt32
  var text: UInt32
  var isRemoved = false
}

/// A group; what its members are is in `members`.
struct GroupMarks {
  var id: GroupID
  var owner: UInt32
  var isPublic: Bool
  var isDeleted = false
  var name: UInt32
}

struct MessageMarks {
  var id: MessageID
  var sender: UInt32
  var receiver: UInt32
  var isRemoved = false
}

/// A report of a workout.
struct ReportMarks {
  var id: ReportID
  var workout: UInt32
}
