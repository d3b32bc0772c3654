import Events
import Foundation
import Testing
import UseCases

/// Commands with a key, in process.
@Suite struct IdempotencyKeyTests {
  private static let key = IdempotencyKey(tail: 0x1234_5678_9abc_def0, body: 7)
  private static let ports = PhotoPorts(storage: PhotoFolder(""), encoder: PassThroughEncoder())

  private func perform(
    _ core: Core, _ name: String, _ input: String, as user: String, key: IdempotencyKey? = nil
  ) async throws -> (Reply, UInt64) {
    let entry = try #require(Registry.find(name))
    var call = try Call(entry, try JSONValue(input), as: Caller(user))
    call.key = key
    return await withCheckedContinuation { [call] continuation in
      core.perform(call, photos: Self.ports) { continuation.resume(returning: ($0, $1)) }
    }
  }

  @Test("Only the owner may read the journal of retries, for any permissions of the log")
  func privateJournal() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "eventlog-key-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    let journal = RetryJournal(folder.path, now: RuntimeEnvironment.system.now)
    journal.note(Self.key, 1, Reply(.failure(.refused(.unauthorized))))
    for (name, mode) in [("retries", 0o700), ("retries/1", 0o600)] {
      let access = try FileManager.default.attributesOfItem(
        atPath: folder.appending(path: name).path)[.posixPermissions]
      #expect((access as? NSNumber)?.intValue == mode, "\(name)")
    }
  }

  @Test("Any log finds a command by its key, also from a checkpoint, but only for its caller")
  func found() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "eventlog-key-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    func check(_ core: Core, performs: Bool) async throws {
      if performs {
        let input = #"{"user":"ann","handle":"ann_x"}"#
        _ = try await perform(core, "CreateProfile", input, as: "ann", key: Self.key)
      }
      let first = try #require(try await core.firstTry(Self.key, by: "ann"))
      #expect(first.position == 0)
      #expect(try await core.firstTry(Self.key, by: "bob") == nil)
      let other = IdempotencyKey(tail: 1, body: 7)
      #expect(try await core.firstTry(other, by: "ann") == nil)
    }
    try await check(try await Core(InMemoryLog()), performs: true)
    do {
      let log = try FileLog(path: folder.path, creating: true)
      try await check(try await Core.open(log), performs: true)
      try log.saveCheckpoint()
    }
    try await check(try await Core.open(FileLog(path: folder.path)), performs: false)
  }

  @Test("A repeated command gives the first answer, and with another input it does not")
  func again() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "eventlog-key-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let core = try await Core.open(FileLog(path: folder.path, creating: true))
    for user in ["ann", "bob"] {
      let input = #"{"user":"\#(user)","handle":"\#(user)_x"}"#
      _ = try await perform(core, "CreateProfile", input, as: user)
    }
    let toggle = #"{"followee":"bob"}"#
    let (first, position) = try await perform(
      core, "ToggleFollow", toggle, as: "ann", key: Self.key)
    for _ in 0..<3 { _ = try await perform(core, "ToggleFollow", toggle, as: "ann") }
    let found = try #require(try await core.firstTry(Self.key, by: "ann"))
    let entry = try #require(Registry.find("ToggleFollow"))
    var call = try Call(entry, try JSONValue(toggle), as: "ann")
    call.key = Self.key
    let again = try await core.replied(to: call, at: found)
    #expect(again?.reply == first && again?.position == position)
    call.key = IdempotencyKey(tail: 0x1234_5678_9abc_def0, body: 8)
    #expect(try await core.replied(to: call, at: found) == nil)
    #expect(core.position == 6)
    // If an answer is recorded, the core returns it, and decides nothing.
    call.key = Self.key
    var recorded = found
    for (answer, result) in [
      ("[false]", .success(.bool(false))), (#"["a \"b\""]"#, .success(.string("a \"b\""))),
      (#"{"error":"alreadyFriends","details":null}"#, .failure(.refused(.alreadyFriends))),
      (
        #"{"error":"bioTooLong","details":{"limit":280,"actual":281}}"#,
        .failure(.refused(.bioTooLong(limit: 280, actual: 281)))
      ),
      // This version cannot read these answers, so it decides again.
      (#"{"error":"new","details":null}"#, first.result), ("[tr", first.result),
    ] as [(String, Result<JSONValue, UseCaseError>)] {
      recorded.answer = answer
      let again = try await core.replied(to: call, at: recorded)
      #expect(again?.reply == Reply(result, seqs: first.seqs) && again?.position == position)
    }
    // A refusal noted at a position beyond the log is not an answer, and the search ends.
    var refused = try Call(entry, try JSONValue(#"{"followee":"ann"}"#), as: "ann")
    refused.key = IdempotencyKey(tail: 9, body: 9)
    let beyond = KeyUse(tail: 9, body: 9, position: 7, time: found.time)
    await #expect(throws: LogError.closed(reason: "the log does not have event 7 yet")) {
      try await core.replied(to: refused, at: beyond)
    }
  }
}
