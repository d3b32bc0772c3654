import Aggregates
import Events
import Foundation
import Testing
import UseCases

@Suite struct AuditTests {
  private func findings(_ lines: [(String, String, String)], rules: Rules = .climb) throws
    -> [String]
  {
    var audit = Audit(rules: rules)
    var names = Names()
    var parser = LineParser()
    var found: [String] = []
    for (index, (type, actor, data)) in lines.enumerated() {
      let line = #"{"type":"\#(type)","actor":"\#(actor)","data":\#(data)}"#
      let event = try #require(try parser.parse(Array(line.utf8), names: &names).event)
      let time = Timestamp(milliseconds: 1_798_761_600_000)  // 2027-01-01
      let moment = Moment(seq: UInt64(index) + 1, time: time)
      let user = try names.user(actor)
      if let finding = audit.apply(event, actor: names.actor(user), at: moment) {
        found.append("\(finding.seq) \(finding.code)")
      }
    }
    return found
  }

  private let people: [(String, String, String)] = ["alice", "bob", "carol"].map {
    ("ProfileCreated", $0, #"{"user":"\#($0)","handle":"\#($0)","isPublic":true}"#)
  }
  private let friends: [(String, String, String)] = [
    ("FriendRequested", "alice", #"{"sender":"alice","receiver":"bob"}"#),
    ("FriendRequestAccepted", "bob", #"{"sender":"alice","receiver":"bob"}"#),
  ]
  private let workout: (String, String, String) = (
    "WorkoutShared", "alice",
    #"{"workout":"w1","owner":"alice","localID":"1","date":"2026-01-01T00:00:00Z","#
      + #""workoutType":"2000m","totalTime":"07:00.0","totalDistance":2000,"#
      + #""averageSplit":"01:45.0","isErgTest":false}"#
  )

  @Test("The shipped stories break no rule", arguments: ["demo", "climb", "erg", "ride"])
  func stories(_ name: String) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "eventlogs/\(name)")
    let rules: Rules = name == "erg" ? .erg : name == "ride" ? .ride : .climb
    var audit = Audit(RuleHistory(unrecorded: rules))
    var names = Names()
    var found: [Audit.Finding] = []
    var count = 0
    try LogView(path: folder.path).forEachEventOfCommits(&names) {
      event, actor, moment, endsCommit in
      count += 1
      audit.apply(copy event, actor: actor, at: moment, endsCommit: endsCommit) {
        found.append($0)
      }
    }
    #expect(found == [])
    #expect(count > 20)
  }

  @Test(
    "faults 45: forbidden events are found and reported with their error codes",
    arguments: [
      ("UserFollowed", "alice", #"{"follower":"alice","followee":"alice"}"#, "cannotFollowSelf"),
      ("UserFollowed", "bob", #"{"follower":"alice","followee":"bob"}"#, "notAuthorized"),
      ("UserFollowed", "alice", #"{"follower":"alice","followee":"nobody"}"#, "profileNotFound"),
      ("UserUnfollowed", "alice", #"{"follower":"alice","followee":"bob"}"#, "changesNothing"),
      ("FriendRequested", "alice", #"{"sender":"alice","receiver":"alice"}"#, "cannotFriendSelf"),
      ("FriendRequested", "alice", #"{"sender":"alice","receiver":"bob"}"#, "alreadyFriends"),
      (
        "FriendRequestAccepted", "carol", #"{"sender":"alice","receiver":"carol"}"#, "noSuchRequest"
      ),
      (
        "FriendRequestRejected", "carol", #"{"sender":"alice","receiver":"carol"}"#, "noSuchRequest"
      ),
      ("FriendRequestCancelled", "carol", #"{"sender":"carol","receiver":"bob"}"#, "noSuchRequest"),
      ("FriendRemoved", "carol", #"{"user":"carol","friend":"bob"}"#, "notFriends"),
      ("ChupGiven", "carol", #"{"workout":"w1","user":"carol","big":false}"#, "notVisible"),
      ("ChupGiven", "bob", #"{"workout":"w2","user":"bob","big":false}"#, "workoutNotFound"),
      ("ChupWithdrawn", "bob", #"{"workout":"w1","user":"bob"}"#, "changesNothing"),
      ("ChupGiven", "alice", #"{"workout":"w1","user":"bob","big":false}"#, "notAuthorized"),
      ("ChupGiven", "dave", #"{"workout":"w1","user":"dave","big":true}"#, "profileNotFound"),
      ("ReactionGiven", "carol", #"{"workout":"w1","user":"carol","kind":"fire"}"#, "notVisible"),
      ("ReactionGiven", "alice", #"{"workout":"w1","user":"bob","kind":"fire"}"#, "notAuthorized"),
      (
        "ReactionWithdrawn", "bob", #"{"workout":"w1","user":"bob","kind":"fire"}"#,
        "changesNothing"
      ),
      (
        "CommentPosted", "carol", #"{"comment":"c1","workout":"w1","user":"carol","text":"x"}"#,
        "notVisible"
      ),
      (
        "CommentPosted", "bob", #"{"comment":"c1","workout":"w1","user":"bob","text":" "}"#,
        "commentEmpty"
      ),
      (
        "CommentPosted", "bob", #"{"comment":"c1","workout":"w1","user":"bob","text":" x"}"#,
        "recordedOtherwise"
      ),
      (
        "CommentPosted", "bob",
        #"{"comment":"c1","workout":"w1","user":"bob","text":"x","replyTo":"c0"}"#,
        "commentNotFound"
      ),
      ("CommentHearted", "bob", #"{"comment":"c9","user":"bob"}"#, "commentNotFound"),
      ("WorkoutEdited", "bob", #"{"workout":"w1","text":"mine"}"#, "notAuthorized"),
      ("WorkoutEdited", "alice", #"{"workout":"w1","totalDistance":2000}"#, "changesNothing"),
      ("WorkoutRemoved", "alice", #"{"workout":"w7"}"#, "workoutNotFound"),
      ("WorkoutRemoved", "dave", #"{"workout":"w1"}"#, "profileNotFound"),
      (
        "ProfileCreated", "dave", #"{"user":"dave","handle":"ALICE","isPublic":true}"#,
        "handleAlreadyTaken"
      ),
      (
        "ProfileCreated", "alice", #"{"user":"alice","handle":"other","isPublic":true}"#,
        "profileExists"
      ),
      ("ProfileEdited", "alice", #"{"user":"alice","handle":"a b"}"#, "invalidHandle"),
      ("ProfileEdited", "alice", #"{"user":"alice","bio":null}"#, "changesNothing"),
      (
        "SportSet", "alice", #"{"user":"alice","sport":"chess","level":"expert","isMentor":false}"#,
        "unknownSport"
      ),
      ("BaseLocationSet", "alice", #"{"user":"alice","latitude":91,"longitude":0}"#, "outOfRange"),
      ("ProfilePhotoRemoved", "alice", #"{"user":"alice"}"#, "changesNothing"),
      ("AccountDeleted", "bob", #"{"user":"alice"}"#, "notAuthorized"),
    ])
  func forbidden(_ type: String, _ actor: String, _ data: String, _ code: String) throws {
    let history = people + friends + [workout, (type, actor, data)]
    #expect(try findings(history) == ["7 \(code)"])
  }

  @Test("Every event that is not a toggle is found if it occurs twice")
  func doubled() throws {
    let lines = people + friends + [workout]
    for (index, line) in lines.enumerated() {
      var doubled = lines
      doubled.insert(line, at: index + 1)
      #expect(try findings(doubled).first?.hasPrefix("\(index + 2) ") == true)
    }
  }

  /// Rules by which a handle is free as soon as its owner gives it up.
  private var withoutRest: Rules {
    var rules = Rules.climb
    rules.handleRestDays = 0
    return rules
  }

  @Test("A deleted account frees its handle, and later events by or about it are found")
  func deletion() throws {
    let history =
      people + friends + [
        workout, ("AccountDeleted", "alice", #"{"user":"alice"}"#),
        ("ProfileCreated", "dave", #"{"user":"dave","handle":"Alice","isPublic":true}"#),
        ("ChupGiven", "bob", #"{"workout":"w1","user":"bob","big":false}"#),
        ("UserFollowed", "bob", #"{"follower":"bob","followee":"alice"}"#),
        ("FriendRemoved", "bob", #"{"user":"bob","friend":"alice"}"#),
        ("ProfileCreated", "alice", #"{"user":"alice","handle":"again","isPublic":true}"#),
      ]
    #expect(
      try findings(history, rules: withoutRest) == [
        "9 workoutNotFound", "10 profileNotFound", "11 notFriends", "12 profileExists",
      ])
  }

  @Test("After an import left a follow beside a block, only the blocker may end the follow")
  func besideABlock() throws {
    let history =
      people + [
        ("UserFollowed", "bob", #"{"follower":"bob","followee":"alice"}"#),
        ("UserFollowed", "carol", #"{"follower":"carol","followee":"alice"}"#),
        ("UserBlocked", "bob", #"{"user":"bob","other":"alice"}"#),
        ("UserBlocked", "alice", #"{"user":"alice","other":"carol"}"#),
        ("UserUnfollowed", "alice", #"{"follower":"bob","followee":"alice"}"#),
        ("UserUnfollowed", "alice", #"{"follower":"carol","followee":"alice"}"#),
      ]
    #expect(
      try findings(history) == ["6 blockIncomplete", "7 blockIncomplete", "8 notAuthorized"])
  }

  @Test("A deleted account stays deleted, even after a forbidden event that recreates it")
  func stayingDeleted() throws {
    let create = #"{"user":"alice","handle":"alice","isPublic":true}"#
    let history =
      people + friends + [
        workout, ("AccountDeleted", "alice", #"{"user":"alice"}"#),
        ("ProfileCreated", "alice", create), ("ProfileCreated", "alice", create),
        ("UserFollowed", "bob", #"{"follower":"bob","followee":"alice"}"#),
        ("CommentPosted", "alice", #"{"comment":"c1","workout":"w1","user":"alice","text":"x"}"#),
        ("ProfileCreated", "dave", #"{"user":"dave","handle":"alice","isPublic":true}"#),
      ]
    #expect(
      try findings(history, rules: withoutRest) == [
        "8 profileExists", "9 profileExists", "10 profileNotFound", "11 profileNotFound",
      ])
  }

  @Test("A chup or a heart given twice, or withdrawn twice, changes nothing")
  func repeated() throws {
    let chup = ("ChupGiven", "bob", #"{"workout":"w1","user":"bob","big":false}"#)
    let big = ("ChupGiven", "bob", #"{"workout":"w1","user":"bob","big":true}"#)
    let withdrawn = ("ChupWithdrawn", "bob", #"{"workout":"w1","user":"bob"}"#)
    #expect(
      try findings(people + friends + [workout, chup, chup, big, big, withdrawn, withdrawn])
        == ["8 changesNothing", "10 changesNothing", "12 changesNothing"])
    let comment = (
      "CommentPosted", "bob", #"{"comment":"c1","workout":"w1","user":"bob","text":"x"}"#
    )
    let hearted = ("CommentHearted", "alice", #"{"comment":"c1","user":"alice"}"#)
    let unhearted = ("CommentUnhearted", "alice", #"{"comment":"c1","user":"alice"}"#)
    #expect(
      try findings(
        people + friends + [workout, comment, comment, hearted, hearted, unhearted, unhearted])
        == ["8 changesNothing", "10 changesNothing", "12 changesNothing"])
  }

  @Test("Comments are removed with their workout or author; replies stay on one workout")
  func goneComments() throws {
    func on(_ workout: String, _ comment: String, replyTo: String? = nil) -> (
      String, String, String
    ) {
      let reply = replyTo.map { #","replyTo":"\#($0)""# } ?? ""
      return (
        "CommentPosted", "bob",
        #"{"comment":"\#(comment)","workout":"\#(workout)","user":"bob","text":"x"\#(reply)}"#
      )
    }
    var second = workout
    second.2 = second.2.replacingOccurrences(of: #""w1""#, with: #""w2""#)
      .replacingOccurrences(of: #""localID":"1""#, with: #""localID":"2""#)
    let removeWorkout = ("WorkoutRemoved", "alice", #"{"workout":"w1"}"#)
    let remove = ("CommentRemoved", "bob", #"{"comment":"c1"}"#)
    let base = people + friends + [workout, second, on("w1", "c1")]
    #expect(try findings(base + [on("w1", "c2", replyTo: "c1")]) == [])
    #expect(try findings(base + [on("w2", "c2", replyTo: "c1")]) == ["9 commentNotFound"])
    #expect(try findings(base + [removeWorkout, remove]) == ["10 commentNotFound"])
    #expect(
      try findings(base + [remove, remove, on("w1", "c2", replyTo: "c1")]) == [
        "10 commentNotFound", "11 commentNotFound",
      ])
    let leaves = ("AccountDeleted", "bob", #"{"user":"bob"}"#)
    let byOwner = ("CommentRemoved", "alice", #"{"comment":"c1"}"#)
    #expect(try findings(base + [byOwner]) == [])
    #expect(
      try findings(base + [leaves, byOwner, remove]) == [
        "10 commentNotFound", "11 profileNotFound",
      ]
    )
  }

  @Test("A local id can be shared once, and again after the workout's removal")
  func localIDs() throws {
    var again = workout
    again.2 = again.2.replacingOccurrences(of: #""w1""#, with: #""w2""#)
    var other = workout
    other.2 = other.2.replacingOccurrences(of: #""localID":"1""#, with: #""localID":"2""#)
    let remove = ("WorkoutRemoved", "alice", #"{"workout":"w1"}"#)
    #expect(try findings(people + [workout, workout]) == ["5 changesNothing"])
    #expect(try findings(people + [workout, again]) == ["5 changesNothing"])
    #expect(try findings(people + [workout, other]) == ["5 invalidWorkout"])
    #expect(try findings(people + [workout, remove, again]) == [])
    #expect(try findings(people + [workout, remove, workout]) == ["6 workoutNotFound"])
  }

  @Test("A handle that an import gave to two users is free after both have released it")
  func heldTwice() throws {
    func create(_ user: String, _ handle: String) -> (String, String, String) {
      ("ProfileCreated", user, #"{"user":"\#(user)","handle":"\#(handle)","isPublic":true}"#)
    }
    func leave(_ user: String) -> (String, String, String) {
      ("AccountDeleted", user, #"{"user":"\#(user)"}"#)
    }
    let both = [create("alice", "same"), create("bob", "SAME")]
    #expect(
      try findings(both + [leave("bob"), create("carol", "same")])
        == ["2 handleAlreadyTaken", "4 handleAlreadyTaken"])
    #expect(
      try findings(
        both + [leave("bob"), leave("alice"), create("carol", "same")], rules: withoutRest)
        == ["2 handleAlreadyTaken"])
  }

  @Test("Rules are a parameter: climb and ride allow a capital letter in a handle, erg does not")
  func rules() throws {
    let history = [
      ("ProfileCreated", "alice", #"{"user":"alice","handle":"Alice","isPublic":true}"#)
    ]
    #expect(try findings(history) == [])
    #expect(try findings(history, rules: .erg) == ["1 invalidHandle"])
    #expect(try findings(history, rules: .ride) == [])
  }
}
