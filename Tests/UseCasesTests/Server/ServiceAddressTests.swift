import Events
import Testing
import UseCases

@Suite struct ServiceAddressTests {
  private let path = "/storage/v1/object/public/avatars/ann/1_a.jpg"

  private func withPhoto() async throws -> TestCore {
    let test = try await TestCore()
    try await test.people("ann")
    let line =
      #"{"type":"ProfilePhotoSet","v":2,"actor":"ann","data":{"user":"ann","url":"\#(path)"}}"#
    try await test.log.append(Commit([try NewEvent(line: Array(line.utf8))]))
    try await test.core.catchUp()
    return test
  }

  private func service(_ test: TestCore, publicURL: String? = nil) -> TestService {
    TestService(test.core, test.ports, publicURL: publicURL) { [clock = test.clock] in
      clock.environment.now()
    }
  }

  @Test("A photo's address begins with the public address, or with the host of the request")
  func photos() async throws {
    let test = try await withPhoto()
    let (plain, named) = (service(test), service(test, publicURL: "https://api.example.org"))
    func asked(_ service: TestService, _ host: String?) async -> String {
      let (status, body) = await service.send(
        "GET", "/v1/do/GetProfile", as: "ann", host: host)
      #expect(status == 200, "\(body)")
      return body
    }
    #expect(
      await asked(plain, "127.0.0.1:8080")
        .contains(#""photoURL":"http://127.0.0.1:8080\#(path)""#))
    #expect(await asked(plain, nil).contains(#""photoURL":"\#(path)""#))
    for host in ["", "a/b", "a b", "a@b", "a\"b", "ä"] {
      #expect(await asked(plain, host).contains(#""photoURL":"\#(path)""#))
    }
    for host in ["127.0.0.1:8080", nil] {
      #expect(
        await asked(named, host).contains(#""photoURL":"https://api.example.org\#(path)""#))
    }
    let (status, edited) = await named.send(
      "POST", "/v1/do/UpdateProfile", as: "ann", body: #"{"bio":"I"}"#, key: "k1")
    #expect(status == 200)
    #expect(edited.contains(#""photoURL":"https://api.example.org\#(path)""#))
  }

  @Test("A token's UUID is the log's user in any case")
  func uuids() async throws {
    let test = try await TestCore()
    let service = service(test)
    let upper = "0190B0D7-8E2F-7ABC-8DEF-0123456789AB"
    let lower = upper.lowercased()
    let (status, body) = await service.send(
      "POST", "/v1/do/CreateProfile", as: upper,
      body: #"{"user":"\#(upper)","handle":"bob"}"#)
    #expect(status == 200 && body.contains(#""user":"\#(lower)""#), "\(body)")
    for caller in [upper, lower] {
      let (status, body) = await service.send(
        "POST", "/v1/do/LogSend", as: caller, body: #"{"climb":"x"}"#)
      #expect(status == 200, "\(body)")
      let profile = await service.send("GET", "/v1/do/GetProfile", as: caller)
      #expect(profile.body.contains(#""handle":"bob""#))
    }
    #expect(Set(await test.log.read(after: 0, limit: 9).map(\.actor)) == [lower])
  }
}
