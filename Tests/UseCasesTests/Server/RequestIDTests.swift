import Events
import Server
import Testing
import UseCases
import UseCasesTesting

@Suite struct RequestIDTests {
  private static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  @Test("Events record X-Request-ID, else the trace id; an id of another form is ignored")
  func headers() async throws {
    let log = InMemoryLog()
    let core = try await Core(log, rules: .climb)
    let service = TestService(
      core, PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder()),
      now: RuntimeEnvironment.system.now)
    let cases: [([(RequestHead.Header, String)], String?)] = [
      ([], nil), ([(.requestID, "req-1")], "req-1"), ([(.requestID, "two words")], nil),
      ([(.traceparent, Self.trace)], "4bf92f3577b34da6a3ce929d0e0e4736"),
      ([(.requestID, "req-2"), (.traceparent, Self.trace)], "req-2"),
      ([(.requestID, ""), (.traceparent, Self.trace)], "4bf92f3577b34da6a3ce929d0e0e4736"),
      ([(.traceparent, "00-\(String(repeating: "0", count: 32))-00f067aa0ba902b7-01")], nil),
      ([(.traceparent, "nonsense")], nil), ([(.traceparent, "00-4BF9-1-1")], nil),
    ]
    for (number, (headers, id)) in cases.enumerated() {
      let user = "u\(number)"
      let answer = await service.send(
        "POST", "/v1/do/CreateProfile", as: user,
        body: #"{"user":"\#(user)","handle":"\#(user)_x"}"#, headers: headers)
      #expect(answer.status == 200, "\(answer.body)")
      let event = try #require(await log.read(after: UInt64(number), limit: 1).first)
      #expect(event.correlation?.text == id, "\(headers)")
    }
  }

  @Test("Without recording, events have no id, and a retry with another id repeats the answer")
  func notRecorded() async throws {
    let photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())
    for records in [false, true] {
      let folder = ForgettingPropertiesTests.Folder()
      var tracing = Tracing()
      tracing.recordsCorrelation = records
      let log = try FileLog(path: folder.log, creating: true)
      let core = try await Core.open(log, tracing: tracing)
      let service = TestService(core, photos, now: RuntimeEnvironment.system.now)
      let body = #"{"user":"ann","handle":"ann_x"}"#
      var answers: [String] = []
      for id in ["first", "second"] {
        answers.append(
          await service.send(
            "POST", "/v1/do/CreateProfile", as: "ann", body: body, key: "k1",
            headers: [(.requestID, id)]
          ).body)
      }
      #expect(answers[0] == answers[1])
      let events = try await log.history().head().seq
      #expect(events == 1)
      let line = try #require(try log.view().line(at: 1))
      #expect(line.event.correlation?.text == (records ? "first" : nil))
    }
  }
}
