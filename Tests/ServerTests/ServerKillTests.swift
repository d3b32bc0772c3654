#if Server
  import FaultTesting
  import Foundation
  import Synchronization
  import Testing

  /// A server under load is killed at any moment: its answers are in the log, and a command
  /// repeated with its key is there once.
  @Suite(.serialized) struct ServerKillTests {
    static let kills = Sweep.kills(3, 10, 200)
    private static let clients = 8

    @Test("After random kills each answer 200 is in the log, and no key appends twice")
    func killed() throws {
      var random = SystemRandomNumberGenerator()
      var server = try ServerProcess(["--requests-per-second", "0"])
      defer { server.remove() }
      for client in 0..<Self.clients {
        _ = try server.post("CreateProfile", as: "u\(client)", Self.profile(client))
      }
      var (answered, unknown) = (0, 0)
      for round in 0..<Self.kills {
        let first = load(
          server, round, killedAfter: Int.random(in: 0...60, using: &random),
          UInt32.random(in: 0...5_000, using: &random))
        server = try ServerProcess(["--requests-per-second", "0"], in: server.folder)
        let before = bios(server, of: round)
        for (key, body) in first {
          let count = before[key, default: 0]
          guard let body else {
            unknown += 1
            #expect(count <= 1, "\(key) is there \(count) times")
            continue
          }
          answered += 1
          #expect(count == 1, "\(key) was answered, and is there \(count) times")
          #expect(body.contains("\"bio\":\"\(key)\""), "\(body)")
        }
        for (key, body) in first {
          let again = try post(server, key)
          #expect(again.status == 200, "\(key): \(again.body)")
          if let body { #expect(again.body == body, "\(key) is answered otherwise") }
        }
        let after = bios(server, of: round)
        for (key, _) in first { #expect(after[key] == 1, "\(key)") }
      }
      #expect(answered > 0)
      #expect(try ServerProcess.eventlog(["check", "--log", server.log]) == 0)
      print("\(Self.kills) kills: \(answered) answered, \(unknown) unknown, none lost, none twice")
    }

    /// How often the log has each text of a round.
    private func bios(_ server: ServerProcess, of round: Int) -> [String: Int] {
      var counts: [String: Int] = [:]
      for line in server.lines.suffix(2_000) {
        guard let start = line.range(of: "\"bio\":\"") else { continue }
        let bio = String(line[start.upperBound...].prefix { $0 != "\"" })
        if bio.contains("r\(round)n") { counts[bio, default: 0] += 1 }
      }
      return counts
    }

    private static func profile(_ client: Int) -> String {
      #"{"user":"u\#(client)","handle":"user\#(client)"}"#
    }

    private func post(_ server: ServerProcess, _ key: String) throws -> Answer {
      let client = key.dropFirst().prefix { $0 != "r" }
      return try server.post(
        "UpdateProfile", as: "u\(client)", #"{"bio":"\#(key)"}"#, key: key)
    }

    /// Clients send one command after the other until the server is killed.
    /// - Returns: the keys and their answers; nil for a key without an answer.
    private func load(
      _ server: ServerProcess, _ round: Int, killedAfter answers: Int, _ delay: UInt32
    ) -> [(key: String, body: String?)] {
      let results = Mutex<[(key: String, body: String?)]>([])
      let group = DispatchGroup()
      for client in 0..<Self.clients {
        DispatchQueue.global().async(group: group) {
          for number in 0... {
            let key = "u\(client)r\(round)n\(number)"
            let answer = try? self.post(server, key)
            let body = answer.flatMap { $0.status == 200 ? $0.body : nil }
            results.withLock { $0.append((key, body)) }
            if body == nil { return }
          }
        }
      }
      // After some answers, and a moment more.
      for _ in 0..<2_000 where results.withLock({ $0.count }) < answers { usleep(5_000) }
      usleep(delay)
      server.end(SIGKILL)
      group.wait()
      return results.withLock { $0 }
    }
  }
#endif
