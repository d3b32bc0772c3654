import Aggregates
import Events
import FaultTesting
import Foundation
import Testing
import UseCases

/// Forgetting through the interface that an app uses.
@Suite struct ForgettingTests {
  typealias Folder = ForgettingPropertiesTests.Folder

  /// Texts of letters that nobody else uses.
  private static func strange(_ random: inout SplitMix64, _ length: Int = 14) -> String {
    String((0..<length).map { _ in "qxzj".randomElement(using: &random) ?? "q" })
  }

  /// With any grade scale, like older logs.
  private static let rules: Rules = {
    var rules = Rules.climb
    (rules.boulderGradeScales, rules.routeGradeScales) = ([], [])
    return rules
  }()

  /// Fills a log in which a person and others perform every command that leaves words behind.
  /// - Returns: the person's words.
  private static func fill(_ folder: Folder, _ person: String, _ handle: String) async throws
    -> [String]
  {
    var random = SplitMix64(seed: 23)
    var said = [person, handle]
    func say() -> String {
      said.append(strange(&random))
      return said[said.count - 1]
    }
    let core = try await Core(FileLog(path: folder.log, creating: true), rules: rules)
    let photos = PhotoPorts(
      storage: PhotoFolder(folder.path + "/photos"), encoder: PassThroughEncoder())
    func run(_ name: String, _ user: String, _ input: String, service: Bool = false) async throws {
      var request = Request(name, as: user, with: try JSONValue(input))
      request.isService = service
      for reply in await core.perform([request], photos: photos) {
        if case .failure(let error) = reply.result { Issue.record("\(name): \(error)") }
      }
    }
    try await run("CreateProfile", "ann", #"{"user":"ann","handle":"ann_a"}"#)
    try await run("CreateProfile", "ben", #"{"user":"ben","handle":"ben_b"}"#)
    try await run("CreateProfile", person, #"{"user":"\#(person)","handle":"\#(say())"}"#)
    try await run(
      "UpdateProfile", person,
      #"{"handle":"\#(handle)","displayName":"\#(say())","bio":"\#(say())","#
        + #""homeGym":"\#(say())","homeZIP":"\#(say())","favoriteStyle":"\#(say())","#
        + #""boulderGradeScale":"\#(say())","routeGradeScale":"\#(say())"}"#
    )
    try await run("UpdateProfile", person, #"{"bio":"\#(say())","homeGym":null}"#)
    try await run(
      "SetBaseLocation", person, #"{"latitude":1.5,"longitude":2.5,"name":"\#(say())"}"#)
    try await run("LogSend", person, #"{"climb":"\#(say())"}"#)
    _ = try await UploadProfilePhoto(core, photos.storage, photos.encoder)
      .execute(.init(image: pixel), as: Caller(person))
    for (one, other) in [("ann", person), (person, "ann"), ("ben", person)] {
      try await run("FollowUser", one, #"{"followee":"\#(other)"}"#)
    }
    let workout = "w-" + person
    try await run(
      "ShareWorkout", person,
      #"{"workout":"\#(workout)","localID":"\#(say())","date":"2026-01-05T10:00:00Z","#
        + #""workoutType":"\#(say())","intensityZone":"\#(say())","text":"\#(say())","#
        + #""session":"\#(say())","climb":"\#(say())","audience":"public"}"#
    )
    try await run("EditWorkout", person, #"{"workout":"\#(workout)","text":"\#(say())"}"#)
    try await run(
      "AttachWorkoutDetail", person,
      #"{"workout":"\#(workout)","intervals":[]}"#)
    _ = try await AttachWorkoutPhoto(core, photos.storage, photos.encoder)
      .execute(.init(workout: workout, image: pixel), as: Caller(person))
    try await run(
      "PostComment", "ann", #"{"workout":"\#(workout)","text":"well done","comment":"c1"}"#)
    try await run(
      "PostComment", person,
      #"{"workout":"\#(workout)","text":"\#(say())","comment":"c2","replyTo":"c1"}"#)
    try await run("EditComment", person, #"{"comment":"c2","text":"\#(say())"}"#)
    try await run("HeartComment", "ann", #"{"comment":"c2"}"#)
    try await run(
      "CreateGroup", person, #"{"group":"g1","name":"Friends","description":"\#(say())"}"#)
    try await run("JoinGroup", "ann", #"{"group":"g1"}"#)
    try await run("EditGroup", person, #"{"group":"g1","description":"\#(say())"}"#)
    try await run("SendMessage", person, #"{"to":"ann","text":"\#(say())","message":"m1"}"#)
    try await run("SendMessage", "ann", #"{"to":"\#(person)","text":"hello","message":"m2"}"#)
    try await run(
      "ReportContent", person, #"{"report":"r1","kind":"comment","id":"c1","reason":"\#(say())"}"#)
    try await run(
      "RecordPremium", "shop",
      #"{"user":"\#(person)","product":"gold","expires":"2027-01-01T00:00:00Z","#
        + #""transaction":"\#(say())"}"#,
      service: true)
    try await run("MarkNotificationsRead", "ann", "{}")
    try await core.saveCheckpoint()
    // Like a log from before rules were recorded: the climb rules apply from now on.
    try FileManager.default.removeItem(atPath: folder.log + "/rules.json")
    return said
  }

  @Test("Afterwards no file has any six bytes of the person's names and texts")
  func pieces() async throws {
    let folder = Folder()
    let said = try await Self.fill(folder, "xjqzqjxzqx", "zqjxqzxj")
    var pieces: Set<[UInt8]> = []
    for text in said {
      let bytes = Array(text.utf8)
      for start in 0...bytes.count - 6 { pieces.insert(Array(bytes[start..<start + 6])) }
    }
    func holding() -> [String] {
      folder.bytes.filter { name, bytes in
        let found = Array(name.utf8) + [0] + bytes
        return found.count > 6
          && (0...found.count - 6).contains { pieces.contains(Array(found[$0..<$0 + 6])) }
      }.keys.sorted()
    }
    #expect(holding().count >= 3, "a segment, a checkpoint, a photo")
    let report = try await folder.forget(ForgettingRequest(people: ["xjqzqjxzqx"]))
    #expect(holding() == [])
    #expect(report.people.first?.isOpen == true)
    let view = try LogView(path: folder.log)
    _ = try view.verify()
    #expect(try Check(view).findings == [])
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/photos/avatars/xjqzqjxzqx"))
    // The group has a new owner, and keeps its name.
    let core = try await Core(FileLog(path: folder.log))
    let groups = try await GetGroups(core).execute(.init(user: "ann"), as: "ann")
    #expect(groups.map(\.name) == ["Friends"])
    #expect(core.number(of: "xjqzqjxzqx") == nil)
  }

  @Test("An id that is a UUID is in no file, nor in the ids of items")
  func uuid() async throws {
    let folder = Folder()
    let person = "7f1d2c3a-9b7e-4a51-8c0d-2e5f7a9b1c34"
    _ = try await Self.fill(folder, person, "some_body")
    _ = try await folder.forget(ForgettingRequest(people: [person]))
    let found = folder.bytes.filter { name, bytes in
      name.contains(person) || String(decoding: bytes, as: UTF8.self).contains(person)
    }
    #expect(found.isEmpty, "\(found.keys)")
  }

  @Test("Forgetting one item removes its texts and changes nothing else")
  func item() async throws {
    let folder = Folder()
    _ = try await Self.fill(folder, "xjqzqjxzqx", "zqjxqzxj")
    let before = try LogView(path: folder.log)
    let old = try (1...before.head().seq).map { try before.line(at: $0)?.event }
    let item = try #require(ForgettingRequest.Item("comment/c2"))
    let report = try await folder.forget(ForgettingRequest(items: [item]))
    #expect((report.events, report.added) == (2, 0))
    let view = try LogView(path: folder.log)
    for event in old {
      let event = try #require(event)
      let new = try #require(try view.line(at: event.seq)?.event)
      #expect(new.stream == event.stream && new.actor == event.actor)
      let isComment = event.stream == "comment/c2"
      #expect((new.data == event.data) != isComment)
      #expect((new.id == event.id) != isComment)
    }
    #expect(try Check(view, by: RuleHistory(Self.rules)).findings == [])
  }

  @Test("Other people's texts with the handle are listed, and changed only on request")
  func mentions() async throws {
    for changes in [false, true] {
      let folder = Folder()
      _ = try await Self.fill(folder, "xjqzqjxzqx", "zqjxqzxj")
      do {
        let core = try await Core(FileLog(path: folder.log))
        let comment = PostComment.Input(
          workout: "w-xjqzqjxzqx", text: "Thanks, @ZQJXqzxj! zqjxqzxjs", replyTo: nil,
          comment: "c9")
        _ = try await PostComment(core).execute(comment, as: "ann")
      }
      var request = ForgettingRequest(people: ["xjqzqjxzqx"])
      request.changesMentions = changes
      let report = try await folder.forget(request)
      #expect(report.mentions.map(\.member) == ["text"])
      let lines = folder.bytes.values.map { String(decoding: $0, as: UTF8.self) }.joined()
      #expect(lines.contains("Thanks, @ZQJXqzxj!") == !changes)
      #expect(lines.contains("Thanks, @gone! zqjxqzxjs") == changes)
      #expect(try Check(LogView(path: folder.log)).findings == [])
    }
  }

  @Test(
    "A missing person, a service, and a reason with a person's name are refused without changes")
  func refusals() async throws {
    let folder = Folder()
    _ = try await Self.fill(folder, "xjqzqjxzqx", "zqjxqzxj")
    let before = folder.bytes
    await #expect(throws: ForgettingError.nobody("nobody")) {
      _ = try await folder.forget(ForgettingRequest(people: ["ann", "nobody"]))
    }
    await #expect(throws: ForgettingError.service("service:shop")) {
      _ = try await folder.forget(ForgettingRequest(people: ["service:shop"]))
    }
    let item = try #require(ForgettingRequest.Item("workout/none"))
    await #expect(throws: ForgettingError.nothing(item)) {
      _ = try await folder.forget(ForgettingRequest(items: [item]))
    }
    var request = ForgettingRequest(people: ["ann"])
    request.reason = "ann asked"
    await #expect(throws: ForgettingError.reason) { _ = try await folder.forget(request) }
    #expect(
      folder.bytes.filter { !$0.key.hasSuffix("lock") }
        == before.filter { !$0.key.hasSuffix("lock") })
    #expect(ForgettingRequest.Item("block/a") == nil)
    #expect(ForgettingRequest.Item("comment") == nil)
  }

  @Test("An import of an older copy is refused with the rewriting's name, sealed or not")
  func copies() async throws {
    let folder = Folder()
    _ = try await Self.fill(folder, "xjqzqjxzqx", "zqjxqzxj")
    var sealed: [UInt8] = []
    try LogView(path: folder.log).forEachLine { line in
      sealed += line.bytes + [0x0a]
      return true
    }
    _ = try await folder.forget(ForgettingRequest(people: ["xjqzqjxzqx"]))
    let entry = try #require(try LogView(path: folder.log).rewritings().entries.first)
    let text = String(decoding: sealed, as: UTF8.self)
    let bare = text.replacing(/,"sum":"[0-9a-f]*"/, with: "").replacing(/"seq":[0-9]*,/, with: "")
    for (name, content) in [("sealed", text), ("bare", bare)] {
      let path = folder.path + "/\(name).jsonl"
      try content.write(toFile: path, atomically: true, encoding: .utf8)
      let log = try FileLog(path: folder.log)
      let head = await log.head()
      var policy = ForeignEvents.Policy()
      policy.clampsTimes = true
      var run = Import(try ForeignLines(path: path), policy)
      do throws(ImportError) {
        try await run.run(into: log)
        Issue.record("\(name): it was imported")
      } catch {
        guard case .noPart(_, _, .rewritten(entry)) = error else {
          Issue.record("\(name): \(error)")
          continue
        }
      }
      #expect(await log.head() == head)
    }
  }
}
