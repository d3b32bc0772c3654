import Aggregates
import Events
import Foundation
import Testing
import UseCases

/// Every use case, requested by every kind of viewer: only alice and her friends see her data. By
/// the erg rules others know that her profile exists; by the climb rules it seems not to exist.
///
/// alice's profile is private. The other viewers are:
/// - bob, her friend; eve, who ended the friendship; sam, who never was a friend;
/// - dan, a former friend with a deleted account; nobody, a caller without a user;
/// - fay, who has followed alice since her profile was public;
/// - gus and hal, former friends: alice blocks gus, and hal blocks alice;
/// - support, a service.
@Suite struct ViewpointTests {
  static let viewers = [
    "alice", "bob", "eve", "sam", "dan", "nobody", "fay", "gus", "hal", "support",
  ]

  /// Marks of alice's secrets in an answer: her texts, her metres and her location.
  static let secrets = ["secret", "7654321", "12.125"]

  static func hasSecret(_ text: String) -> Bool { secrets.contains { text.contains($0) } }

  static func society(_ rules: Rules = .erg) async throws -> TestCore {
    let test = try await TestCore(rules)
    let sport = rules.sports[0].id
    for user in ["alice", "bob", "eve", "sam", "dan", "fay", "gus", "hal"] {
      _ = await test.do(
        "CreateProfile", as: user,
        #"{"user":"\#(user)","handle":"\#(user)","displayName":"\#(user)"}"#)
    }
    for friend in ["bob", "eve", "dan", "gus", "hal"] { try await test.befriend("alice", friend) }
    let steps: [(String, String, String)] = [
      ("FollowUser", "fay", #"{"followee":"alice"}"#),
      ("UpdateProfile", "alice", #"{"isPublic":false}"#),
      ("PostComment", "gus", #"{"workout":"w1","comment":"c4","text":"secret of gus"}"#),
      ("ToggleChup", "hal", #"{"workout":"w1"}"#),
      ("BlockUser", "alice", #"{"user":"gus"}"#), ("BlockUser", "hal", #"{"user":"alice"}"#),
      (
        "UpdateProfile", "alice", #"{"bio":"secret bio","homeGym":"secret gym","homeZIP":"secret"}"#
      ),
      ("SetBaseLocation", "alice", #"{"latitude":12.125,"longitude":2,"name":"secret place"}"#),
      ("SetSport", "alice", #"{"sport":"\#(sport)","level":"expert"}"#),
      ("LogSend", "alice", #"{"climb":"secret climb"}"#),
      ("ToggleChup", "bob", #"{"workout":"w1"}"#), ("ToggleChup", "eve", #"{"workout":"w1"}"#),
      ("AttachWorkoutDetail", "alice", #"{"workout":"w1","intervals":[]}"#),
      ("EditWorkout", "alice", #"{"workout":"w1","text":"secret text"}"#),
      ("PostComment", "alice", #"{"workout":"w1","comment":"c0","text":"secret thought"}"#),
      ("PostComment", "bob", #"{"workout":"w1","comment":"c1","text":"secret answer"}"#),
      ("PostComment", "eve", #"{"workout":"w1","comment":"c2","text":"secret once"}"#),
      ("PostComment", "dan", #"{"workout":"w1","comment":"c3","text":"secret gone"}"#),
      ("RemoveFriend", "eve", #"{"friend":"alice"}"#), ("DeleteAccount", "dan", "{}"),
    ]
    await test.share("w1", by: "alice", meters: 7_654_321)
    for (name, user, input) in steps {
      let answer = await test.reply(name, as: user, input)
      if case .failure(let error) = answer.result { Issue.record("\(name): \(error)") }
    }
    return test
  }

  @Test(
    "Each use case gives each viewer the expected answer, without secrets; refusals append nothing",
    arguments: [Rules.erg, .climb])
  func viewpoints(rules: Rules) async throws {
    let asked = try await Self.society(rules)
    // A command may use it until one has appended something.
    var told = try await TestCore(copying: asked)
    let past = try await Self.past(rules)
    for (name, input, says) in Self.cases {
      let says = Self.says(rules, to: (name, input, says))
      let input = try JSONValue(input.replacing("SPORT", with: rules.sports[1].id))
      let names = name.hasPrefix("Get") ? [name, "Refresh" + name.dropFirst(3)] : [name]
      var found: [String] = []
      for viewer in Self.viewers {
        var said: Set<String> = []
        for name in names {
          guard let entry = Registry.find(name) else { continue }
          let test = entry.writes ? told : asked
          var request = Request(name, as: viewer == "nobody" ? nil : viewer, with: input)
          request.isService = viewer == "support"
          let count = await test.count
          let reply = await test.core.perform([request], photos: test.ports)[0]
          said.insert(Self.word(reply))
          if case .failure = reply.result {
            #expect(await test.count == count, "\(name): refused, and appended")
          }
          if !entry.writes { said.insert(Self.word(await past.perform(request))) }
          if await told.count != asked.count { told = try await TestCore(copying: asked) }
        }
        found.append(said.sorted().joined(separator: "|"))
      }
      #expect(found == says, "\(name) \(input.text), \(rules.name)")
    }
  }

  /// `seen` for an answer with a secret, `ok` for one without, or the error's code.
  private static func word(_ reply: Reply) -> String {
    switch reply.result {
    case .success(let value): return hasSecret(value.text) ? "seen" : "ok"
    case .failure(let error):
      #expect(!hasSecret("\(error)"))
      return error.code
    }
  }

  /// A past revision of a log in which everybody may see everything later.
  private static func past(_ rules: Rules) async throws -> Past {
    let test = try await society(rules)
    let until = test.core.position
    for (name, user, input) in [
      ("UpdateProfile", "alice", #"{"isPublic":true}"#),
      ("UnblockUser", "hal", #"{"user":"alice"}"#),
      ("UnblockUser", "alice", #"{"user":"gus"}"#),
      ("EditWorkout", "alice", #"{"workout":"w1","audience":"public"}"#),
    ] {
      let reply = await test.reply(name, as: user, input)
      if case .failure(let error) = reply.result { Issue.record("\(name): \(error)") }
    }
    return try await Past(of: test.log.view(), until: until, rules: rules)
  }

  @Test("No use case is left out")
  func complete() {
    let named = Set((Self.cases + GroupViewpointTests.cases).map(\.name))
    let refreshing = Set(named.map { "Refresh" + $0.dropFirst(3) })
    for entry in Registry.all {
      #expect(named.contains(entry.about.name) || refreshing.contains(entry.about.name))
    }
  }

  @Test("No use case accepts an id that leads elsewhere, such as ../alice")
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
      // Use cases that create ids.
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
      // Use cases that look up ids find nothing.
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
