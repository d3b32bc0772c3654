import Events
import Testing
import UseCases

@Suite struct ReportUseCaseTests {
  private func society() async throws -> TestCore {
    let test = try await TestCore(.erg)
    try await test.people("ann", "ben", "cem")
    try await test.befriend("ann", "ben")
    await test.share("w1", by: "ann")
    for (name, user, input) in [
      ("PostComment", "ben", #"{"workout":"w1","comment":"c1","text":"spam"}"#),
      ("SendMessage", "ben", #"{"to":"ann","message":"m1","text":"spam"}"#),
      ("CreateGroup", "ben", #"{"group":"g1","name":"spam"}"#),
      ("UpdateProfile", "ben", #"{"bio":"spam","displayName":"spam"}"#),
      ("SetPhotoURL", "ben", #"{"url":"https://example.org/spam.jpg"}"#),
    ] {
      let answer = await test.do(name, as: user, input)
      #expect(!answer.hasSuffix("Found"), "\(name): \(answer)")
    }
    return test
  }

  private func service(_ test: TestCore, _ name: String, _ with: String = "{}") async -> String {
    var request = Request(name, as: "moderation", with: (try? JSONValue(with)) ?? .null)
    request.isService = true
    let reply = await test.core.perform([request], photos: test.ports)[0]
    switch reply.result {
    case .success(let value): return value.text
    case .failure(let error): return error.code
    }
  }

  @Test(
    "A service closes a report, and the removal that follows names the closing as its cause")
  func removal() async throws {
    let test = try await society()
    let content = [
      ("comment", "c1", ["CommentRemoved"]), ("message", "m1", ["MessageRemoved"]),
      ("group", "g1", ["GroupDeleted"]), ("workout", "w1", ["WorkoutRemoved"]),
      ("profile", "ben", ["ProfileEdited", "ProfilePhotoRemoved"]),
    ]
    for (number, (kind, id, types)) in content.enumerated() {
      let report =
        #"{"report":"r\#(number)","kind":"\#(kind)","id":"\#(id)","reason":" spam "}"#
      #expect(await test.do("ReportContent", as: "ann", report) == #""r\#(number)""#)
      let before = await test.count
      let close = #"{"report":"r\#(number)","outcome":"removed"}"#
      #expect(await service(test, "CloseReport", close) == "null")
      let events = await test.log.read(after: before, limit: .max)
      #expect(events.map(\.type) == ["ReportClosed"] + types)
      #expect(events.dropFirst().allSatisfy { $0.cause == events[0].id })
      #expect(events.allSatisfy { $0.actor == "service:moderation" })
      #expect(await service(test, "CloseReport", close) == "null")
      #expect(await test.count == before + UInt64(events.count))
    }
    let ben = await test.do("GetProfile", as: "ann", #"{"user":"ben"}"#)
    #expect(!ben.contains("spam"))
    #expect(try Check(test.log.view(), by: RuleHistory(.erg)).findings == [])
    #expect(
      await service(test, "GetReports").hasPrefix(
        #"[{"report":"r4","user":"ann","kind":"profile","id":"ben","reason":"spam","#))
  }

  @Test("Content already removed, or kept, does not change; only visible content can be reported")
  func others() async throws {
    let test = try await society()
    func report(_ user: String, _ kind: String, _ id: String) async -> String {
      await test.do(
        "ReportContent", as: user, #"{"kind":"\#(kind)","id":"\#(id)","reason":""}"#)
    }
    #expect(await report("cem", "workout", "w1") == "notVisible")
    #expect(await report("cem", "comment", "c1") == "notVisible")
    #expect(await report("cem", "message", "m1") == "messageNotFound")
    #expect(await report("cem", "group", "g9") == "groupNotFound")
    #expect(await report("cem", "comment", "c9") == "commentNotFound")
    #expect(await report("cem", "profile", "zoe") == "profileNotFound")
    #expect(await report("cem", "photo", "p") == "invalidInput")
    _ = await test.do(
      "ReportContent", as: "ann",
      #"{"report":"r1","kind":"comment","id":"c1","reason":"spam"}"#)
    _ = await test.do("RemoveComment", as: "ben", #"{"comment":"c1"}"#)
    let before = await test.count
    #expect(
      await service(test, "CloseReport", #"{"report":"r1","outcome":"removed"}"#) == "null")
    #expect(await test.count == before + 1)
    #expect(
      await service(test, "CloseReport", #"{"report":"r9","outcome":"kept"}"#)
        == "reportNotFound")
    #expect(await test.do("GetReports", as: "ann") == "notAuthorized")
  }
}
