import Aggregates

/// The expected answers to the viewers of `ViewpointTests`.
extension ViewpointTests {
  /// The input of a use case and its expected answer to each viewer.
  static let cases: [(name: String, input: String, says: String)] = [
    (
      "CreateProfile", #"{"user":"alice","handle":"new_alice","displayName":"A"}"#,
      "profileExists notAuthorized notAuthorized notAuthorized notAuthorized unauthorized"
        + " notAuthorized notAuthorized notAuthorized unauthorized"
    ),
    ("CheckHandleAvailability", #"{"handle":"alice"}"#, anyone),
    (
      "UpdateProfile", #"{"user":"alice","bio":"mine"}"#,
      "seen notAuthorized notAuthorized notAuthorized notAuthorized unauthorized"
        + " notAuthorized notAuthorized notAuthorized unauthorized"
    ),
    ("GetProfile", #"{"user":"alice"}"#, knownButBlocked),
    ("SearchProfiles", #"{"query":"alice"}"#, signedIn),
    (
      "UploadProfilePhoto",
      #"{"user":"alice","image":"data:image/png;base64,\#(pixelText)"}"#, herPhoto
    ),
    ("DeleteProfilePhoto", #"{"user":"alice"}"#, herPhoto),
    ("SetBaseLocation", #"{"latitude":3,"longitude":4}"#, own), ("ClearBaseLocation", "{}", own),
    ("GetBaseLocation", #"{"user":"alice"}"#, friendsKnow), ("ListSports", "{}", anyone),
    ("SetSport", #"{"sport":"SPORT","level":"expert"}"#, own),
    ("RemoveSport", #"{"sport":"rowing"}"#, own), ("GetSports", #"{"user":"alice"}"#, anyone),
    ("LogSend", #"{"climb":"x"}"#, own), ("DeleteAccount", "{}", own),
    (
      "FollowUser", #"{"followee":"alice"}"#,
      "cannotFollowSelf ok ok ok profileNotFound unauthorized"
        + " ok profileNotFound profileNotFound unauthorized"
    ),
    (
      "UnfollowUser", #"{"followee":"alice"}"#,
      "cannotFollowSelf ok ok ok profileNotFound unauthorized"
        + " ok ok ok unauthorized"
    ),
    (
      "ToggleFollow", #"{"followee":"alice"}"#,
      "cannotFollowSelf ok ok ok profileNotFound unauthorized"
        + " ok profileNotFound profileNotFound unauthorized"
    ),
    (
      "IsFollowing", #"{"followee":"alice"}"#,
      "ok ok ok ok ok unauthorized"
        + " ok ok ok unauthorized"
    ),
    ("GetFollowers", #"{"user":"alice"}"#, signedIn),
    ("GetFollowing", #"{"user":"alice"}"#, signedIn),
    ("GetFollowCounts", #"{"user":"alice"}"#, anyone),
    (
      "SendFriendRequest", #"{"receiver":"alice"}"#,
      "cannotFriendSelf alreadyFriends ok ok profileNotFound unauthorized"
        + " ok profileNotFound profileNotFound unauthorized"
    ),
    (
      "CancelFriendRequest", #"{"receiver":"alice"}"#,
      "noSuchRequest noSuchRequest noSuchRequest noSuchRequest profileNotFound unauthorized"
        + " noSuchRequest noSuchRequest noSuchRequest unauthorized"
    ),
    (
      "AcceptFriendRequest", #"{"sender":"alice"}"#,
      "noSuchRequest noSuchRequest noSuchRequest noSuchRequest profileNotFound unauthorized"
        + " noSuchRequest noSuchRequest noSuchRequest unauthorized"
    ),
    (
      "RejectFriendRequest", #"{"sender":"alice"}"#,
      "noSuchRequest noSuchRequest noSuchRequest noSuchRequest profileNotFound unauthorized"
        + " noSuchRequest noSuchRequest noSuchRequest unauthorized"
    ),
    (
      "RemoveFriend", #"{"friend":"alice"}"#,
      "notFriends ok notFriends notFriends profileNotFound unauthorized"
        + " notFriends notFriends notFriends unauthorized"
    ),
    (
      "GetRelationship", #"{"other":"alice"}"#,
      "ok ok ok ok ok unauthorized"
        + " ok ok ok unauthorized"
    ),
    ("GetFriends", #"{"user":"alice"}"#, signedIn),
    ("GetPendingRequests", "{}", own), ("GetSentRequests", "{}", own),
    (
      "ShareWorkout", share,
      "invalidWorkout notAuthorized notAuthorized notAuthorized profileNotFound unauthorized"
        + " notAuthorized workoutNotFound workoutNotFound unauthorized"
    ),
    (
      "ShareWorkouts", #"{"workouts":[\#(share)]}"#,
      "invalidWorkout notAuthorized notAuthorized notAuthorized profileNotFound unauthorized"
        + " notAuthorized workoutNotFound workoutNotFound unauthorized"
    ),
    ("EditWorkout", #"{"workout":"w1","text":"x"}"#, hers),
    ("RemoveWorkout", #"{"workout":"w1"}"#, removing),
    ("AttachWorkoutDetail", #"{"workout":"w1","intervals":[]}"#, hers),
    (
      "AttachWorkoutPhoto", #"{"workout":"w1","image":"data:;base64,\#(pixelText)"}"#,
      attachingPhoto
    ),
    ("GetWorkout", #"{"workout":"w1"}"#, friendsSee),
    ("GetWorkoutDetail", #"{"workout":"w1"}"#, friendsSee),
    ("GetFriendActivity", "{}", feed), ("GetFeed", "{}", feed),
    ("GetWeeklyMeters", #"{"user":"alice","containing":"2026-01-01"}"#, friendsKnow),
    ("SetWeeklyGoal", #"{"meters":20000}"#, own),
    (
      "RecordPremium", #"{"user":"alice","product":"plus","expires":"2027-01-01T00:00:00Z"}"#,
      "notAuthorized notAuthorized notAuthorized notAuthorized notAuthorized unauthorized"
        + " notAuthorized notAuthorized notAuthorized ok"
    ),
    ("GetLeaderboard", #"{"period":"week","containing":"2026-01-01"}"#, friendsKnow),
    (
      "GetLeaderboard", #"{"period":"month","containing":"2026-01-01","friendsOnly":true}"#,
      "seen seen ok ok profileNotFound unauthorized"
        + " ok ok ok unauthorized"
    ),
    (
      "ToggleChup", #"{"workout":"w1"}"#,
      "ok ok ok notVisible profileNotFound unauthorized"
        + " notVisible workoutNotFound ok unauthorized"
    ), ("GiveBigChup", #"{"workout":"w1"}"#, friends),
    (
      "GetChups", #"{"workout":"w1"}"#,
      "ok ok notVisible notVisible notVisible notVisible"
        + " notVisible workoutNotFound workoutNotFound ok"
    ),
    ("PostComment", #"{"workout":"w1","text":"x"}"#, friends),
    ("EditComment", #"{"comment":"c0","text":"x"}"#, ofComment(hers)),
    (
      "EditComment", #"{"comment":"c2","text":"x"}"#,
      ofComment(hers).replacing("ok", with: "notAuthorized")
    ),
    ("RemoveComment", #"{"comment":"c0"}"#, ofComment(removing)),
    (
      "RemoveComment", #"{"comment":"c2"}"#,
      "ok notAuthorized ok notVisible profileNotFound unauthorized"
        + " notVisible commentNotFound commentNotFound ok"
    ),
    (
      // The block hides the comment from alice, but it is on her workout.
      "RemoveComment", #"{"comment":"c4"}"#,
      "ok notAuthorized notVisible notVisible profileNotFound unauthorized"
        + " notVisible ok commentNotFound ok"
    ),
    ("ToggleCommentHeart", #"{"comment":"c0"}"#, ofComment(friends)),
    (
      "ToggleCommentHeart", #"{"comment":"c4"}"#,
      "commentNotFound ok notVisible notVisible profileNotFound unauthorized"
        + " notVisible commentNotFound commentNotFound unauthorized"
    ),
    ("GetComments", #"{"workout":"w1"}"#, friendsSee),
    ("SetPhotoURL", #"{"url":"https://example.org/a.jpg"}"#, own),
    (
      "BlockUser", #"{"user":"alice"}"#,
      "cannotBlockSelf ok ok ok profileNotFound unauthorized"
        + " ok ok ok unauthorized"
    ),
    (
      "UnblockUser", #"{"user":"alice"}"#,
      "cannotBlockSelf ok ok ok profileNotFound unauthorized"
        + " ok ok ok unauthorized"
    ), ("GetBlocked", "{}", own),
    ("GiveChup", #"{"workout":"w1"}"#, friends), ("WithdrawChup", #"{"workout":"w1"}"#, own),
    ("GiveReaction", #"{"workout":"w1","kind":"clap"}"#, friends),
    ("WithdrawReaction", #"{"workout":"w1","kind":"clap"}"#, own),
    (
      "GetReactions", #"{"workout":"w1"}"#,
      "ok ok notVisible notVisible notVisible notVisible"
        + " notVisible workoutNotFound workoutNotFound ok"
    ),
    ("HeartComment", #"{"comment":"c0"}"#, ofComment(friends)),
    ("UnheartComment", #"{"comment":"c0"}"#, own),
    ("ReportContent", #"{"kind":"workout","id":"w1","reason":"x"}"#, friends),
    ("ReportContent", #"{"kind":"comment","id":"c0","reason":"x"}"#, ofComment(friends)),
    (
      "GetNotifications", "{}",
      "seen ok ok ok profileNotFound unauthorized"
        + " ok ok ok unauthorized"
    ),
  ]

  /// The differences if private profiles are hidden and a feed has the users whom one follows.
  static let whereHidden = [
    "ShareWorkout": takenByHidden, "ShareWorkouts": takenByHidden,
    "GetProfile":
      "seen seen profileNotFound profileNotFound profileNotFound profileNotFound"
      + " profileNotFound profileNotFound profileNotFound seen",
    "FollowUser":
      "cannotFollowSelf ok profileNotFound profileNotFound profileNotFound unauthorized"
      + " profileNotFound profileNotFound profileNotFound unauthorized",
    "ToggleFollow":
      "cannotFollowSelf ok profileNotFound profileNotFound profileNotFound unauthorized"
      + " ok profileNotFound profileNotFound unauthorized",
    "SendFriendRequest":
      "cannotFriendSelf alreadyFriends profileNotFound profileNotFound profileNotFound unauthorized"
      + " profileNotFound profileNotFound profileNotFound unauthorized",
    "GetFriendActivity":
      "seen ok ok ok profileNotFound unauthorized"
      + " ok ok ok unauthorized",
    "GetFeed":
      "seen ok ok ok profileNotFound unauthorized"
      + " ok ok ok unauthorized",
  ]

  /// The expected answers of a case to each viewer under some rules.
  static func says(
    _ rules: Rules, to expected: (name: String, input: String, says: String)
  ) -> [String] {
    var says = expected.says
    if rules.privateProfiles == .hidden {
      // If alice is hidden, her items are like items that never existed.
      let isOfComment = expected.says.contains("commentNotFound")
      says =
        whereHidden[expected.name]
        ?? says.replacing("notVisible", with: isOfComment ? "commentNotFound" : "workoutNotFound")
    }
    return says.split(separator: " ").map { "\($0)" }
  }

  /// A workout with the id of alice's workout.
  static let share =
    #"{"workout":"w1","localID":"other","date":"2026-01-02T10:00:00Z","workoutType":"2000m","#
    + #""totalTime":"07:30.0","totalDistance":9,"averageSplit":"01:52.5"}"#

  /// The id of a hidden user's item is like the id of a removed one.
  private static let takenByHidden =
    "invalidWorkout notAuthorized workoutNotFound workoutNotFound profileNotFound unauthorized"
    + " workoutNotFound workoutNotFound workoutNotFound unauthorized"

  private static let anyone =
    "ok ok ok ok ok ok"
    + " ok ok ok ok"
  private static let own =
    "ok ok ok ok profileNotFound unauthorized"
    + " ok ok ok unauthorized"
  private static let herPhoto =
    "ok notAuthorized notAuthorized notAuthorized profileNotFound unauthorized"
    + " notAuthorized notAuthorized notAuthorized unauthorized"
  private static let hers =
    "ok notAuthorized notVisible notVisible profileNotFound unauthorized"
    + " notVisible workoutNotFound workoutNotFound unauthorized"
  private static let attachingPhoto =
    "ok notAuthorized workoutNotFound workoutNotFound profileNotFound unauthorized"
    + " workoutNotFound workoutNotFound workoutNotFound unauthorized"
  private static let removing =
    "ok notAuthorized notVisible notVisible profileNotFound unauthorized"
    + " notVisible workoutNotFound workoutNotFound ok"
  private static let signedIn =
    "ok ok ok ok ok unauthorized"
    + " ok ok ok ok"
  private static let friendsKnow =
    "seen seen ok ok ok ok"
    + " ok ok ok seen"
  private static let knownButBlocked =
    "seen seen ok ok ok ok ok profileNotFound profileNotFound seen"
  private static let friends =
    "ok ok notVisible notVisible profileNotFound unauthorized"
    + " notVisible workoutNotFound workoutNotFound unauthorized"
  private static let friendsSee =
    "seen seen notVisible notVisible notVisible notVisible"
    + " notVisible workoutNotFound workoutNotFound seen"
  private static func ofComment(_ says: String) -> String {
    says.replacing("workoutNotFound", with: "commentNotFound")
  }
  private static let feed =
    "seen seen ok ok profileNotFound unauthorized"
    + " ok ok ok unauthorized"
}
