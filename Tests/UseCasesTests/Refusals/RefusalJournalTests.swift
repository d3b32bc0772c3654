import Events
import FaultTesting
import Foundation
import PropertyTesting
import Testing
import UseCasesTesting

@testable import UseCases

@Suite struct RefusalJournalTests {
  typealias Folder = ForgettingPropertiesTests.Folder

  /// A core on a new log with a journal of refusals, and three users.
  private static func core(_ folder: Folder, largestFile: Int? = nil) async throws -> Core {
    var tracing = Tracing()
    tracing.refusals = try RefusalJournal(
      log: folder.log, files: .posix, largestFile: largestFile ?? RefusalJournal.largestFile)
    let core = try await Core.open(
      FileLog(path: folder.log, creating: true), tracing: tracing)
    for user in ["ann", "bob", "cat"] where core.number(of: user) == nil {
      _ = try await CreateProfile(core).execute(
        .init(user: user, handle: user + "_x"), as: Caller(user))
    }
    return core
  }

  @Test("The journal has each refused command with its ids, without texts, in the owner's file")
  func entries() async throws {
    let folder = Folder()
    let core = try await Self.core(folder)
    var caller = Caller("ann")
    caller.correlation = CorrelationID("req-7")
    await #expect(throws: UseCaseError.self) {
      try await SendMessage(core).execute(.init(to: "bob", text: "a secret"), as: caller)
    }
    await #expect(throws: UseCaseError.self) {
      try await FollowUser(core).execute(.init(followee: "ann"), as: "ann")
    }
    // Accepted commands, queries and invalid inputs are not refused commands.
    _ = try await FollowUser(core).execute(.init(followee: "bob"), as: "ann")
    await #expect(throws: UseCaseError.self) {
      try await GetProfile(core).execute(.init(user: "zed"), as: "ann")
    }
    let found = try RefusalJournal.read(log: folder.log)
    #expect(found.map(\.number) == [1, 2])
    #expect(found.map(\.code) == ["notVisible", "cannotFollowSelf"])
    #expect(found.map(\.position) == [3, 3])
    #expect(found[0].input == .object([.init("to", .string("bob"))]))
    #expect(found[0].caller == "ann" && found[0].correlation == caller.correlation)
    let path = folder.log + "/refusals/0000000000000001.jsonl"
    #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("secret"))
    let access = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    #expect(access as? Int == 0o600)
    let log = try LogView(path: folder.log)
    #expect(try log.head().seq == 4)
  }

  @Test("Numbers continue after an incomplete line, and old files are deleted")
  func files() async throws {
    let folder = Folder()
    for round in 0..<5 {
      let core = try await Self.core(folder, largestFile: 2_000)
      for _ in 0..<30 {
        _ = try? await FollowUser(core).execute(.init(followee: "ann"), as: "ann")
      }
      #expect(core.tracing.refusals?.failures == 0)
      let found = try RefusalJournal.read(log: folder.log)
      #expect(found.last?.number == UInt64(round + 1) * 30)
      #expect(found.map(\.number) == Array(found[0].number...UInt64(round + 1) * 30))
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.log + "/refusals")
      let sizes = try names.map {
        try Data(contentsOf: URL(fileURLWithPath: "\(folder.log)/refusals/\($0)")).count
      }
      #expect(sizes.reduce(0, +) <= 4_000 && sizes.count >= 2)
      // The process was killed within its last line.
      let last = folder.log + "/refusals/" + (names.max() ?? "")
      let file = try #require(FileHandle(forWritingAtPath: last))
      file.seekToEndOfFile()
      file.write(Data(#"{"n":31,"time":"20"#.utf8))
      try file.close()
    }
  }

  @Test("An erasure removes the refusals that name the person or the item")
  func erasure() async throws {
    let folder = Folder()
    do {
      let core = try await Self.core(folder)
      _ = try? await FollowUser(core).execute(.init(followee: "ann"), as: "ann")
      _ = try? await SendMessage(core).execute(.init(to: "bob", text: "x"), as: "cat")
      _ = try? await AcceptFriendRequest(core).execute(.init(sender: "ann"), as: "cat")
      var caller = Caller("cat")
      caller.correlation = CorrelationID("from-ann_x-1")
      _ = try? await FollowUser(core).execute(.init(followee: "cat"), as: caller)
    }
    #expect(try RefusalJournal.read(log: folder.log).count == 4)
    let forgetting = try Forgetting(
      path: folder.log, photos: PhotoFolder(folder.path + "/photos"))
    _ = try await forgetting.forget(ForgettingRequest(people: ["ann"]))
    let left = try RefusalJournal.read(log: folder.log)
    #expect(left.map(\.number) == [2])
    let bytes = try Data(
      contentsOf: URL(fileURLWithPath: folder.log + "/refusals/0000000000000001.jsonl"))
    #expect(!String(decoding: bytes, as: UTF8.self).contains("ann"))
    let path = folder.log + "/refusals/0000000000000001.jsonl"
    let access = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    #expect(access as? Int == 0o600)
  }

  @Test("A refusal explained as of its position has the same code, if it needs no text")
  func explaining() async throws {
    try await check(
      runs: Sweep.size(4, 20, 3_000), covering: ["the same code": 0.5]
    ) { t in
      let folder = Folder()
      var environment = RuntimeEnvironment.system
      let history = t.draw(.history(max: 60), "history")
      let end = history.entries.last?.time ?? .epoch
      environment.now = { end }
      let log = try FileLog(path: folder.log, creating: true, environment: environment)
      let told = try await history.log(environment)
      let commits = await told.read(after: 0, limit: .max).map { Commit([NewEvent($0)]) }
      for result in await log.append(commits) { _ = try result.get() }
      var tracing = Tracing()
      tracing.refusals = try RefusalJournal(log: folder.log)
      let core = try await Core.open(log, tracing: tracing, environment: environment)
      let photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())
      var refused: [(Request, String)] = []
      for _ in 0..<30 {
        let request = t.draw(.request(isCommand: true))
        let reply = await core.perform([request], photos: photos)[0]
        guard case .failure(.refused(let error)) = reply.result, !request.name.hasSuffix("Photo")
        else { continue }
        refused.append((request, error.code))
      }
      let found = try RefusalJournal.read(log: folder.log)
      #expect(found.map(\.code) == refused.map(\.1))
      let whyNot = try await WhyNot(TimeTravel(log.view()), environment: environment)
      for (command, (request, _)) in zip(found, refused) {
        #expect(command.useCase == request.name && command.caller == request.user)
        // With the texts that the journal leaves out, the explanation is that of the refusal.
        let again = command.request(adding: request.input)
        do throws(UseCaseError) {
          let why = try await whyNot.explain(again, at: command.position)
          #expect(why.code == command.code, "\(request)")
          t.label("the same code")
        } catch .invalidInput {}
      }
    }
  }
}
