import Foundation
import Testing

@testable import EventLog
@testable import Events
@testable import Projections
@testable import UseCases

/// How often each setter set a route: a projection that is a number.
private protocol Counting: AppProjection {
  var counts: [UserID: Int] { get set }
}

extension Counting {
  static var version: Int { 1 }
  static var handles: EventTypes { [.app] }
  var appEvents: AppEventTypes { [Ticked.self] }
  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .app(let record):
      if let tick = record[Ticked.self] { counts[tick.climber, default: 0] += 1 }
    default: break
    }
  }
  func facts(_ names: Names) -> [Fact] {
    counts.map { Fact("tickCount/\(StatePath.word(names[$0.key]))", .int($0.value)) }
  }
}

private let tickCount = StatePath.Kind(
  "tickCount", of: ["USER"], root: .number, types: [.app], sources: [.app])

/// Without paths: name, version, handles and apply.
private struct Plain: AppProjection {
  static let name = "plain", version = 1
  static let handles: EventTypes = [.app]
  var appEvents: AppEventTypes { [Ticked.self] }
  private(set) var count = 0
  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .app(let record): if record[Ticked.self] != nil { count += 1 }
    default: break
    }
  }
}

private struct Right: Counting {
  static let name = "right"
  static let kinds = [tickCount]
  var counts: [UserID: Int] = [:]
  func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    Values(facts(names).filter { path.contains($0.path) })
  }
}

private struct WithoutValues: Counting {
  static let name = "withoutValues"
  static let kinds = [tickCount]
  var counts: [UserID: Int] = [:]
}

private struct OtherValues: Counting {
  static let name = "otherValues"
  static let kinds = [tickCount]
  var counts: [UserID: Int] = [:]
  func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    Values(facts(names).map { Fact($0.path, .int(99)) })
  }
}

private struct WithoutKinds: Counting {
  static let name = "withoutKinds"
  var counts: [UserID: Int] = [:]
}

@Suite struct AppProjectionPathsTests {
  /// The projection after two ticks of one user, and the names.
  private func ticked<P: AppProjection>(_: P.Type) throws -> (P, Names) {
    var (projection, names) = (P(), Names())
    let user = try names.user("lena")
    for seq in 1...2 as ClosedRange<UInt64> {
      projection.apply(
        .app(AppRecord(Ticked("blue", user), names)), at: Moment(seq: seq, time: .earliest))
    }
    return (projection, names)
  }

  private func problem<P: AppProjection>(_ type: P.Type) throws -> String? {
    let (projection, names) = try ticked(type)
    return projection.unexplainedFact(names)
  }

  @Test("The error names a fact that values and lists lack or contradict, or that has no kind")
  func wrongProjections() throws {
    #expect(try problem(Right.self) == nil)
    #expect(try problem(Plain.self) == nil)
    #expect(
      try problem(WithoutValues.self) == "withoutValues: facts has 'tickCount/lena' = 2, but "
        + "neither values nor lists gives it")
    #expect(
      try problem(OtherValues.self)
        == "otherValues: facts has 'tickCount/lena' = 2, but values gives 99")
    #expect(
      try problem(WithoutKinds.self)?.hasPrefix(
        "withoutKinds: facts has 'tickCount/lena', which is no path of its kinds") == true)
  }

  @Test("A core with an app's projections checks their invariants too")
  func core() throws {
    var (views, names) = (Catalogue.standard.adding(WithoutValues.self).views(), Names())
    let user = try names.user("lena")
    #expect(views.brokenInvariant(names) == nil)
    views.apply(
      .app(AppRecord(Ticked("blue", user), names)), at: Moment(seq: 1, time: .earliest))
    views.settle()
    #expect(views.brokenInvariant(names)?.hasPrefix("withoutValues: ") == true)
  }

  @Test("A projection with only four members is kept up to date, though no checkpoint has it")
  func fourMembers() async throws {
    let folder = Folder()
    let catalogue = Catalogue.standard.adding(Plain.self)
    do {
      let log = try FileLog(path: folder.path, creating: true)
      let core = try await Core.open(log, catalogue: catalogue)
      for user in ["a", "b"] {
        try await core.commit(as: Caller(user)) { model throws(UseCaseError) in
          model.append(Ticked("blue", try model.user(user)))
        }
      }
      #expect(core.projection(Plain.self)?.count == 2)
      _ = try? await core.saveCheckpoint()
    }
    let again = try await Core.open(FileLog(path: folder.path), catalogue: catalogue)
    #expect(again.projection(Plain.self)?.count == 2)
    #expect(again.brokenInvariant() == nil)
  }
}
