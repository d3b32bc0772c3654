import Aggregates
import EventLog
import FaultTesting
import Foundation
import Server
import Testing
import UseCasesTesting

@testable import Events
@testable import Projections
@testable import UseCases

/// Nobody holds a core's state while a command changes it; otherwise the command would copy tables.
@Suite struct SnapshotTests {
  /// The memory that holds the core's states. A command that finds it shared moves to a copy.
  private func boxes(_ core: Core) -> [ObjectIdentifier] {
    core.state.withLock {
      [ObjectIdentifier($0.model.aggregates.box), ObjectIdentifier($0.model.views.boxed.box)]
    }
  }

  @Test("Commands change tables in place beside updates, past states and a server's requests")
  func inPlace() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "snapshot-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let core = try await Core.open(FileLog(path: folder.path, creating: true), rules: .climb)
    for user in ["ann", "bob"] {
      _ = try await CreateProfile(core).execute(.init(user: user, handle: user), as: Caller(user))
    }
    let service = TestService(
      core, PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder()), supabase: Supabase(),
      now: RuntimeEnvironment.system.now)
    let toggle = ToggleFollow(core)
    let start = boxes(core)
    var counts = core.updates(of: GetFollowCounts(core), .init(user: "bob")).makeAsyncIterator()
    for round in 1...10 {
      let update = try await counts.next()
      #expect(update?.followers == (round + 1) % 2)
      for target in ["/v1/do/GetFollowCounts?user=bob", "/rest/v1/follows?select=id"] {
        #expect(await service.send("GET", target, as: "ann").status == 200)
      }
      let past = try await Past(of: LogView(path: folder.path), until: core.position, like: core)
      let then = try await past.answer(GetFollowCounts.self, .init(user: "bob"), as: "ann")
      #expect(then == update)
      _ = try await toggle.execute(.init(followee: "bob"), as: "ann")
      #expect(boxes(core) == start)
    }
    // The check would notice somebody who holds the state.
    let held = core.state.withLock { $0.model }
    _ = try await toggle.execute(.init(followee: "bob"), as: "ann")
    #expect(boxes(core) != start)
    withExtendedLifetime(held) {}
  }

  @Test("A snapshot stays as it is while commands change tables in place")
  func held() async throws {
    let core = try await Core(InMemoryLog(), rules: .climb)
    for user in ["ann", "bob"] {
      _ = try await CreateProfile(core).execute(.init(user: user, handle: user), as: Caller(user))
    }
    let start = boxes(core)
    let read = core.answeredApart("ann") { (model, caller) throws(UseCaseError) in
      let done = DispatchSemaphore(value: 0)
      Task {
        _ = try await ToggleFollow(core).execute(.init(followee: "bob"), as: "ann")
        done.signal()
      }
      #expect(done.wait(timeout: .now() + 60) == .success)
      return try GetFollowCounts.answer(.init(user: "bob"), to: caller, in: model).followers
    }
    #expect(try read?.result.get() == 0)
    #expect(try await GetFollowCounts(core).execute(.init(user: "bob"), as: "ann").followers == 1)
    #expect(boxes(core) == start)
  }
}
