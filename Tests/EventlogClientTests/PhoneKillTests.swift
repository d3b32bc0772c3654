#if Server
  import EventlogClient
  import FaultTesting
  import Foundation
  import Synchronization
  import Testing

  /// A phone's process is killed again and again, and the network loses answers.
  @Suite struct PhoneKillTests {
    private static let kills = Sweep.kills(5, 10, 200)

    @Test("A killed phone loses no acknowledged command, and each is performed once")
    func kills() async throws {
      let server = try await TestServer()
      try await server.people("ann")
      let count = Mutex(0)
      let port = server.listener.port
      // Every fourth answer is lost after the server has performed the request.
      let proxy = try Peer { request in
        let answer = Peer.forward(request, to: port) ?? []
        let number = count.withLock { count in
          count += 1
          return count
        }
        return number % 4 == 0 ? .cut([]) : .answer(answer)
      }
      let folder = NSTemporaryDirectory() + "phone-\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: folder) }
      func tapper(_ start: String) throws -> (process: Process, output: FileHandle) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = products.appending(path: "helper")
        process.arguments = [
          "tap", "http://127.0.0.1:\(proxy.port)", server.tokens.make("ann"), "ann", folder, start,
        ]
        process.standardOutput = output
        try process.run()
        return (process, output.fileHandleForReading)
      }
      var acknowledged: [Int] = []
      var random = SystemRandomNumberGenerator()
      for _ in 0..<Self.kills {
        // A killed process may have stored a command that it did not acknowledge.
        let (process, output) = try tapper("\((acknowledged.last ?? 0) + 1_000)")
        let most = Int.random(in: 1...40, using: &random)
        let text = await Thread.result { () -> String in
          var lines = Data()
          while lines.count(where: { $0 == UInt8(ascii: "\n") }) < most {
            let new = output.availableData
            if new.isEmpty { break }
            lines += new
          }
          kill(process.processIdentifier, SIGKILL)
          lines += output.readDataToEndOfFile()
          process.waitUntilExit()
          return String(decoding: lines, as: UTF8.self)
        }
        acknowledged += text.split(separator: "\n").compactMap { Int($0) }
      }
      let (process, output) = try tapper("drain")
      let text = await Thread.result { () -> String in
        defer { process.waitUntilExit() }
        return String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
      }
      let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
      #expect(process.terminationStatus == 0)
      let climbs = try await server.climbs()
      #expect(climbs.values.allSatisfy { $0 == 1 }, "performed twice")
      #expect(acknowledged.allSatisfy { climbs["c\($0)"] == 1 }, "lost")
      #expect(lines.allSatisfy { $0[0] == "applied" })
      #expect(Set(lines.map { $0[1] }) == Set(climbs.keys) && lines.count == climbs.count)
      #expect(acknowledged.count > Self.kills)
      Sweep.tally("kills of phones", Self.kills)
      proxy.end()
      await server.end()
    }
  }
#endif
