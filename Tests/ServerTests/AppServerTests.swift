#if Server
  import FaultTesting
  import Foundation
  import Testing

  /// `Tests/GymServer`, a program that serves its own events, projection and use cases.
  @Suite struct AppServerTests {
    @Test("An app's use cases are served beside the core's, with retries, lines and OpenAPI")
    func gym() throws {
      let server = try ServerProcess(program: "gymserver")
      defer { server.remove() }
      let made = try server.post("CreateProfile", as: "u1", #"{"user":"u1","handle":"ann"}"#)
      #expect(made.status == 200, "\(made.body)")
      // Performed once, though it is sent twice with one key.
      for _ in 0..<2 {
        let answer = try server.send(
          "POST", "/v1/do/gymapp.CheckIn", as: "u1", headers: ["Idempotency-Key: k1"],
          body: #"{"times":2}"#)
        #expect(answer.status == 200, "\(answer.body)")
        #expect(answer.body.contains(#""result":2,"seq":[2,3]"#), "\(answer.body)")
      }
      let asked = try server.send("GET", "/v1/do/gymapp.GetVisits?user=u1", as: "u1")
      #expect(asked.status == 200 && asked.body.contains(#""result":2"#), "\(asked.body)")
      let lines = try server.send(
        "POST", "/v1/run", as: "u1",
        body: #"{"do":"gymapp.CheckIn"}"# + "\n"
          + #"{"do":"gymapp.GetVisits","with":{"user":"u1"}}"#
          + "\n", type: "application/x-ndjson")
      #expect(lines.body.contains(#""seq":[4]"#) && lines.body.contains(#""result":3"#), "\(lines)")
      // Refused like the core's own.
      #expect(try server.send("POST", "/v1/do/gymapp.CheckIn", body: "{}").status == 401)
      let wrong = try server.send("POST", "/v1/do/gymapp.CheckIn", as: "u1", body: #"{"x":1}"#)
      #expect(wrong.status == 400 && wrong.body.contains("times"), "\(wrong.body)")
      #expect(try server.send("GET", "/v1/do/gymapp.CheckIn", as: "u1").status == 405)
      #expect(try server.send("POST", "/v1/do/gymapp.CheckOut", as: "u1", body: "{}").status == 404)
      let description = try server.send("GET", "/v1/openapi.json").body
      for path in [
        "/v1/do/gymapp.CheckIn", "/v1/do/gymapp.GetVisits", "/v1/updates/gymapp.GetVisits",
        "/v1/do/ToggleFollow",
      ] {
        #expect(description.contains("\"\(path)\""), "\(path)")
      }
      #expect(server.lines.filter { $0.contains(#""type":"gymapp.CheckedIn""#) }.count == 3)
      #expect(try ServerProcess.eventlog(["verify", "--log", server.log]) == 0)
      // It ends by SIGTERM and can start again; its log has its rules.
      #expect(server.end() == 0)
      #expect(server.said.contains("stopping"))
      let rules = try String(contentsOfFile: server.log + "/rules.json", encoding: .utf8)
      #expect(rules.contains(#"{"base":"climb","edition":2}"#))
      let again = try ServerProcess(in: server.folder, program: "gymserver")
      defer { again.remove() }
      let later = try again.send("GET", "/v1/do/gymapp.GetVisits?user=u1", as: "u1")
      #expect(later.body.contains(#""result":3"#), "\(later.body)")
    }

    @Test("docs/app-events.md shows the program that is tested")
    func document() throws {
      let page = try String(
        contentsOf: repository.appending(path: "docs/app-events.md"), encoding: .utf8)
      for file in ["main", "Gym"] {
        let source = try String(
          contentsOf: repository.appending(path: "Tests/GymServer/\(file).swift"), encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
          .filter { !$0.hasPrefix("#") }.map {
            $0.hasPrefix("  ") ? String($0.dropFirst(2)) : String($0)
          }
        let text = lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
        #expect(page.contains(text), "\(file).swift is not in the page as it is")
      }
    }
  }
#endif
