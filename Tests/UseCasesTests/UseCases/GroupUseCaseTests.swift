import Events
import Testing
import UseCases

@Suite struct GroupUseCaseTests {
  private func crew(isPublic: Bool = true) async throws -> TestCore {
    let test = try await TestCore()
    try await test.people("ann", "ben", "cem", "dan")
    #expect(
      await test.do(
        "CreateGroup", as: "ann", #"{"group":"g1","name":" Crew ","isPublic":\#(isPublic)}"#)
        == #""g1""#)
    return test
  }

  private func `do`(
    _ test: TestCore, _ name: String, _ user: String, _ other: String? = nil
  ) async -> String {
    let rest = other.map { #","user":"\#($0)""# } ?? ""
    return await test.do(name, as: user, #"{"group":"g1"\#(rest)}"#)
  }

  private func members(_ test: TestCore, as user: String = "ann") async -> [String] {
    let input = #"{"group":"g1"}"#
    let users = await test.list("GetGroupMembers", as: user, input)
    let roles = await test.list("GetGroupMembers", as: user, input, member: "role")
    return zip(users, roles).map { "\($0) \($1)" }
  }

  @Test("A public group is joined at once; the owner is listed first, then others by joining time")
  func joining() async throws {
    let test = try await crew()
    #expect(await self.do(test, "JoinGroup", "ben") == #""joined""#)
    #expect(await self.do(test, "JoinGroup", "cem") == #""joined""#)
    #expect(await self.do(test, "JoinGroup", "ben") == "alreadyMember")
    #expect(await members(test) == ["ann owner", "ben member", "cem member"])
    #expect(await self.do(test, "TransferGroup", "ann", "cem") == "null")
    #expect(await members(test) == ["cem owner", "ann admin", "ben member"])
    #expect(
      await test.do("GetGroup", as: "ben", #"{"group":"g1"}"#)
        == #"{"group":"g1","name":"Crew","description":null,"isPublic":true,"owner":"cem","#
        + #""memberCount":3,"membership":"member","createdAt":"2026-01-19T09:00:00.000Z","#
        + #""requests":null}"#)
    #expect(await test.list("GetGroups", as: "ben", member: "group") == ["g1"])
    #expect(await self.do(test, "LeaveGroup", "cem") == "ownerCannotLeave")
    #expect(await self.do(test, "LeaveGroup", "ann") == "null")
    #expect(await self.do(test, "LeaveGroup", "ann") == "null")
    #expect(await members(test, as: "ben") == ["cem owner", "ben member"])
    #expect(test.core.brokenInvariant() == nil)
  }

  @Test(
    "In a private group a repeated request appends nothing, and an invitation accepts a request")
  func requests() async throws {
    let test = try await crew(isPublic: false)
    #expect(await self.do(test, "JoinGroup", "ben") == #""requested""#)
    let count = await test.count
    #expect(await self.do(test, "JoinGroup", "ben") == #""requested""#)
    #expect(await test.count == count)
    #expect(await self.do(test, "GetGroup", "ben") == "groupNotFound")
    // An invitation admits a user who has asked, and an invited user joins at once.
    #expect(await self.do(test, "InviteToGroup", "ann", "ben") == "null")
    #expect(await self.do(test, "InviteToGroup", "ann", "cem") == "null")
    #expect(await self.do(test, "JoinGroup", "cem") == #""joined""#)
    #expect(await members(test) == ["ann owner", "ben member", "cem member"])
    #expect(await self.do(test, "AcceptGroupInvitation", "dan") == "groupNotFound")
    #expect(await self.do(test, "InviteToGroup", "ann", "dan") == "null")
    #expect(await self.do(test, "DeclineGroupInvitation", "dan") == "null")
    #expect(await self.do(test, "AcceptGroupInvitation", "dan") == "groupNotFound")
    // Declining does not end a membership.
    #expect(await self.do(test, "DeclineGroupInvitation", "ben") == "null")
    #expect(await members(test).count == 3)
  }

  @Test("Admins approve and remove members; the owner also edits, sets roles and deletes")
  func roles() async throws {
    let test = try await crew(isPublic: false)
    for user in ["ben", "cem"] {
      _ = await self.do(test, "InviteToGroup", "ann", user)
      _ = await self.do(test, "AcceptGroupInvitation", user)
    }
    func set(_ role: String) async -> String {
      await test.do("SetGroupRole", as: "ann", #"{"group":"g1","user":"ben","role":"\#(role)"}"#)
    }
    #expect(await set("ADMIN") == "null")
    #expect(await set("boss") == "invalidInput")
    #expect(await self.do(test, "JoinGroup", "dan") == #""requested""#)
    #expect(await self.do(test, "ApproveMember", "cem", "dan") == "notAuthorized")
    #expect(await self.do(test, "ApproveMember", "ben", "dan") == "null")
    #expect(await self.do(test, "RemoveMember", "ben", "dan") == "null")
    #expect(await self.do(test, "RemoveMember", "ben", "dan") == "notMember")
    #expect(await self.do(test, "RemoveMember", "ben", "ann") == "notAuthorized")
    let edit = #"{"group":"g1","name":"New","description":"d","isPublic":true}"#
    #expect(await test.do("EditGroup", as: "ben", edit) == "notAuthorized")
    #expect(await test.do("EditGroup", as: "ann", edit) == "null")
    #expect(
      await test.do("EditGroup", as: "ann", #"{"group":"g1","description":null}"#) == "null")
    #expect(
      await test.do("GetGroup", #"{"group":"g1"}"#).contains(
        #""name":"New","description":null,"isPublic":true"#))
    #expect(await self.do(test, "DeleteGroup", "ben") == "notAuthorized")
    #expect(await self.do(test, "DeleteGroup", "ann") == "null")
    #expect(await self.do(test, "GetGroup", "ann") == "groupNotFound")
    #expect(await test.list("GetGroups", as: "ben", member: "group") == [])
  }

  @Test("A group's feed and leaderboard have the members' items that the caller may see")
  func items() async throws {
    let test = try await crew()
    _ = await self.do(test, "JoinGroup", "ben")
    try await test.befriend("ann", "cem")
    await test.share("w1", by: "ann", day: 1)
    await test.share("w2", by: "ben", day: 2)
    await test.share("w3", by: "cem", day: 3)
    _ = await test.do(
      "EditWorkout", as: "ben", #"{"workout":"w2","audience":"public"}"#)
    let g1 = #"{"group":"g1"}"#
    #expect(await test.list("GetGroupFeed", as: "ann", g1, member: "workout") == ["w2", "w1"])
    #expect(await test.list("GetGroupFeed", as: "cem", g1, member: "workout") == ["w2", "w1"])
    #expect(await test.list("GetGroupFeed", as: "dan", g1, member: "workout") == ["w2"])
    let board = #"{"period":"month","containing":"2026-01-01","group":"g1""#
    #expect(await test.list("GetLeaderboard", as: "cem", board + "}") == ["ann", "ben"])
    #expect(await test.list("GetLeaderboard", as: "dan", board + "}") == ["ben"])
    #expect(
      await test.list("GetLeaderboard", as: "cem", board + #","friendsOnly":true}"#) == ["ann"])
  }

  @Test("Deleting an account transfers its groups, to an admin before a member, or deletes them")
  func deletion() async throws {
    let test = try await crew()
    _ = await test.do("CreateGroup", as: "ann", #"{"group":"g2","name":"Alone"}"#)
    for user in ["ben", "cem"] { _ = await self.do(test, "JoinGroup", user) }
    _ = await test.do("SetGroupRole", as: "ann", #"{"group":"g1","user":"cem","role":"admin"}"#)
    let before = await test.count
    #expect(await test.do("DeleteAccount", as: "ann") == "null")
    let events = await test.log.read(after: before, limit: .max)
    #expect(events.map(\.type) == ["GroupTransferred", "GroupDeleted", "AccountDeleted"])
    #expect(events.map(\.batch?.index) == [1, 2, 3])
    #expect(await members(test, as: "ben") == ["cem owner", "ben member"])
    #expect(await test.do("DeleteAccount", as: "cem") == "null")
    #expect(await members(test, as: "ben") == ["ben owner"])
    #expect(try Check(test.log.view()).findings == [])
    #expect(test.core.brokenInvariant() == nil)
  }

  @Test("Every admin sees the requests, and nobody is notified of their own actions")
  func requestsOfAdmins() async throws {
    let test = try await crew(isPublic: false)
    func requests(_ user: String) async -> Bool {
      await test.do("GetGroup", as: user, #"{"group":"g1"}"#).hasSuffix(#""requests":["dan"]}"#)
    }
    _ = await self.do(test, "InviteToGroup", "ann", "ben")
    _ = await self.do(test, "JoinGroup", "ben")
    for user in ["cem", "dan"] { _ = await self.do(test, "JoinGroup", user) }
    _ = await self.do(test, "ApproveMember", "ann", "cem")
    #expect(await requests("ann"))
    #expect(await !requests("ben"))
    _ = await self.do(test, "TransferGroup", "ann", "cem")
    #expect(await requests("cem"))
    #expect(await test.do("GetUnreadCount", as: "cem") == "0")
    _ = await test.do("EditGroup", as: "cem", #"{"group":"g1","isPublic":true}"#)
    #expect(await self.do(test, "JoinGroup", "dan") == #""joined""#)
    #expect(await test.do("GetUnreadCount", as: "dan") == "0")
  }

  @Test("A hidden owner is not named, and an invitation stays")
  func hiddenOwner() async throws {
    let test = try await crew(isPublic: false)
    _ = await self.do(test, "JoinGroup", "ben")
    _ = await self.do(test, "ApproveMember", "ann", "ben")
    _ = await self.do(test, "InviteToGroup", "ann", "cem")
    _ = await test.do("UpdateProfile", as: "ann", #"{"isPublic":false}"#)
    #expect(await test.list("GetNotifications", as: "ben") == ["null"])
    #expect(await test.list("GetNotifications", as: "cem") == ["ann"])
    _ = await test.do("BlockUser", as: "cem", #"{"user":"ann"}"#)
    #expect(await test.list("GetNotifications", as: "cem") == ["null"])
    #expect(
      await test.list("GetNotifications", as: "cem", member: "kind") == ["groupInvitation"])
  }

  @Test("If an import deletes the owner's account first, the group is gone despite a transfer")
  func imported() async throws {
    let log = InMemoryLog()
    for (type, actor, data) in [
      ("ProfileCreated", "ann", #"{"user":"ann","handle":"ann","isPublic":true}"#),
      ("ProfileCreated", "ben", #"{"user":"ben","handle":"ben","isPublic":true}"#),
      ("GroupCreated", "ann", #"{"group":"g","owner":"ann","name":"G","isPublic":true}"#),
      ("AccountDeleted", "ann", #"{"user":"ann"}"#),
      ("GroupTransferred", "ann", #"{"group":"g","owner":"ben"}"#),
    ] {
      let line = #"{"type":"\#(type)","actor":"\#(actor)","data":\#(data)}"#
      try await log.append(Commit([try NewEvent(line: Array(line.utf8))]))
    }
    let core = try await Core(log)
    await #expect(throws: UseCaseError.refused(.groupNotFound)) {
      try await JoinGroup(core).execute(.init(group: "g"), as: "ben")
    }
    await #expect(throws: UseCaseError.refused(.groupNotFound)) {
      try await GetGroup(core).execute(.init(group: "g"), as: "ben")
    }
  }

  @Test("Requests, invitations and approvals are shown as notifications until they are answered")
  func notifications() async throws {
    let test = try await crew(isPublic: false)
    func told(_ user: String) async -> [String] {
      let kinds = await test.list("GetNotifications", as: user, member: "kind")
      let users = await test.list("GetNotifications", as: user)
      return zip(kinds, users).map { "\($0) \($1)" }
    }
    _ = await self.do(test, "JoinGroup", "ben")
    _ = await self.do(test, "InviteToGroup", "ann", "cem")
    #expect(await told("ann") == ["groupRequest ben"])
    #expect(await told("cem") == ["groupInvitation ann"])
    _ = await self.do(test, "ApproveMember", "ann", "ben")
    _ = await self.do(test, "AcceptGroupInvitation", "cem")
    #expect(await told("ann") == [])
    #expect(await told("ben") == ["groupApproval ann"])
    #expect(await told("cem") == [])
    _ = await self.do(test, "TransferGroup", "ann", "cem")
    #expect(await told("ben") == ["groupApproval cem"])
    _ = await self.do(test, "LeaveGroup", "ben")
    #expect(await told("ben") == [])
  }
}
