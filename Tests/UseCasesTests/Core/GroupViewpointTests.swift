import Aggregates
import Events
import Testing
import UseCases

/// Groups, messages, notifications and reports, requested by every kind of viewer.
///
/// The viewers are:
/// - own, who owns a private group; adm, its admin; mem, a member;
/// - out, who left it; inv, who is invited; ask, who asked to join; str, a stranger;
/// - nobody, a caller without a user; support, a service.
///
/// mem and own are friends and have written to each other. All follow own.
@Suite struct GroupViewpointTests {
  static let viewers = ["own", "adm", "mem", "out", "inv", "ask", "str", "nobody", "support"]

  /// All texts in the group and in messages contain `secret`.
  static func society() async throws -> TestCore {
    let test = try await TestCore(.erg)
    for user in viewers.prefix(7) {
      _ = await test.do(
        "CreateProfile", as: user, #"{"user":"\#(user)","handle":"\#(user)"}"#)
    }
    try await test.befriend("own", "mem")
    await test.share("w1", by: "own")
    let steps: [(String, String, String)] = [
      (
        "CreateGroup", "own",
        #"{"group":"g1","name":"secret crew","description":"secret","isPublic":false}"#
      ),
      ("EditWorkout", "own", #"{"workout":"w1","text":"secret run"}"#),
      ("JoinGroup", "adm", g1), ("ApproveMember", "own", member("adm")),
      ("SetGroupRole", "own", #"{"group":"g1","user":"adm","role":"ADMIN"}"#),
      ("InviteToGroup", "adm", member("mem")), ("AcceptGroupInvitation", "mem", g1),
      ("InviteToGroup", "adm", member("out")), ("JoinGroup", "out", g1), ("LeaveGroup", "out", g1),
      ("InviteToGroup", "own", member("inv")), ("JoinGroup", "ask", g1),
      ("SendMessage", "mem", #"{"to":"own","text":"secret hello","message":"m1"}"#),
      ("SendMessage", "own", #"{"to":"mem","text":"secret answer","message":"m2"}"#),
      (
        "ReportContent", "mem",
        #"{"report":"r1","kind":"message","id":"m2","reason":"secret reason"}"#
      ),
    ]
    for (name, user, input) in steps {
      let answer = await test.reply(name, as: user, input)
      if case .failure(let error) = answer.result { Issue.record("\(name): \(error)") }
    }
    return test
  }

  private static let g1 = #"{"group":"g1"}"#
  private static func member(_ user: String) -> String { #"{"group":"g1","user":"\#(user)"}"# }

  @Test("Each use case gives each viewer the expected answer, and a refusal appends nothing")
  func viewpoints() async throws {
    let asked = try await Self.society()
    // A command may use it until one has appended something.
    var told = try await TestCore(copying: asked)
    let past = try await Past(of: asked.log.view(), until: asked.core.position, rules: .erg)
    for (name, input, says) in Self.cases {
      var found: [String] = []
      for viewer in Self.viewers {
        guard let entry = Registry.find(name) else { continue }
        let test = entry.writes ? told : asked
        var request = Request(
          name, as: viewer == "nobody" ? nil : viewer, with: try JSONValue(input))
        request.isService = viewer == "support"
        let count = await test.count
        let reply = await test.core.perform([request], photos: test.ports)[0]
        var said: Set = [Self.word(reply)]
        if case .failure = reply.result {
          #expect(await test.count == count, "\(name): refused, and appended")
        }
        if !entry.writes { said.insert(Self.word(await past.perform(request))) }
        if await told.count != asked.count { told = try await TestCore(copying: asked) }
        found.append(said.sorted().joined(separator: "|"))
      }
      #expect(found.joined(separator: " ") == says, "\(name) \(input)")
    }
  }

  /// `seen` for an answer with a secret, `ok` for one without, or the error's code.
  private static func word(_ reply: Reply) -> String {
    switch reply.result {
    case .success(let value): value.text.contains("secret") ? "seen" : "ok"
    case .failure(let error): error.code
    }
  }

  static let cases: [(name: String, input: String, says: String)] = [
    ("GetGroup", g1, inside), ("GetGroups", #"{"user":"mem"}"#, insideOrNot),
    (
      "GetGroupMembers", g1,
      "ok ok ok groupNotFound ok groupNotFound groupNotFound unauthorized ok"
    ),
    (
      "GetGroupFeed", g1,
      "seen ok seen groupNotFound ok groupNotFound groupNotFound unauthorized unauthorized"
    ),
    (
      "GetLeaderboard", #"{"period":"week","containing":"2026-01-01","group":"g1"}"#,
      "ok ok ok groupNotFound ok groupNotFound groupNotFound groupNotFound ok"
    ),
    ("CreateGroup", #"{"name":"Crew"}"#, signedIn),
    (
      "CreateGroup", #"{"group":"g1","name":"other"}"#,
      "notAuthorized notAuthorized notAuthorized notAuthorized notAuthorized notAuthorized"
        + " notAuthorized unauthorized unauthorized"
    ),
    ("EditGroup", #"{"group":"g1","name":"new"}"#, owners),
    ("DeleteGroup", g1, owners), ("TransferGroup", member("mem"), owners),
    ("TransferGroup", member("str"), owners.replacing("ok", with: "notMember")),
    (
      "SetGroupRole", #"{"group":"g1","user":"mem","role":"admin"}"#, owners
    ),
    (
      "JoinGroup", g1,
      "alreadyMember alreadyMember alreadyMember ok ok ok ok unauthorized unauthorized"
    ),
    (
      "LeaveGroup", g1,
      "ownerCannotLeave ok ok ok ok ok ok unauthorized unauthorized"
    ),
    ("InviteToGroup", member("str"), admins),
    ("InviteToGroup", member("mem"), admins.replacing("ok", with: "alreadyMember")),
    (
      "AcceptGroupInvitation", g1,
      "noSuchRequest noSuchRequest noSuchRequest groupNotFound ok groupNotFound groupNotFound"
        + " unauthorized unauthorized"
    ),
    ("DeclineGroupInvitation", g1, signedIn), ("ApproveMember", member("ask"), admins),
    ("ApproveMember", member("str"), admins.replacing("ok", with: "noSuchRequest")),
    ("RemoveMember", member("mem"), admins), ("RemoveMember", member("ask"), admins),
    (
      "RemoveMember", member("adm"),
      "ok notAuthorized notAuthorized groupNotFound notAuthorized groupNotFound groupNotFound"
        + " unauthorized unauthorized"
    ),
    ("RemoveMember", member("own"), admins.replacing("ok", with: "notAuthorized")),
    (
      "SendMessage", #"{"to":"own","text":"hi"}"#,
      "notVisible notVisible ok notVisible notVisible notVisible notVisible unauthorized"
        + " unauthorized"
    ),
    (
      "RemoveMessage", #"{"message":"m1"}"#,
      "notAuthorized messageNotFound ok messageNotFound messageNotFound messageNotFound"
        + " messageNotFound unauthorized unauthorized"
    ),
    ("MarkConversationRead", #"{"with":"own"}"#, signedIn),
    ("GetConversations", "{}", "seen ok seen ok ok ok ok unauthorized unauthorized"),
    ("GetMessages", #"{"with":"own"}"#, "ok ok seen ok ok ok ok unauthorized unauthorized"),
    ("GetMessages", #"{"with":"mem"}"#, "seen ok ok ok ok ok ok unauthorized unauthorized"),
    ("MarkNotificationsRead", "{}", signedIn), ("GetUnreadCount", "{}", signedIn),
    (
      "ReportContent", #"{"kind":"group","id":"g1","reason":"spam"}"#,
      "ok ok ok groupNotFound ok groupNotFound groupNotFound unauthorized unauthorized"
    ),
    (
      "ReportContent", #"{"kind":"message","id":"m1","reason":"spam"}"#,
      "ok messageNotFound ok messageNotFound messageNotFound messageNotFound messageNotFound"
        + " unauthorized unauthorized"
    ),
    (
      "CloseReport", #"{"report":"r1","outcome":"removed"}"#, services.replacing("seen", with: "ok")
    ),
    ("GetReports", "{}", services),
  ]

  private static let inside =
    "seen seen seen groupNotFound seen groupNotFound groupNotFound groupNotFound seen"
  private static let insideOrNot = "seen seen seen ok seen ok ok ok seen"
  private static let signedIn = "ok ok ok ok ok ok ok unauthorized unauthorized"
  private static let owners =
    "ok notAuthorized notAuthorized groupNotFound notAuthorized groupNotFound groupNotFound"
    + " unauthorized unauthorized"
  private static let admins =
    "ok ok notAuthorized groupNotFound notAuthorized groupNotFound groupNotFound unauthorized"
    + " unauthorized"
  private static let services =
    "notAuthorized notAuthorized notAuthorized notAuthorized notAuthorized notAuthorized"
    + " notAuthorized unauthorized seen"
}
