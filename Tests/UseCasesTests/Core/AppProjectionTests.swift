import Events
import Foundation
import Projections
import Testing
import UseCases

extension StatePath.Kind {
  /// `cheers/USER`: how many chups and hearts a user gave.
  fileprivate static let cheers = StatePath.Kind(
    "cheers", of: ["USER"], root: .number, types: Cheers.handles, sources: [.giver])
}

private struct Cheers: ExplainedProjection {
  static let name = "cheers"
  static let version = 1
  static let handles: EventTypes = [.chupGiven, .commentHearted, .accountDeleted]

  private var counts: [Int64] = []

  private mutating func set(_ user: UserID, _ change: (inout Int64) -> Void) {
    let index = Int(user.index)
    if index >= counts.count {
      counts += Array(repeating: 0, count: index + 1 - counts.count)
    }
    change(&counts[index])
  }

  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .chup(.given(let data)): set(data.user) { $0 += 1 }
    case .heart(.given(let data)): set(data.user) { $0 += 1 }
    case .accountDeleted(let data): set(data.user) { $0 = 0 }
    case .chup, .heart, .profile, .follow, .friendship, .workout, .comment, .block, .reaction,
      .group, .member, .conversation, .notification, .report, .app:
      break
    }
  }

  func count(of user: UserID) -> Int64 {
    Int(user.index) < counts.count ? counts[Int(user.index)] : 0
  }

  static let kinds: [StatePath.Kind] = [.cheers]

  static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    switch event {
    case .chup(.given(let data)): [.path(.cheers, [names[data.user]])]
    case .heart(.given(let data)): [.path(.cheers, [names[data.user]])]
    case .accountDeleted(let data): [.path(.cheers, [names[data.user]])]
    default: []
    }
  }

  func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    guard let id = path.ids.first, let user = names.find(user: id), count(of: user) > 0 else {
      return Values()
    }
    return Values([Fact("cheers/\(StatePath.word(id))", .int(count(of: user)))])
  }

  func lists(under path: StatePath, _ names: Names) -> [StateList] { [] }

  func facts(_ names: Names) -> [Fact] {
    counts.enumerated().compactMap { index, count in
      let user = names[UserID(index: UInt32(index))]
      return count > 0 ? Fact("cheers/\(StatePath.word(user))", .int(count)) : nil
    }
  }

  mutating func code(with coder: inout StateCoder) { coder(&counts) }

  func brokenInvariant(_ names: Names) -> String? {
    counts.contains { $0 < 0 } ? "a count is negative" : nil
  }
}

@Suite("An app's own projection") struct AppProjectionTests {
  private static let catalogue = Catalogue.standard.adding(Cheers.self)

  private func demo() throws -> LogView {
    try LogView(path: "eventlogs/demo")
  }

  @Test("Names, paths and completions include the added projection, and the others do not change")
  func list() async throws {
    #expect(Self.catalogue.names == Catalogue.standard.names + ["cheers"])
    #expect(try StatePath("cheers/alice", in: Self.catalogue).type == .number)
    #expect(throws: StatePath.Fault.self) { try StatePath("cheers/alice") }
    let travel = TimeTravel(try demo(), catalogue: Self.catalogue)
    #expect(try await travel.completions(of: "ch") == ["cheers/", "chups/"])
    #expect(try await travel.completions(of: "cheers/").count > 3)
  }

  @Test("Time travel answers an app's projection at any revision, with its history and its reasons")
  func travelling() async throws {
    let view = try demo()
    let travel = TimeTravel(view, catalogue: Self.catalogue)
    let head = try view.head().seq
    let now = try await travel.facts(at: head).filter { $0.path.hasPrefix("cheers/") }
    #expect(now.count > 3)
    for fact in now {
      let path = try StatePath(fact.path, in: Self.catalogue)
      #expect(try await travel.facts(at: head, under: path) == [fact])
      let steps = try await travel.timeline(of: path).steps
      #expect(steps.last?.values.last?.after == fact.value)
      let why = try await travel.why(path)
      #expect(why.value == fact.value)
      #expect(why.reasons.contains { $0.role == .counts })
      // The event reports this change, and so does the difference between two revisions.
      let last = try #require(steps.last?.event.seq)
      #expect(try await travel.change(by: last)?.values.map(\.path).contains(fact.path) == true)
      let changes = try await travel.changes(from: last - 1, to: last)
      #expect(changes.contains { $0.path == fact.path && $0.after == fact.value })
    }
    let expression = try Expression("\(now[0].path) > 0", in: Self.catalogue)
    #expect(try await travel.turns(of: expression).turns.count >= 1)
    let comparisons = try await Self.catalogue.compare(view, until: head)
    #expect(comparisons.map(\.name) == Self.catalogue.names)
    #expect(
      comparisons.allSatisfy { $0.differences.isEmpty } && comparisons.last?.count == now.count)
  }

  @Test("A core keeps an app's projection up to date and saves it in the checkpoint")
  func core() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("eventlog-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func cheers(_ core: Core) throws -> Int64 {
      let user = try #require(core.number(of: "bob"))
      return try #require(core.projection(Cheers.self)).count(of: user)
    }
    var core = try await Core.open(
      FileLog(path: folder, creating: true), catalogue: Self.catalogue)
    for user in ["ann", "bob"] {
      _ = try await CreateProfile(core).execute(.init(user: user, handle: user), as: Caller(user))
    }
    _ = try await SendFriendRequest(core).execute(.init(receiver: "bob"), as: "ann")
    _ = try await AcceptFriendRequest(core).execute(.init(sender: "ann"), as: "bob")
    _ = try await ShareWorkout(core).execute(
      .init(
        workout: "run", localID: "1", date: try #require(DateTime("2026-01-19T08:00:00Z")),
        workoutType: "5k",
        totalTime: "25:00.0", totalDistance: 5000, averageSplit: "02:30.0"), as: "ann")
    _ = try await ToggleChup(core).execute(.init(workout: "run"), as: "bob")
    #expect(try cheers(core) == 1)
    #expect(try await core.saveCheckpoint())
    _ = try await GiveBigChup(core).execute(.init(workout: "run"), as: "bob")
    core = try await Core.open(reading: LogView(path: folder), catalogue: Self.catalogue)
    #expect(try cheers(core) == 2)
    #expect(core.ignoredStates.isEmpty)
    // Without the projection nothing else changes.
    core = try await Core.open(reading: LogView(path: folder))
    #expect(core.projection(Cheers.self) == nil)
  }
}
