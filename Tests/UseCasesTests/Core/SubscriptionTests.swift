import Events
import FaultTesting
import Foundation
import PropertyTesting
import Synchronization
import Testing
import UseCasesTesting

@testable import UseCases

/// A sender that remembers what it sent, and may fail.
private final class Phone: PushSender {
  let sent = Mutex<[Push]>([])
  let fails = Mutex<@Sendable () -> Bool>({ false })

  func send(_ push: Push) async throws(PushError) {
    if fails.withLock({ $0 })() { throw PushError("no network") }
    sent.withLock { $0.append(push) }
  }

  /// The kinds and receivers of the pushes since the last call.
  func take() -> [String] {
    sent.withLock { sent in
      defer { sent = [] }
      return sent.map { "\($0.notification.kind) \($0.to)" }
    }
  }
}

/// Keeps a position in memory; may fail to save.
private final class Memory: PositionStorage {
  let position = Mutex<SubscriptionPosition?>(nil)
  let fails = Mutex<@Sendable () -> Bool>({ false })

  func load() async throws(SubscriptionError) -> SubscriptionPosition? {
    position.withLock { $0 }
  }

  func save(_ new: SubscriptionPosition) async throws(SubscriptionError) {
    if fails.withLock({ $0 })() { throw .position("the disk is full") }
    position.withLock { $0 = new }
  }
}

/// A photo storage that records deletions, and may fail.
private final class Bucket: PhotoStorage {
  let deleted = Mutex<[String]>([])
  let fails = Mutex(false)

  func put(_ bytes: [UInt8], at path: String) async throws(PhotoStorageError) -> String { path }

  func delete(_ path: String) async throws(PhotoStorageError) {
    if fails.withLock({ $0 }) { throw PhotoStorageError("no network") }
    deleted.withLock { $0.append(path) }
  }
}

@Suite struct SubscriptionTests {
  @Test("A new notifier starts at the end of the log, and sends each visible notification once")
  func pushes() async throws {
    let test = try await TestCore(.erg)
    try await test.people("ann", "ben", "cem")
    let (phone, memory) = (Phone(), Memory())
    let notifier = Notifier(test.core, phone, from: memory)
    #expect(try await notifier.run() == 0)
    try await test.befriend("ann", "ben")
    await test.share("w1", by: "ann")
    _ = await test.do("GiveChup", as: "ben", #"{"workout":"w1"}"#)
    _ = await test.do("PostComment", as: "ben", #"{"workout":"w1","comment":"c1","text":"x"}"#)
    _ = await test.do("HeartComment", as: "ann", #"{"comment":"c1"}"#)
    _ = await test.do("CreateGroup", as: "ann", #"{"group":"g","name":"G","isPublic":false}"#)
    _ = await test.do("JoinGroup", as: "cem", #"{"group":"g"}"#)
    #expect(try await notifier.run() == 5)
    #expect(
      phone.take() == [
        "acceptance ann", "chup ann", "comment ann", "heart ben", "groupRequest ann",
      ])
    #expect(try await notifier.run() == 0)
    // A notification of a blocked user is not sent any more.
    _ = await test.do("FollowUser", as: "cem", #"{"followee":"ann"}"#)
    _ = await test.do("FollowUser", as: "ben", #"{"followee":"ann"}"#)
    _ = await test.do("BlockUser", as: "ann", #"{"user":"cem"}"#)
    #expect(try await Notifier(test.core, phone, from: memory).run() == 1)
    #expect(phone.take() == ["follow ann"])
  }

  @Test("A push has the event's id, which its receiver uses to mark it as read")
  func ids() async throws {
    let test = try await TestCore(.climb)
    try await test.people("ann", "ben")
    let phone = Phone()
    _ = await test.do("FollowUser", as: "ben", #"{"followee":"ann"}"#)
    try await Notifier(test.core, phone, from: Memory(), fromStart: true).run()
    let push = try #require(phone.sent.withLock { $0.first })
    #expect(
      push.json.text.hasPrefix(
        #"{"id":"\#(push.id)","position":3,"to":"ann","notification":{"kind":"follow","user":"ben""#
      ))
    let input = #"{"upTo":"\#(push.id)"}"#
    #expect(await test.do("MarkNotificationsRead", as: "ann", input) == "null")
    #expect(await test.do("GetUnreadCount", as: "ann") == "0")
  }

  @Test("Despite failures and stops, each push is sent at least once")
  func atLeastOnce() async throws {
    try await check(runs: Sweep.size(15, 45, 2_000), covering: ["a failure": 0.3]) { t in
      let log = try await t.draw(.history(max: 60), "history").log()
      let core = try await Core(log)
      let (clean, phone, memory) = (Phone(), Phone(), Memory())
      try await Notifier(core, clean, from: Memory(), fromStart: true).run()
      let seed = UInt64(t.draw(.int(0...1_000_000)))
      let random = Mutex(SplitMix64(seed: seed))
      let odds: @Sendable () -> Bool = { random.withLock { $0.next() % 8 == 0 } }
      phone.fails.withLock { $0 = odds }
      memory.fails.withLock { $0 = odds }
      var isDone = false
      for _ in 0..<1_000 where !isDone {
        do throws(SubscriptionError) {
          try await Notifier(core, phone, from: memory, fromStart: true).run()
          isDone = true
        } catch {
          t.label("a failure")
        }
      }
      #expect(isDone)
      let (all, found) = (clean.sent.withLock { $0 }, phone.sent.withLock { $0 })
      #expect(Set(all.map(\.json.text)) == Set(found.map(\.json.text)))
      // Without failures none is sent twice.
      #expect(Set(all.map { "\($0.position) \($0.to)" }).count == all.count)
      // The pushes are the notifications that the receivers are shown.
      for user in 0..<core.state.withLock({ $0.model.names.userCount }) {
        let name = core.state.withLock { $0.model.names[UserID(index: UInt32(user))] }
        let shown = try? await GetNotifications(core).execute(.init(limit: 50), as: Caller(name))
        let told = all.filter { $0.to == name }.reversed().map(\.notification)
        #expect(shown == nil ? told.isEmpty : Array(told.prefix(50)) == shown, "\(name)")
      }
    }
  }

  @Test("A notifier's position belongs to one log, and a foreign or damaged one is refused")
  func positions() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "position").path
    let test = try await TestCore()
    try await test.people("ann", "ben")
    try await Notifier(test.core, Phone(), from: PositionFile(path)).run()
    let saved = try await PositionFile(path).load()
    #expect(saved?.seq == 2)
    let other = try await TestCore()
    try await other.people("zoe", "yan")
    await #expect {
      try await Notifier(other.core, Phone(), from: PositionFile(path)).run()
    } throws: {
      "\($0)".contains("belongs to another log")
    }
    try Data("soon".utf8).write(to: URL(filePath: path))
    await #expect {
      try await Notifier(test.core, Phone(), from: PositionFile(path)).run()
    } throws: {
      "\($0)".hasSuffix("remove the file to start again")
    }
  }

  private func setPhoto(
    _ url: String, _ path: String, of user: String, _ test: TestCore
  ) async throws {
    _ = try await test.core.recordPhoto(as: Caller(user)) { (model, actor) throws(UseCaseError) in
      let set = ProfilePhotoSet(
        user: actor, url: url, path: path, bytes: 1, contentType: "image/jpeg")
      try model.decide(ProfileEvent.photoSet(set), by: actor)
    }
  }

  @Test(
    "Replaced photos and those of deleted accounts are deleted, after a failure at the next run")
  func photos() async throws {
    let test = try await TestCore()
    try await test.people("ann", "ben", "cem")
    func set(_ user: String, _ path: String) async throws {
      try await setPhoto(path, path, of: user, test)
    }
    try await set("ann", "a1")
    try await set("ann", "a2")
    try await set("ben", "b1")
    let (bucket, memory) = (Bucket(), Memory())
    let janitor = PhotoJanitor(test.core, bucket, from: memory)
    #expect(try await janitor.run() == 1)
    #expect(try await janitor.run() == 0)
    try await set("ann", "a3")
    _ = await test.do("DeleteAccount", as: "ben")
    bucket.fails.withLock { $0 = true }
    await #expect(throws: SubscriptionError.failed(seq: 7, reason: "no network")) {
      try await janitor.run()
    }
    bucket.fails.withLock { $0 = false }
    #expect(try await janitor.run() == 2)
    #expect(bucket.deleted.withLock { $0 } == ["a1", "a2", "b1"])
    // A photo that is set again stays.
    try await set("ann", "a4")
    try await set("ann", "a3")
    #expect(try await janitor.run() == 1)
    #expect(bucket.deleted.withLock { $0 }.last == "a4")
  }

  @Test("A photo that is set again by its address alone stays")
  func photoSetAgain() async throws {
    let test = try await TestCore()
    try await test.people("ann")
    let url = "https://example.org/a1.jpg"
    try await setPhoto(url, "a1", of: "ann", test)
    let count = await test.count
    #expect(await test.do("SetPhotoURL", as: "ann", #"{"url":"\#(url)"}"#) == "null")
    #expect(await test.count == count)
    let bucket = Bucket()
    #expect(try await PhotoJanitor(test.core, bucket, from: Memory()).run() == 0)
  }

  @Test("A reply is sent as it is shown, even if the comment that it answers was removed")
  func reply() async throws {
    let test = try await TestCore(.erg)
    try await test.people("ann", "ben", "cem")
    for friend in ["ben", "cem"] { try await test.befriend("ann", friend) }
    await test.share("w1", by: "ann")
    let (phone, memory) = (Phone(), Memory())
    let notifier = Notifier(test.core, phone, from: memory)
    try await notifier.run()
    for (user, comment, rest) in [("ben", "c1", ""), ("cem", "c2", #","replyTo":"c1""#)] {
      _ = await test.do(
        "PostComment", as: user,
        #"{"workout":"w1","comment":"\#(comment)","text":"x"\#(rest)}"#)
    }
    _ = await test.do("RemoveComment", as: "ben", #"{"comment":"c1"}"#)
    try await notifier.run()
    #expect(phone.take() == ["reply ben", "comment ann"])
  }

  @Test("While the notifier follows the log, each new notification is sent at once")
  func following() async throws {
    let test = try await TestCore(.climb)
    try await test.people("ann", "ben", "cem")
    let phone = Phone()
    let notifier = Notifier(test.core, phone, from: Memory(), fromStart: true)
    let task = Task { try await notifier.follow() }
    for (number, user) in ["ben", "cem"].enumerated() {
      _ = await test.do("FollowUser", as: user, #"{"followee":"ann"}"#)
      while phone.sent.withLock({ $0.count }) <= number { await Task.yield() }
    }
    task.cancel()
    _ = await task.result
    #expect(phone.take() == ["follow ann", "follow ann"])
  }
}
