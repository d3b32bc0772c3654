import EventLog
import Events
import FaultTesting
import Foundation
import PropertyTesting
import Synchronization
import Testing
import UseCases

/// One `Idempotency-Key` at several servers of a shared log, for example when a phone retries
/// through a load balancer.
@Suite struct SharedKeyTests {
  private static let people = (0..<4).map { "u\($0)" }
  /// The folder of a test's shared log and its clones.
  private let folder = Folder()

  init() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path, withIntermediateDirectories: true)
  }

  /// A command of a random kind, by and about random people.
  private struct Sent {
    var user: String
    var name: String
    var input: String
    var key: String
    /// The servers that get it at once.
    var servers: [Int]

    init(_ number: Int, servers count: Int, _ random: inout SplitMix64) {
      let pair = SharedKeyTests.people.shuffled(using: &random)
      user = pair[0]
      let other = pair[1]
      (name, input) =
        [
          ("ToggleFollow", #"{"followee":"\#(other)"}"#),
          ("ToggleFollow", #"{"followee":"\#(other)"}"#),
          ("FollowUser", #"{"followee":"\#(other)"}"#),
          ("FollowUser", #"{"followee":"\#(pair[0])"}"#),
          ("SendFriendRequest", #"{"receiver":"\#(other)"}"#),
          ("RejectFriendRequest", #"{"sender":"\#(other)"}"#),
          ("UpdateProfile", #"{"bio":"\#(number)"}"#),
        ].randomElement(using: &random)!
      key = "k\(number)"
      servers = Array((0..<count).shuffled(using: &random).prefix(.random(in: 1...count)))
    }
  }

  @Test("A key sent to several servers at once is performed once, and all give the same answer")
  func once() async throws {
    do {
      let core = try await Core(FileLog(path: folder.path + "/shared", creating: true))
      for user in Self.people {
        _ = try await CreateProfile(core).execute(
          .init(user: user, handle: user + "_x"), as: Caller(user))
      }
    }
    let remote = try FolderRemote(path: folder.path + "/shared")
    var services: [TestService] = []
    let ports = PhotoPorts(storage: PhotoFolder(""), encoder: PassThroughEncoder())
    for number in 0..<4 {
      let log = try await FileLog.clone(remote, address: "", to: folder.path + "/\(number)")
      services.append(
        TestService(try await Core.open(log), ports, now: RuntimeEnvironment.system.now))
    }
    var random = SplitMix64(seed: 40)
    let all = (0..<160).map { Sent($0, servers: services.count, &random) }
    let servers = services
    let answers = await withTaskGroup(of: [String].self) { group in
      for worker in 0..<8 {
        group.addTask {
          var answers: [String] = []
          for sent in all[(worker * 20)..<(worker * 20 + 20)] {
            answers += await Self.answers(to: sent, servers).map { "\(sent.key) \($0)" }
          }
          return answers
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    let byKey = Dictionary(grouping: answers) { $0.prefix { $0 != " " } }
    for (key, several) in byKey where several.count > 1 {
      Issue.record("\(key) has several answers: \(several), it is \(all.filter { $0.key == key })")
    }
    #expect(byKey.count == all.count)
    let explained = answers.flatMap { answer in
      answer.firstMatch(of: #/"seq":\[([0-9,]+)\]/#).map { $0.output.1.split(separator: ",") } ?? []
    }
    let lines = try LogView(path: folder.path + "/shared").head().seq
    #expect(
      lines == UInt64(Self.people.count + explained.count), "events that no answer is about")
  }

  @Test("A command that changes nothing is decided on the shared log's present state")
  func unchanged() async throws {
    _ = try FileLog(path: folder.path + "/shared", creating: true)
    let remote = try FolderRemote(path: folder.path + "/shared")
    var cores: [Core] = []
    for number in 0..<2 {
      let log = try await FileLog.clone(remote, address: "", to: folder.path + "/\(number)")
      cores.append(try await Core.open(log))
    }
    for user in Self.people.prefix(2) {
      _ = try await CreateProfile(cores[0]).execute(
        .init(user: user, handle: user + "_x"), as: Caller(user))
    }
    let follow = FolloweeInput(followee: "u1")
    #expect(try await FollowUser(cores[0]).execute(follow, as: "u0"))
    #expect(await cores[1].reach(3, within: .seconds(5)) && cores[1].position == 3)
    _ = try await UnfollowUser(cores[1]).execute(.init(followee: "u1"), as: "u0")
    // The first clone has not heard of that.
    #expect(cores[0].position == 3)
    #expect(try await FollowUser(cores[0]).execute(follow, as: "u0"))
    #expect(cores[0].position == 5)
    #expect(await cores[1].reach(5, within: .seconds(5)))
    let profile = try await GetProfile(cores[1]).execute(.init(user: "u1"), as: "u0")
    #expect(profile.followerCount == 1)
  }

  @Test("A shared log records each command's answer with its events, also of many at once")
  func recorded() async throws {
    _ = try FileLog(path: folder.path + "/shared", creating: true)
    let remote = ListeningRemote(try FolderRemote(path: folder.path + "/shared"))
    let log = try await FileLog.clone(remote, address: "", to: folder.path + "/clone")
    let core = try await Core.open(log)
    var (tail, kinds) = (0 as UInt64, Set<String>())
    /// Performs commands at once, and compares the recorded answers with those that were given.
    func perform(_ commands: [(name: String, user: String, input: String)]) async throws {
      let calls = try commands.map { command in
        let entry = try #require(Registry.find(command.name))
        var call = try Call(entry, try JSONValue(command.input), as: Caller(command.user))
        tail += 1
        call.key = IdempotencyKey(tail: tail << 32, body: tail)
        return call
      }
      let replies = await Self.replies(to: calls, core)
      let uses = remote.recorded
      for (number, command) in commands.enumerated() {
        guard case .success(let result)? = replies[number]?.result else { continue }
        kinds.insert(command.name)
        guard var first = calls[number].key.flatMap({ uses[$0.tail] }) else {
          Issue.record("no use of the key of \(command)")
          continue
        }
        #expect(first.answer == JSONValue.array([result]).text, "\(command)")
        // Without the recorded answer, the core decides again on the state before the command, and
        // reads its answer from the state after it.
        first.answer = nil
        let again = try await core.replied(to: calls[number], at: first)
        #expect(again?.reply.result == .success(result), "\(command)")
      }
    }
    var random = SplitMix64(seed: 49)
    let people = (0..<6).map { "p\($0)" }
    try await perform(
      people.map { ("CreateProfile", $0, #"{"user":"\#($0)","handle":"\#($0)_x"}"#) })
    for round in 0..<20 {
      try await perform(
        (0..<12).map { _ in
          let pair = people.shuffled(using: &random)
          let (user, other) = (pair[0], pair[1])
          return [
            ("UpdateProfile", user, #"{"bio":"\#(round)"}"#),
            ("UpdateProfile", user, #"{"isPublic":\#(Bool.random(using: &random))}"#),
            ("FollowUser", user, #"{"followee":"\#(other)"}"#),
            ("ToggleFollow", user, #"{"followee":"\#(other)"}"#),
            ("LogSend", user, #"{"climb":"Astroman"}"#),
            ("BlockUser", user, #"{"user":"\#(other)"}"#),
            ("UnblockUser", user, #"{"user":"\#(other)"}"#),
            ("CreateProfile", "q\(round)", #"{"user":"q\#(round)","handle":"q\#(round)_x"}"#),
            (
              "UpdateProfile", user,
              #"{"bio":"\#(String(repeating: "é", count: 250))","displayName":null}"#
            ),
          ].randomElement(using: &random)!
        })
    }
    let expected: Set = [
      "CreateProfile", "UpdateProfile", "FollowUser", "ToggleFollow", "LogSend", "BlockUser",
      "UnblockUser",
    ]
    #expect(kinds == expected)
  }

  /// Performs calls at once, and returns their replies by number.
  private static func replies(to calls: [Call], _ core: Core) async -> [Int: Reply] {
    await withTaskGroup(of: (Int, Reply).self) { group in
      for (number, call) in calls.enumerated() {
        group.addTask {
          await withCheckedContinuation { continuation in
            core.perform(call) { reply, _ in continuation.resume(returning: (number, reply)) }
          }
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  /// The different answers that the servers give to one command sent to them at the same moment.
  private static func answers(to sent: Sent, _ servers: [TestService]) async -> Set<String> {
    await withTaskGroup(of: String.self) { group in
      for number in sent.servers {
        group.addTask {
          while true {
            let answer = await servers[number].send(
              "POST", "/v1/do/\(sent.name)", as: sent.user, body: sent.input, key: sent.key)
            if answer.status != 503 { return "\(answer.status) \(answer.body)" }
            try? await Task.sleep(for: .milliseconds(2))
          }
        }
      }
      return await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
  }
}

/// A shared log that keeps the uses of keys that it received with appended events.
private final class ListeningRemote: RemoteDouble {
  let base: any RemoteLog
  private let uses = Mutex<[UInt64: KeyUse]>([:])

  init(_ base: any RemoteLog) { self.base = base }

  var recorded: [UInt64: KeyUse] { uses.withLock { $0 } }

  func append(_ batch: RemoteBatch) async throws(LogError) -> RemoteAnswer {
    let answer = try await base.append(batch)
    if answer == .appended {
      uses.withLock { for use in batch.uses { $0[use.use.tail] = use.use } }
    }
    return answer
  }
}
