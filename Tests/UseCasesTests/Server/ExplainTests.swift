import Events
import Testing
import UseCases
import UseCasesTesting

@Suite struct ExplainTests {
  @Test("A command with ?explain appends nothing and answers why it would be refused")
  func explains() async throws {
    let log = InMemoryLog()
    let core = try await Core(log, rules: .climb)
    for user in ["ann", "bob"] {
      _ = try await CreateProfile(core).execute(
        .init(user: user, handle: user + "_x"), as: Caller(user))
    }
    _ = try await SendFriendRequest(core).execute(.init(receiver: "ann"), as: "bob")
    let service = TestService(
      core, PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder()),
      now: RuntimeEnvironment.system.now)
    let target = "/v1/do/SendFriendRequest?explain"
    let own = await service.send("POST", target, as: "ann", body: #"{"receiver":"bob"}"#)
    #expect(own.status == 200)
    let answer = try JSONValue(object: Array(own.body.utf8))
    #expect(answer["result"]?["code"] == .string("alreadyReceived"), "\(own.body)")
    #expect(answer["result"]?["sets"] == .array([.array([.int(3)])]))
    // A service learns of a block; the blocked user does not.
    _ = try await BlockUser(core).execute(.init(user: "ann"), as: "bob")
    let said = await service.send("POST", target, as: "ann", body: #"{"receiver":"bob"}"#)
    let missing = await service.send("POST", target, as: "ann", body: #"{"receiver":"zed"}"#)
    #expect(said.body == missing.body && said.body.contains(#""code":"profileNotFound""#))
    let report = await service.send(
      "POST", "/v1/do/CloseReport?explain", as: "service:mods",
      body: #"{"report":"r1","outcome":"kept"}"#)
    #expect(report.body.contains(#""path":"report/r1.user","value":null"#), "\(report.body)")
    let wrong = await service.send("POST", target, as: "ann", body: #"{"receiver":1}"#)
    #expect(wrong.status == 400)
    let query = await service.send("POST", "/v1/do/GetFollowCounts?explain", as: "ann")
    #expect(query.status == 400)
    #expect(await log.head() == 5)
  }
}
