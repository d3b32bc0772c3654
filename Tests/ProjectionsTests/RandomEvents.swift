import Events
import FaultTesting

/// Events of every type by and about a small cast, any of them possible, sensible or not.
struct RandomEvents {
  private var random: SplitMix64
  private let users: [UserID]
  private let workouts: [WorkoutID]
  private let comments: [CommentID]

  init(_ seed: UInt64, _ names: inout Names) throws {
    random = SplitMix64(seed: seed)
    users = try (0..<7).map { try names.user("u\($0)") }
    workouts = try (0..<6).map { try names.workout("w\($0)") }
    comments = try (0..<6).map { try names.comment("c\($0)") }
  }

  private mutating func pick<T>(_ values: [T]) -> T {
    values[Int(random.next() % UInt64(values.count))]
  }
  private mutating func flip() -> Bool { random.next() % 2 == 0 }

  private mutating func patch(_ texts: [String]) -> Patch<String> {
    pick([.keep, .keep, .clear] + texts.map { .set($0) })
  }

  /// On both sides of a week's and a month's end, before 1970, and with offsets.
  private mutating func date() -> DateTime {
    let texts = [
      "2026-01-31T23:59:59.999Z", "2026-02-01T00:00:00Z", "2026-02-01T23:59:59.999Z",
      "2026-02-02T00:00:00Z", "2026-02-01T23:30:00-01:00", "1969-12-31T23:59:59Z",
      "1969-12-28T23:59:59Z", "2024-02-29T12:00:00Z", "0000-01-01T00:00:00Z",
    ]
    return DateTime(pick(texts))!
  }

  mutating func next() throws -> Event {
    let (a, b, w, c) = (pick(users), pick(users), pick(workouts), pick(comments))
    switch random.next() % 30 {
    case 0: return .profileCreated(profile(a))
    case 1, 2:
      return .profileEdited(
        ProfileEdited(
          user: a, handle: flip() ? pick(["Ann", "ann", "bo"]) : nil,
          displayName: patch(["A", "B"]), bio: patch(["x"]), isPublic: flip() ? flip() : nil))
    case 3:
      return .profilePhotoSet(
        ProfilePhotoSet(
          user: a, url: "u", path: pick(["p", "q"]), bytes: 1, contentType: "image/png"))
    case 4: return .profilePhotoRemoved(UserReference(user: a))
    case 5: return .baseLocationSet(BaseLocationSet(user: a, latitude: 1, longitude: 2, name: "n"))
    case 6: return .baseLocationCleared(UserReference(user: a))
    case 7:
      return .sportSet(
        SportSet(
          user: a, sport: try SportID(pick(["ski", "rowing"])),
          level: pick([.beginner, .expert]), isMentor: flip()))
    case 8: return .sportRemoved(SportRemoved(user: a, sport: try SportID("ski")))
    case 9: return .sendLogged(SendLogged(user: a, climb: "c"))
    case 10:
      return random.next() % 4 == 0
        ? .accountDeleted(UserReference(user: a)) : .profileCreated(profile(a))
    case 11, 12, 13: return .userFollowed(Follow(follower: a, followee: b))
    case 14: return .userUnfollowed(Follow(follower: a, followee: b))
    case 15, 16: return .friendRequested(FriendRequest(sender: a, receiver: b))
    case 17: return .friendRequestAccepted(FriendRequest(sender: a, receiver: b))
    case 18:
      let request = FriendRequest(sender: a, receiver: b)
      return flip() ? .friendRequestCancelled(request) : .friendRequestRejected(request)
    case 19: return .friendRemoved(FriendRemoved(user: a, friend: b))
    case 20, 21:
      return .workoutShared(
        WorkoutShared(
          workout: w, owner: a, localID: "l", date: date(), workoutType: "t", totalTime: "t",
          totalDistance: Int64(random.next() % 3) * 1_000, averageSplit: "s", isErgTest: flip()))
    case 22:
      return .workoutEdited(
        WorkoutEdited(
          workout: w, date: flip() ? date() : nil, totalDistance: flip() ? 500 : nil,
          text: patch(["x"])))
    case 23:
      return flip()
        ? .workoutDetailAttached(
          WorkoutDetailAttached(workout: w, intervals: [], wasManuallyEdited: flip()))
        : random.next() % 3 == 0
          ? .workoutRemoved(WorkoutReference(workout: w))
          : .chupGiven(ChupGiven(workout: w, user: a, big: true))
    case 24: return .chupGiven(ChupGiven(workout: w, user: a, big: flip()))
    case 25: return .chupWithdrawn(ChupWithdrawn(workout: w, user: a))
    case 26:
      return .commentPosted(
        CommentPosted(
          comment: c, workout: w, user: a, text: pick(["x", "y"]),
          replyTo: flip() ? pick(comments) : nil))
    case 27:
      return random.next() % 3 == 0
        ? .commentRemoved(CommentReference(comment: c))
        : .commentEdited(CommentEdited(comment: c, text: pick(["x", "z"])))
    case 28: return .commentHearted(Heart(comment: c, user: a))
    default: return .commentUnhearted(Heart(comment: c, user: a))
    }
  }

  private mutating func profile(_ user: UserID) -> ProfileCreated {
    ProfileCreated(
      user: user, handle: pick(["Ann", "BO", "cy"]), displayName: flip() ? "A" : nil,
      isPublic: flip())
  }
}
