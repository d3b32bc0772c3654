import Aggregates
import Events
import Testing

@testable import UseCases

/// Blocks beside a remaining follow, friendship or request, which only an import can bring.
@Suite struct BlockAuditTests {
  private let people: [(String, String, String)] = ["alice", "bob", "carol"].map {
    ("ProfileCreated", $0, #"{"user":"\#($0)","handle":"\#($0)","isPublic":true}"#)
  }

  private func new(_ line: (String, String, String)) throws -> NewEvent {
    let text = #"{"type":"\#(line.0)","actor":"\#(line.1)","data":\#(line.2)}"#
    return try NewEvent(line: Array(text.utf8))
  }

  @Test(
    "A block beside a follow, friendship or request is found, unless its commit ends them",
    arguments: [
      [("UserFollowed", "alice", #"{"follower":"alice","followee":"bob"}"#)],
      [("UserFollowed", "bob", #"{"follower":"bob","followee":"alice"}"#)],
      [("FriendRequested", "alice", #"{"sender":"alice","receiver":"bob"}"#)],
      [("FriendRequested", "bob", #"{"sender":"bob","receiver":"alice"}"#)],
      [
        ("FriendRequested", "alice", #"{"sender":"alice","receiver":"bob"}"#),
        ("FriendRequestAccepted", "bob", #"{"sender":"alice","receiver":"bob"}"#),
      ],
    ])
  func loneBlock(_ tie: [(String, String, String)]) async throws {
    let block = ("UserBlocked", "alice", #"{"user":"alice","other":"bob"}"#)
    let lone = InMemoryLog()
    for line in people + tie + [block] { try await lone.append(Commit([try new(line)])) }
    let check = try Check(lone.view())
    #expect(check.findings.map(\.seq) == [UInt64(4 + tie.count)])
    #expect(check.findings.map(\.code) == ["blockIncomplete"])
    #expect(check.brokenInvariant == nil)
    let log = InMemoryLog()
    for line in people + tie { try await log.append(Commit([try new(line)])) }
    let core = try await Core(log)
    // An app's own command that only blocks is refused.
    await #expect(throws: UseCaseError.refused(.blockIncomplete)) {
      try await core.commit(as: "alice") { model throws(UseCaseError) in
        let (alice, bob) = (try model.user("alice"), try model.user("bob"))
        try model.decide(BlockEvent.blocked(Block(user: alice, other: bob)), by: alice)
      }
    }
    #expect(core.position == UInt64(3 + tie.count))
    _ = try await BlockUser(core).execute(.init(user: "bob"), as: "alice")
    #expect(try Check(log.view()).findings == [])
  }

  @Test("A block whose commit ends only some of the follows between the two users is found")
  func partOfABlock() async throws {
    let log = InMemoryLog()
    let ties = [
      ("UserFollowed", "alice", #"{"follower":"alice","followee":"bob"}"#),
      ("UserFollowed", "bob", #"{"follower":"bob","followee":"alice"}"#),
    ]
    let commit = [
      ("UserBlocked", "alice", #"{"user":"alice","other":"bob"}"#),
      ("UserUnfollowed", "alice", #"{"follower":"bob","followee":"alice"}"#),
    ]
    for line in people + ties { try await log.append(Commit([try new(line)])) }
    try await log.append(Commit(try commit.map(new)))
    let check = try Check(log.view())
    #expect(check.findings.map(\.seq) == [6])
    #expect(check.findings.map(\.code) == ["blockIncomplete"])
    #expect(check.brokenInvariant == nil)
    // The follow counts during the block and after it.
    let core = try await Core(log)
    func counts(_ user: String) async throws -> [Int] {
      let counts = try await GetFollowCounts(core).execute(
        .init(user: user), as: .service("test"))
      return [counts.followers, counts.following]
    }
    #expect(try await counts("alice") == [0, 0])
    #expect(try await counts("bob") == [0, 0])
    _ = try await UnblockUser(core).execute(.init(user: "bob"), as: "alice")
    #expect(try await counts("alice") == [0, 1])
    #expect(try await counts("bob") == [1, 0])
  }
}
