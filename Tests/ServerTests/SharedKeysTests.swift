#if Server && PostgreSQL
  import Events
  import Foundation
  import PostgresTesting
  import Synchronization
  import Testing

  /// Eight servers, each on its clone of one log in PostgreSQL, behind a load balancer that sends
  /// the same command to several of them.
  @Suite(.serialized) struct SharedKeysTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// The number of keys: `EVENTLOG_TEST_KEYS`, 240 by default.
    private static let keys = Int(environment["EVENTLOG_TEST_KEYS"] ?? "") ?? 240
    private static let clients = 64
    private static let people = (0..<6).map { "u\($0)" }

    /// The servers; a killed one comes back in its folder, on another port.
    private final class Servers: Sendable {
      private let all: Mutex<[ServerProcess]>
      let address: String

      init(_ count: Int, _ postgres: PostgresServer) throws {
        address = postgres.newLog()
        let first = FileManager.default.temporaryDirectory.appending(
          path: "eventlog-keys-\(UUID().uuidString)", directoryHint: .isDirectory)
        func eventlog(_ words: String...) throws {
          #expect(try ServerProcess.eventlog(words) == 0, "\(words)")
        }
        try eventlog("init", first.path)
        try eventlog("remote", "init", address, "--log", first.path)
        var servers: [ServerProcess] = []
        for number in 0..<count {
          let folder = first.appending(path: "\(number)", directoryHint: .isDirectory)
          try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
          try Data(ServerProcess.secret.utf8).write(to: folder.appending(path: "secret"))
          try eventlog("clone", address, folder.appending(path: "a.log").path)
          servers.append(try ServerProcess(["--requests-per-second", "0"], in: folder))
        }
        all = Mutex(servers)
      }

      var count: Int { all.withLock { $0.count } }
      subscript(number: Int) -> ServerProcess { all.withLock { $0[number] } }

      func kill(_ number: Int) throws {
        let old = self[number]
        old.end(SIGKILL)
        let new = try ServerProcess(["--requests-per-second", "0"], in: old.folder)
        all.withLock { $0[number] = new }
      }

      func end() {
        for server in all.withLock({ $0 }) { server.end(SIGKILL) }
        let folder = self[0].folder.deletingLastPathComponent()
        try? FileManager.default.removeItem(at: folder)
      }
    }

    private struct Sent: Sendable {
      var key: String
      var user: String
      var name: String
      var input: String
      var servers: [Int]

      init(_ number: Int, _ random: inout SplitMix64, servers count: Int) {
        let pair = SharedKeysTests.people.shuffled(using: &random)
        (key, user) = ("k\(number)", pair[0])
        (name, input) = [
          ("ToggleFollow", #"{"followee":"\#(pair[1])"}"#),
          ("ToggleFollow", #"{"followee":"\#(pair[1])"}"#),
          ("FollowUser", #"{"followee":"\#(pair[1])"}"#),
          ("SendFriendRequest", #"{"receiver":"\#(pair[1])"}"#),
          ("RejectFriendRequest", #"{"sender":"\#(pair[1])"}"#),
          ("UpdateProfile", #"{"bio":"\#(number)"}"#),
        ].randomElement(using: &random)!
        servers = Array((0..<count).shuffled(using: &random).prefix(.random(in: 1...4)))
      }
    }

    @Test("A key sent to several of eight servers, some killed, is performed once")
    func once() throws {
      let postgres = try #require(PostgresServer.shared, "no PostgreSQL server could be started")
      let servers = try Servers(8, postgres)
      defer { servers.end() }
      for user in Self.people {
        let made = try servers[0].post(
          "CreateProfile", as: user, #"{"user":"\#(user)","handle":"\#(user)_x"}"#)
        #expect(made.status == 200, "\(made.body)")
      }
      var random = SplitMix64(seed: 8)
      let sent = (0..<Self.keys).map { Sent($0, &random, servers: servers.count) }
      let next = Atomic(0)
      let answers = Mutex<[String: Set<String>]>([:])
      let group = DispatchGroup()
      for _ in 0..<Self.clients {
        Thread.detach(in: group) {
          while true {
            let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
            guard number < sent.count else { return }
            let found = Self.answers(to: sent[number], servers)
            answers.withLock { $0[sent[number].key] = found }
          }
        }
      }
      for kill in 0..<4 {
        while next.load(ordering: .relaxed) < Self.keys * (kill + 1) / 5 { usleep(10_000) }
        try servers.kill(kill * 2)
      }
      group.wait()
      try judge(answers.withLock { $0 }, servers)
    }

    private func judge(_ answers: [String: Set<String>], _ servers: Servers) throws {
      #expect(answers.count == Self.keys)
      var positions: Set<Substring> = []
      var events = 0
      for (key, answers) in answers {
        #expect(answers.count == 1, "\(key): \(answers)")
        guard let match = answers.first?.firstMatch(of: #/"seq":\[([0-9,]+)\]/#) else { continue }
        let seqs = match.output.1.split(separator: ",")
        positions.formUnion(seqs)
        events += seqs.count
      }
      #expect(positions.count == events, "two keys share an event")
      let log = servers[0].log
      servers[0].end()
      #expect(try ServerProcess.eventlog(["pull", "--log", log]) == 0)
      #expect(try ServerProcess.eventlog(["check", "--log", log]) == 0)
      #expect(ServerProcess.lines(of: log).count == Self.people.count + events)
      print("\(Self.keys) keys on 8 servers, 4 killed: \(events) events, each of one key")
    }

    /// Sends a command to several servers at once, and again until each has answered.
    private static func answers(to sent: Sent, _ servers: Servers) -> Set<String> {
      let answers = Mutex<Set<String>>([])
      let group = DispatchGroup()
      for number in sent.servers {
        Thread.detach(in: group) {
          for _ in 0..<2_000 {
            let answer = try? servers[number].post(
              sent.name, as: sent.user, sent.input, key: sent.key)
            if let answer, answer.status != 0, answer.status != 503 {
              answers.withLock { _ = $0.insert("\(answer.status) \(answer.body)") }
              return
            }
            usleep(20_000)
          }
          answers.withLock { _ = $0.insert("no answer from server \(number)") }
        }
      }
      group.wait()
      return answers.withLock { $0 }
    }
  }

  extension Thread {
    /// Runs `body` on its own thread, because the pool has too few that may block.
    fileprivate static func detach(
      in group: DispatchGroup, _ body: @escaping @Sendable () -> Void
    ) {
      group.enter()
      detachNewThread {
        body()
        group.leave()
      }
    }
  }
#endif
