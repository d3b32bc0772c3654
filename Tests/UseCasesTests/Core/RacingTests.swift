import Aggregates
import Events
import Foundation
import Synchronization
import Testing
import UseCases

/// A thousand concurrent commands on a log on disk, through two independent cores: some serial
/// order of the commands explains the final log.
@Suite(.serialized) struct RacingTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  private func race<T: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int, Core) async throws -> T,
    prepare: (Core) async throws -> Void
  ) async throws -> (results: [Result<T, UseCaseError>], log: FileLog, cores: [Core]) {
    let log = try FileLog(path: folder.path, creating: true)
    let first = try await Core(log)
    try await prepare(first)
    let cores = [first, try await Core(log)]
    let results = await withTaskGroup(of: (Int, Result<T, UseCaseError>).self) { group in
      for index in 0..<count {
        group.addTask {
          do {
            return (index, .success(try await body(index, cores[index % 2])))
          } catch {
            return (index, .failure(error as? UseCaseError ?? .log(.closed(reason: "\(error)"))))
          }
        }
      }
      var results = [Result<T, UseCaseError>?](repeating: nil, count: count)
      for await (index, result) in group { results[index] = result }
      return results.compactMap { $0 }
    }
    return (results, log, cores)
  }

  /// Checks that the deciders allow every event in order, and that both cores, after catching up,
  /// and a newly opened core have the same state.
  private func check(_ log: FileLog, _ cores: [Core], users: [String]) async throws {
    var audit = Audit()
    var names = Names()
    var findings: [String] = []
    try log.view().forEachEventOfCommits(&names) { event, actor, moment, endsCommit in
      audit.apply(copy event, actor: actor, at: moment, endsCommit: endsCommit) {
        findings.append($0.description)
      }
    }
    #expect(findings == [])
    _ = try log.view().verify()
    let fresh = try await Core(log)
    for core in cores {
      try await core.catchUp()
      #expect(core.position == fresh.position)
      #expect(core.brokenInvariant() == nil)
      for user in users {
        let counts = (
          try await GetFollowCounts(core).execute(.init(user: user), as: nil),
          try await GetFollowCounts(fresh).execute(.init(user: user), as: nil)
        )
        #expect(counts.0 == counts.1)
      }
    }
  }

  private func create(_ user: String, _ core: Core) async throws {
    _ = try await CreateProfile(core).execute(.init(user: user, handle: user), as: Caller(user))
  }

  @Test("A thousand racing ToggleFollow alternate")
  func toggles() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (results, log, cores) = try await race(1_000) { _, core in
      try await ToggleFollow(core).execute(.init(followee: "bob"), as: "alice")
    } prepare: {
      try await create("alice", $0)
      try await create("bob", $0)
    }
    // Each call toggled once: half of them followed, half of them unfollowed.
    #expect(results.filter { (try? $0.get()) == true }.count == 500)
    #expect(results.filter { (try? $0.get()) == false }.count == 500)
    #expect(await log.head() == 1_002)
    let types = try await log.read(after: 2, limit: 1_000).map(\.type)
    for (index, type) in types.enumerated() {
      #expect(type == (index % 2 == 0 ? "UserFollowed" : "UserUnfollowed"))
    }
    try await check(log, cores, users: ["alice", "bob"])
  }

  @Test(
    "Racing friend requests from both sides leave one, and the others are refused with a reason")
  func requests() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let pairs = 10
    let (results, log, cores) = try await race(1_000) { index, core in
      let pair = index / 2 % pairs
      let (a, b) = ("a\(pair)xx", "b\(pair)xx")
      let (sender, receiver) = (index / 20 + index) % 2 == 0 ? (a, b) : (b, a)
      return try await SendFriendRequest(core).execute(
        .init(receiver: receiver), as: Caller(sender))
    } prepare: { core in
      for pair in 0..<pairs {
        try await create("a\(pair)xx", core)
        try await create("b\(pair)xx", core)
      }
    }
    #expect(results.filter { (try? $0.get()) != nil }.count == pairs)
    for case .failure(let error) in results {
      #expect(error == .refused(.alreadyRequested) || error == .refused(.alreadyReceived))
    }
    #expect(await log.head() == UInt64(3 * pairs))
    try await check(log, cores, users: [])
  }

  @Test("A thousand users race for ten handles in any letter case, and each handle has one holder")
  func handles() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (results, log, cores) = try await race(1_000) { index, core in
      let handle = "handle_\(index % 10)"
      return try await CreateProfile(core).execute(
        .init(
          user: "u\(index)", handle: index % 3 == 0 ? handle.uppercased() : handle),
        as: Caller("u\(index)")
      ).row.user
    } prepare: { _ in
    }
    let holders = results.compactMap { try? $0.get() }
    #expect(holders.count == 10)
    for case .failure(let error) in results { #expect(error == .refused(.handleAlreadyTaken)) }
    for number in 0..<10 {
      let holder = try await RefreshProfile(cores[0]).execute(
        .init(handle: "handle_\(number)"), as: nil)
      #expect(holders.contains(holder.row.user))
    }
    #expect(await log.head() == 10)
    try await check(log, cores, users: holders)
  }

  @Test(
    "Two admins approve, remove and invite the same people, and some serial order explains the log")
  func admins() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let users = (0..<10).map { "user\($0)" }
    let (results, log, cores) = try await race(400) { index, core in
      let member = MemberInput(group: "g", user: users[index / 4 % 10])
      let admin = Caller(index % 8 < 4 ? "owner" : "admin")
      switch index % 4 {
      case 0:
        _ = try await JoinGroup(core).execute(
          .init(group: "g"), as: Caller(users[index / 4 % 10]))
      case 1: _ = try await InviteToGroup(core).execute(member, as: admin)
      case 2: _ = try await ApproveMember(core).execute(member, as: admin)
      default: _ = try await RemoveMember(core).execute(member, as: admin)
      }
    } prepare: { core in
      for user in ["owner", "admin"] + users { try await create(user, core) }
      _ = try await CreateGroup(core).execute(
        .init(group: "g", name: "G", isPublic: false), as: "owner")
      _ = try await InviteToGroup(core).execute(.init(group: "g", user: "admin"), as: "owner")
      _ = try await AcceptGroupInvitation(core).execute(.init(group: "g"), as: "admin")
      _ = try await SetGroupRole(core).execute(
        .init(group: "g", user: "admin", role: .admin), as: "owner")
    }
    #expect(results.contains { (try? $0.get()) != nil })
    let allowed = ["alreadyMember", "noSuchRequest", "notMember"]
    for case .failure(let error) in results { #expect(allowed.contains(error.code), "\(error)") }
    try await check(log, cores, users: users)
  }

  @Test("Accounts that own groups are deleted while others join, leave and take over")
  func owners() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let users = (0..<12).map { "user\($0)" }
    let (results, log, cores) = try await race(300) { index, core in
      let caller = Caller(users[index % 12])
      let group = GroupReferenceInput(group: "g\(index / 12 % 4)")
      switch index / 48 {
      case 5: if index % 3 == 0 { _ = try await DeleteAccount(core).execute(.init(), as: caller) }
      case 2 where index % 2 == 0: _ = try await LeaveGroup(core).execute(group, as: caller)
      case 3, 4:
        _ = try await TransferGroup(core).execute(
          .init(group: group.group, user: users[(index + 5) % 12]), as: caller)
      default: _ = try await JoinGroup(core).execute(group, as: caller)
      }
    } prepare: { core in
      for user in users { try await create(user, core) }
      for group in 0..<4 {
        _ = try await CreateGroup(core).execute(
          .init(group: "g\(group)", name: "G"), as: Caller(users[group]))
      }
    }
    let allowed = [
      "alreadyMember", "notMember", "notAuthorized", "groupNotFound", "ownerCannotLeave",
      "profileNotFound",
    ]
    for case .failure(let error) in results { #expect(allowed.contains(error.code), "\(error)") }
    try await check(log, cores, users: [])
  }

  @Test("Messages race with blocks, and after a block no core writes a message")
  func messages() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let pairs = 20
    let (results, log, cores) = try await race(400) { index, core in
      let pair = index / 2 % pairs
      let (a, b) = ("a\(pair)xx", "b\(pair)xx")
      if index / 40 == 5, index % 2 == 0 {
        _ = try await BlockUser(core).execute(.init(user: b), as: Caller(a))
      } else {
        let (sender, receiver) = index % 2 == 0 ? (a, b) : (b, a)
        _ = try await SendMessage(core).execute(
          .init(to: receiver, text: "\(index)"), as: Caller(sender))
      }
    } prepare: { core in
      for pair in 0..<pairs {
        for user in ["a\(pair)xx", "b\(pair)xx"] { try await create(user, core) }
        _ = try await FollowUser(core).execute(
          .init(followee: "a\(pair)xx"), as: Caller("b\(pair)xx"))
      }
    }
    for case .failure(let error) in results { #expect(error == .refused(.profileNotFound)) }
    var blocked: Set<String> = []
    for event in try await log.read(after: 0, limit: .max) {
      let data = String(decoding: event.data, as: UTF8.self)
      let pair = String(event.stream.split(separator: "/")[1].dropFirst())
      if event.type == "UserBlocked" { blocked.insert(pair) }
      if event.type == "MessageSent" { #expect(!blocked.contains(pair), "\(data)") }
    }
    #expect(blocked.count == pairs)
    try await check(log, cores, users: [])
  }
}
