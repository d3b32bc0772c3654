#if Server
  import FaultTesting
  import Foundation
  import Testing

  /// The first steps of docs/server.md.
  @Suite struct DocumentTests {
    /// Runs blocks of a page in bash, in a folder of their own, with a free port instead of 8080.
    private func run(_ blocks: [String], then last: String = "") throws -> String {
      let folder = FileManager.default.temporaryDirectory.appending(
        path: "eventlog-tour-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      // The port of a server that has just ended is free.
      let other = try ServerProcess()
      let port = other.port
      other.remove()
      let script =
        "set -e\ntrap 'kill $!' EXIT\n"
        + (blocks + [last]).joined().replacing("8080", with: "\(port)")
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(filePath: "/bin/bash")
      process.arguments = ["-c", script]
      process.currentDirectoryURL = folder
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      var environment = ProcessInfo.processInfo.environment
      environment["PATH"] = products.path + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
      process.environment = environment
      try process.run()
      let said = String(
        decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0, "\(said)")
      return said
    }

    private func page(_ name: String) throws -> String {
      try String(
        contentsOf: ServeTests.repository.appending(path: name), encoding: .utf8)
    }

    private func blocks(_ page: String, fence: String) -> [String] {
      page.components(separatedBy: fence + "\n").dropFirst()
        .map { $0.components(separatedBy: "```")[0] }
    }

    @Test("The first five minutes of docs/server.md work as written")
    func tour() throws {
      let blocks = blocks(try page("docs/server.md"), fence: "<!-- tried -->\n```sh")
      #expect(blocks.count == 3)
      let said = try run(blocks)
      #expect(said.contains(#"{"result":true,"seq":[3],"position":3}"#), "\(said)")
      #expect(said.contains(#"{"result":{"followers":1,"following":0},"seq":[],"position":3}"#))
      #expect(said.contains(#""type":"UserFollowed""#))
    }

    @Test("The five minutes of docs/client.md work as written")
    func client() throws {
      let text = try page("docs/client.md")
      let program = blocks(text, fence: "```swift client")
      #expect(program == [try page("Tests/Consumer/Sources/Client/main.swift")])
      let blocks = blocks(text, fence: "<!-- tried -->\n```sh")
      #expect(blocks.count == 2)
      let said = try run(
        blocks,
        then: """
          client-story http://127.0.0.1:8080 alice.token
          client-story http://127.0.0.1:8080
          """)
      let first = """
        true
        followers of bob: 1
        the bio has 2000 characters, 280 are allowed

        """
      #expect(said.hasSuffix(first + "alice is back\n" + first), "\(said)")
    }
  }
#endif
