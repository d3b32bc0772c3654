import Aggregates
import Events
import Foundation
import Testing
import UseCases

/// Every use case, asked for by everybody who might: what is alice's stays with her and her
/// friends. By the rules of erg others know of her profile; by those of climb it is as if she did
/// not exist.
///
/// alice's profile is private. bob is her friend; eve was, until she ended it, and sam never was;
/// dan was too, and has deleted his account; the last one has not said who they are.
@Suite struct ViewpointTests {
  static let viewers: [String?] = ["alice", "bob", "eve", "sam", "dan", nil]

  /// Her texts all have `secret` in them.
  static func society(_ rules: Rules = .erg) async throws -> TestCore {
    let test = try await TestCore(rules)
    let sport = rules.sports[0].id
    for user in ["alice", "bob", "eve", "sam", "dan"] {
      _ = await test.do(
        "CreateProfile", as: user,
        #"{"user":"\#(user)","handle":"\#(user)","displayName":"\#(user)","#
          + #""isPublic":\#(user != "alice")}"#)
    }
    for friend in ["bob", "eve", "dan"] { try await test.befriend("alice", friend) }
    let steps: [(String, String, String)] = [
      (
        "UpdateProfile", "alice", #"{"bio":"secret bio","homeGym":"secret gym","homeZIP":"secret"}"#
      ),
      ("SetBaseLocation", "alice", #"{"latitude":1,"longitude":2,"name":"secret place"}"#),
      ("SetSport", "alice", #"{"sport":"\#(sport)","level":"expert"}"#),
      ("LogSend", "alice", #"{"climb":"secret climb"}"#),
      ("ToggleChup", "bob", #"{"workout":"w1"}"#), ("ToggleChup", "eve", #"{"workout":"w1"}"#),
      ("AttachWorkoutDetail", "alice", #"{"workout":"w1","intervals":[],"image":"secret image"}"#),
      ("EditWorkout", "alice", #"{"workout":"w1","text":"secret text"}"#),
      ("PostComment", "alice", #"{"workout":"w1","comment":"c0","text":"secret thought"}"#),
      ("PostComment", "bob", #"{"workout":"w1","comment":"c1","text":"secret answer"}"#),
      ("PostComment", "eve", #"{"workout":"w1","comment":"c2","text":"secret once"}"#),
      ("PostComment", "dan", #"{"workout":"w1","comment":"c3","text":"secret gone"}"#),
      ("RemoveFriend", "eve", #"{"friend":"alice"}"#), ("DeleteAccount", "dan", "{}"),
    ]
    await test.share("w1", by: "alice")
    for (name, user, input) in steps {
      let answer = await test.reply(name, as: user, input)
      if case .failure(let error) = answer.result { Issue.record("\(name): \(error)") }
    }
    return test
  }

  /// What a use case is asked with, and what it says to each viewer.
  private static let cases: [(name: String, input: String, says: String)] = [
    (
      "CreateProfile", #"{"user":"alice","handle":"new_alice","displayName":"A"}"#,
      "profileExists notAuthorized notAuthorized notAuthorized notAuthorized unauthorized"
    ),
    ("CheckHandleAvailability", #"{"handle":"alice"}"#, anyone),
    (
      "UpdateProfile", #"{"user":"alice","bio":"mine"}"#,
      "seen notAuthorized notAuthorized notAuthorized notAuthorized unauthorized"
    ),
    ("GetProfile", #"{"user":"alice"}"#, friendsKnow),
    ("SearchProfiles", #"{"query":"alice"}"#, signedIn),
    ("UploadProfilePhoto", #"{"user":"alice","image":"data:image/png;base64,iVBORw0KGgo="}"#, hers),
    ("DeleteProfilePhoto", #"{"user":"alice"}"#, hers),
    ("SetBaseLocation", #"{"latitude":3,"longitude":4}"#, own), ("ClearBaseLocation", "{}", own),
    ("GetBaseLocation", #"{"user":"alice"}"#, friendsKnow), ("ListSports", "{}", anyone),
    ("SetSport", #"{"sport":"SPORT","level":"expert"}"#, own),
    ("RemoveSport", #"{"sport":"rowing"}"#, own), ("GetSports", #"{"user":"alice"}"#, anyone),
    ("LogSend", #"{"climb":"x"}"#, own), ("DeleteAccount", "{}", own),
    (
      "FollowUser", #"{"followee":"alice"}"#,
      "cannotFollowSelf ok ok ok profileNotFound unauthorized"
    ),
    (
      "UnfollowUser", #"{"followee":"alice"}"#,
      "cannotFollowSelf ok ok ok profileNotFound unauthorized"
    ),
    (
      "ToggleFollow", #"{"followee":"alice"}"#,
      "cannotFollowSelf ok ok ok profileNotFound unauthorized"
    ), ("IsFollowing", #"{"followee":"alice"}"#, "ok ok ok ok ok unauthorized"),
    ("GetFollowers", #"{"user":"alice"}"#, signedIn),
    ("GetFollowing", #"{"user":"alice"}"#, signedIn),
    ("GetFollowCounts", #"{"user":"alice"}"#, anyone),
    (
      "SendFriendRequest", #"{"receiver":"alice"}"#,
      "cannotFriendSelf alreadyFriends ok ok profileNotFound unauthorized"
    ),
    (
      "CancelFriendRequest", #"{"receiver":"alice"}"#,
      "noSuchRequest noSuchRequest noSuchRequest noSuchRequest profileNotFound unauthorized"
    ),
    (
      "AcceptFriendRequest", #"{"sender":"alice"}"#,
      "noSuchRequest noSuchRequest noSuchRequest noSuchRequest profileNotFound unauthorized"
    ),
    (
      "RejectFriendRequest", #"{"sender":"alice"}"#,
      "noSuchRequest noSuchRequest noSuchRequest noSuchRequest profileNotFound unauthorized"
    ),
    (
      "RemoveFriend", #"{"friend":"alice"}"#,
      "notFriends ok notFriends notFriends profileNotFound unauthorized"
    ),
    ("GetRelationship", #"{"other":"alice"}"#, "ok ok ok ok ok unauthorized"),
    ("GetFriends", #"{"user":"alice"}"#, signedIn),
    ("GetPendingRequests", "{}", own), ("GetSentRequests", "{}", own),
    (
      "ShareWorkout", share,
      "invalidWorkout notAuthorized notAuthorized notAuthorized profileNotFound unauthorized"
    ),
    (
      "ShareWorkouts", #"{"workouts":[\#(share)]}"#,
      "invalidWorkout notAuthorized notAuthorized notAuthorized profileNotFound unauthorized"
    ),
    ("EditWorkout", #"{"workout":"w1","text":"x"}"#, hers),
    ("RemoveWorkout", #"{"workout":"w1"}"#, hers),
    ("AttachWorkoutDetail", #"{"workout":"w1","intervals":[]}"#, hers),
    ("GetWorkout", #"{"workout":"w1"}"#, friendsSee),
    ("GetWorkoutDetail", #"{"workout":"w1"}"#, friendsSee),
    ("GetFriendActivity", "{}", feed), ("GetFeed", "{}", feed),
    ("GetLeaderboard", #"{"period":"week","containing":"2026-01-01"}"#, anyone),
    ("ToggleChup", #"{"workout":"w1"}"#, friends), ("GiveBigChup", #"{"workout":"w1"}"#, friends),
    ("GetChups", #"{"workout":"w1"}"#, "ok ok notVisible notVisible notVisible notVisible"),
    ("PostComment", #"{"workout":"w1","text":"x"}"#, friends),
    ("EditComment", #"{"comment":"c0","text":"x"}"#, hers),
    (
      "EditComment", #"{"comment":"c2","text":"x"}"#,
      "notAuthorized notAuthorized notVisible notAuthorized profileNotFound unauthorized"
    ),
    ("RemoveComment", #"{"comment":"c0"}"#, hers),
    (
      "RemoveComment", #"{"comment":"c2"}"#,
      "ok notAuthorized ok notAuthorized profileNotFound unauthorized"
    ),
    ("ToggleCommentHeart", #"{"comment":"c0"}"#, friends),
    ("GetComments", #"{"workout":"w1"}"#, friendsSee),
    ("SetPhotoURL", #"{"url":"https://example.org/a.jpg"}"#, own),
    (
      "BlockUser", #"{"user":"alice"}"#, "cannotBlockSelf ok ok ok profileNotFound unauthorized"
    ),
    (
      "UnblockUser", #"{"user":"alice"}"#, "cannotBlockSelf ok ok ok profileNotFound unauthorized"
    ), ("GetBlocked", "{}", own),
    ("GiveChup", #"{"workout":"w1"}"#, friends), ("WithdrawChup", #"{"workout":"w1"}"#, own),
    ("HeartComment", #"{"comment":"c0"}"#, friends),
    ("UnheartComment", #"{"comment":"c0"}"#, own),
    ("GetNotifications", "{}", "seen ok ok ok profileNotFound unauthorized"),
  ]

  /// What differs where private profiles are hidden, and a feed is of those whom one follows.
  private static let whereHidden = [
    "GetProfile":
      "seen seen profileNotFound profileNotFound profileNotFound profileNotFound",
    "FollowUser":
      "cannotFollowSelf ok profileNotFound profileNotFound profileNotFound unauthorized",
    "ToggleFollow":
      "cannotFollowSelf ok profileNotFound profileNotFound profileNotFound unauthorized",
    "SendFriendRequest":
      "cannotFriendSelf alreadyFriends profileNotFound profileNotFound profileNotFound "
      + "unauthorized",
    "GetFriendActivity": "seen ok ok ok profileNotFound unauthorized",
    "GetFeed": "seen ok ok ok profileNotFound unauthorized",
  ]

  /// A workout whose id is alice's.
  private static let share =
    #"{"workout":"w1","localID":"other","date":"2026-01-02T10:00:00Z","workoutType":"2000m","#
    + #""totalTime":"07:30.0","totalDistance":9,"averageSplit":"01:52.5"}"#

  // alice, bob, eve, sam, dan, nobody; `seen` is an answer with something secret in it.
  private static let anyone = "ok ok ok ok ok ok"
  private static let own = "ok ok ok ok profileNotFound unauthorized"
  private static let hers =
    "ok notAuthorized notAuthorized notAuthorized profileNotFound unauthorized"
  private static let signedIn = "ok ok ok ok ok unauthorized"
  private static let friendsKnow = "seen seen ok ok ok ok"
  private static let friends = "ok ok notVisible notVisible profileNotFound unauthorized"
  private static let friendsSee = "seen seen notVisible notVisible notVisible notVisible"
  private static let feed = "seen seen ok ok profileNotFound unauthorized"

  @Test(
    "Each use case says to each viewer what it should, shows no secret, and a refusal adds nothing",
    arguments: [Rules.erg, .climb])
  func viewpoints(rules: Rules) async throws {
    for (name, input, says) in Self.cases {
      let says = (rules == .climb ? Self.whereHidden[name] : nil) ?? says
      let input = input.replacing("SPORT", with: rules.sports[1].id)
      let expected = says.split(separator: " ").map(String.init)
      for (viewer, expected) in zip(Self.viewers, expected) {
        let names = name.hasPrefix("Get") ? [name, "Refresh" + name.dropFirst(3)] : [name]
        for name in names where Registry.find(name) != nil {
          let test = try await Self.society(rules)
          let count = await test.count
          let said: String
          switch await test.reply(name, as: viewer, input).result {
          case .success(let value): said = value.text.contains("secret") ? "seen" : "ok"
          case .failure(let error):
            said = error.code
            #expect(await test.count == count, "\(name): refused, and appended")
            #expect(!"\(error)".contains("secret"), "\(name): \(error)")
          }
          #expect(said == expected, "\(name) as \(viewer ?? "nobody")")
        }
      }
    }
  }

  @Test("No use case is left out")
  func complete() {
    let named = Set(Self.cases.map(\.name))
    let refreshing = Set(named.map { "Refresh" + $0.dropFirst(3) })
    for entry in Registry.all {
      #expect(named.contains(entry.about.name) || refreshing.contains(entry.about.name))
    }
  }

  @Test("Ids that lead elsewhere are no ids, whatever use case they are given to")
  func paths() async throws {
    let test = try await Self.society()
    let ids = [
      "..", "../alice", "a/b", "/etc/passwd", "a\u{0}b", "a b", "\u{202e}ecila", "\u{1b}[2J", "",
      "a\\b", "a\"b", "é", String(repeating: "a", count: 129),
    ]
    let fields: Set<String> = [
      "user", "followee", "follower", "receiver", "sender", "friend", "other", "owner", "workout",
      "comment", "replyTo",
    ]
    let count = await test.count
    for id in ids {
      let quoted = JSONValue.string(id).text
      // Where ids are made.
      let making = [
        ("CreateProfile", id, #"{"user":\#(quoted),"handle":"free","displayName":"N"}"#),
        ("PostComment", "alice", #"{"workout":"w1","text":"x","comment":\#(quoted)}"#),
        (
          "ShareWorkout", "alice",
          Self.share.replacingOccurrences(of: #""workout":"w1""#, with: #""workout":\#(quoted)"#)
        ),
      ]
      for (name, user, input) in making {
        #expect(await test.do(name, as: user, input) == "invalidInput", "\(name), \(quoted)")
      }
      // Where they are looked for, there is nothing.
      for entry in Registry.all {
        for field in entry.fields where fields.contains(field.name) {
          let answer = await test.do(
            entry.about.name, as: "alice", "{\"\(field.name)\":\(quoted)}")
          #expect(!answer.contains("secret"), "\(entry.about.name)")
        }
        if entry.writes {
          let reply = await test.reply(entry.about.name, as: id)
          #expect(throws: UseCaseError.self, "\(entry.about.name) as \(id)") {
            try reply.result.get()
          }
        }
      }
    }
    #expect(await test.count == count)
  }
}
