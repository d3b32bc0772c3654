#if Server
  import FaultTesting
  import Foundation
  import Testing

  /// The first steps of docs/server.md.
  @Suite struct DocumentTests {
    @Test("The first five minutes of docs/server.md work as written")
    func tour() throws {
      let page = try String(
        contentsOf: ServeTests.repository.appending(path: "docs/server.md"), encoding: .utf8)
      let blocks = page.components(separatedBy: "<!-- tried -->\n```sh\n").dropFirst()
        .map { $0.components(separatedBy: "```")[0] }
      #expect(blocks.count == 3)
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
        + blocks.joined().replacing("8080", with: "\(port)")
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
      #expect(said.contains(#"{"result":true,"seq":[3],"position":3}"#), "\(said)")
      #expect(said.contains(#"{"result":{"followers":1,"following":0},"seq":[],"position":3}"#))
      #expect(said.contains(#""type":"UserFollowed""#))
    }
  }
#endif
