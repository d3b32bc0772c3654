import EventLog
import Events
import FaultTesting
import Foundation
import HistoryGeneration
import Testing

@testable import Projections
@testable import Replaying

@Suite struct CheckpointTests {
  /// Runs a body with a generated log on disk, and deletes the log's folder afterwards.
  private func withLog(
    events: Int, users: Int, seed: UInt64 = 7, _ body: (LogView, URL) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("eventlog-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let log = try FileLog(path: folder.path, creating: true)
    var history = HistoryGenerator(events: events, users: users, seed: seed)
    var names = Names()
    let commits = history.commits(events, &names)
    for result in await log.append(commits) { _ = try result.get() }
    try await body(try LogView(path: folder.path), folder)
  }

  /// The file of the checkpoint of the followers at a position.
  private func checkpoint(_ position: Int, in folder: URL) throws -> URL {
    let folder = folder.appendingPathComponent("checkpoints")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let found = names.filter { $0.hasPrefix("followers-") && $0.contains("\(position).") }
    return folder.appendingPathComponent(try #require(found.first))
  }

  private func facts<P: ExplainedProjection>(_ replay: Replay<P>) -> [Fact] {
    replay.projection.facts(replay.names).sorted { $0.path < $1.path }
  }

  /// Checks that a checkpoint at each cut, with the rest of the log, gives the state of a rebuild.
  private func check<P: ExplainedProjection>(_: P.Type, _ view: LogView, _ folder: URL) async throws
  {
    var whole = Replay<P>()
    try await whole.run(view)
    let wanted = facts(whole)
    #expect(!wanted.isEmpty, "\(P.name)")
    for cut in [1, 7, 400, 1_111, 1_500] as [UInt64] {
      var first = Replay<P>()
      try await first.run(view, until: cut)
      let isSaved = try first.save(view)
      #expect(isSaved, "\(P.name)")
      for (isLazy, isBeforeRun) in [(false, false), (true, false), (true, true)] {
        var restored = Replay<P>()
        #expect(restored.restore(view, lazily: isLazy, beforeRun: isBeforeRun) == [])
        #expect(restored.head == first.head, "\(P.name) at \(cut)")
        try await restored.run(view)
        #expect(facts(restored) == wanted, "\(P.name) at \(cut), lazily \(isLazy)")
        #expect(restored.projection.brokenInvariant(restored.names) == nil)
        #expect(restored.restored?.isDamaged == false)
      }
      try FileManager.default.removeItem(at: folder.appendingPathComponent("checkpoints"))
    }
  }

  @Test("A checkpoint and the rest of the log equal a rebuild, for every projection")
  func equalsRebuild() async throws {
    try await withLog(events: Sweep.size(600, 1_500, 1_500), users: 60) { view, folder in
      try await check(FollowerRanking.self, view, folder)
      try await check(FollowLists.self, view, folder)
      try await check(Profiles.self, view, folder)
      try await check(Relationships.self, view, folder)
      try await check(Search.self, view, folder)
      try await check(Workouts.self, view, folder)
      try await check(Chups.self, view, folder)
      try await check(Comments.self, view, folder)
      try await check(Leaderboard.self, view, folder)
      try await check(Notifications.self, view, folder)
    }
  }

  @Test("A checkpoint of several projections restores each one, but no other projection or version")
  func parts() async throws {
    try await withLog(events: 600, users: 30) { view, _ in
      var both = Replay<Pair<Chups, Profiles>>()
      try await both.run(view)
      try both.save(view, as: "both")
      var profiles = Replay<Profiles>()
      #expect(profiles.restore(view) == [])
      #expect(profiles.head == both.head)
      #expect(
        facts(profiles) == both.projection.second.facts(both.names).sorted { $0.path < $1.path })
      var newer = Replay<NewerProfiles>()
      #expect(newer.restore(view) == [])
      #expect(newer.head.seq == 0)
      var comments = Replay<Comments>()
      #expect(comments.restore(view) == [])
      #expect(comments.head.seq == 0)
    }
  }

  @Test("A checkpoint with any byte changed, or cut anywhere, is ignored and rebuilt")
  func damage() async throws {
    try await withLog(events: 300, users: 20) { view, folder in
      var whole = Replay<FollowerRanking>()
      try await whole.run(view)
      try whole.save(view)
      let path = try checkpoint(300, in: folder)
      let bytes = [UInt8](try Data(contentsOf: path))
      var random = SplitMix64(seed: 5)
      var ignored = 0
      for round in 0..<Sweep.size(150, 1_500, 1_500) {
        var changed = bytes
        let at = Int.random(in: 0..<bytes.count, using: &random)
        if round % 10 == 0 {
          changed = Array(bytes[..<at])
        } else {
          changed[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
        try Data(changed).write(to: path)
        for isLazy in [false, true] {
          var replay = Replay<FollowerRanking>()
          let faults = replay.restore(view, lazily: isLazy)
          try await replay.run(view)
          let found = facts(replay)
          let isIgnored = !faults.isEmpty || replay.restored?.isDamaged == true
          // Bytes that are not read may have any value: those between two sections.
          if !isIgnored { #expect(found == facts(whole), "byte \(at), lazily \(isLazy)") }
          ignored += isIgnored ? 1 : 0
          if !isLazy, !faults.isEmpty { #expect(replay.head == whole.head) }
        }
      }
      #expect(ignored > 100)
    }
  }

  @Test("A damaged checkpoint far before the requested revision is not used")
  func damageFarAway() async throws {
    try await withLog(events: 3_000, users: 400) { view, folder in
      var first = Replay<FollowerRanking>()
      try await first.run(view, until: 500)
      try first.save(view)
      var whole = Replay<FollowerRanking>()
      try await whole.run(view)
      let path = try checkpoint(500, in: folder)
      var bytes = try Data(contentsOf: path)
      var found = 0
      for at in stride(from: 40, to: bytes.count - 16, by: 700) {
        bytes[at] ^= 1
        try bytes.write(to: path)
        var ignored: [Replay<FollowerRanking>.Ignored] = []
        let answer = try await Replay<FollowerRanking>.answer(
          of: view, ignoring: { ignored.append($0) }
        ) { facts($0) }
        #expect(answer == facts(whole), "byte \(at)")
        #expect(ignored.allSatisfy { $0 == .init(path: path.path, fault: .damaged) })
        found += ignored.count
        bytes[at] ^= 1
      }
      #expect(found > 5)
    }
  }

  @Test("A query that finds a damaged block in a checkpoint is answered from the log")
  func answer() async throws {
    try await withLog(events: 3_000, users: 400) { view, folder in
      var whole = Replay<FollowerRanking>()
      try await whole.run(view)
      try whole.save(view)
      func ask(_ ignoring: (Replay<FollowerRanking>.Ignored) -> Void) async throws -> [UserID] {
        try await Replay<FollowerRanking>.answer(of: view, ignoring: ignoring) { replay in
          replay.projection.rows(limit: 3, names: replay.names).map(\.user)
        }
      }
      let expected = try await ask { Issue.record("\($0)") }
      let path = try checkpoint(3000, in: folder)
      var bytes = try Data(contentsOf: path)
      var (early, late) = (0, 0)
      for at in stride(from: 100, to: bytes.count, by: 2_000) {
        bytes[at] ^= 1
        try bytes.write(to: path)
        var check = Replay<FollowerRanking>()
        let isKnownAtOnce = !check.restore(view, lazily: true).isEmpty
        var ignored: [Replay<FollowerRanking>.Ignored] = []
        #expect(try await ask { ignored.append($0) } == expected)
        #expect(ignored.allSatisfy { $0 == .init(path: ignored[0].path, fault: .damaged) })
        #expect(ignored.count <= 1)
        if isKnownAtOnce { early += ignored.count } else { late += ignored.count }
        bytes[at] ^= 1
      }
      #expect(early > 0 && late > 0, "\(early) when it was opened, \(late) when it was asked")
    }
  }

  @Test("A checkpoint of another log, of a newer format, or ahead of its log is ignored")
  func foreign() async throws {
    try await withLog(events: 200, users: 20, seed: 1) { view, folder in
      var replay = Replay<FollowerRanking>()
      try await replay.run(view)
      try replay.save(view)
      let file = try checkpoint(200, in: folder)
      let name = "checkpoints/" + file.lastPathComponent
      let bytes = try Data(contentsOf: file)
      try await withLog(events: 200, users: 20, seed: 2) { other, otherFolder in
        let checkpoints = otherFolder.appendingPathComponent("checkpoints")
        try FileManager.default.createDirectory(
          at: checkpoints, withIntermediateDirectories: true)
        try bytes.write(to: otherFolder.appendingPathComponent(name))
        var restored = Replay<FollowerRanking>()
        #expect(restored.restore(other).map(\.fault) == [.foreign])
        #expect(restored.head.seq == 0)
      }
      try await withLog(events: 150, users: 20, seed: 1) { shorter, otherFolder in
        let checkpoints = otherFolder.appendingPathComponent("checkpoints")
        try FileManager.default.createDirectory(
          at: checkpoints, withIntermediateDirectories: true)
        try bytes.write(to: otherFolder.appendingPathComponent(name))
        var restored = Replay<FollowerRanking>()
        #expect(restored.restore(shorter).map(\.fault) == [.ahead(position: 200, head: 150)])
      }
      // A checkpoint of an earlier format is ignored without a report.
      for (digit, faults) in [("9", [CheckpointFault.newer]), ("1", [])] {
        var other = bytes
        other[27] = try #require(digit.utf8.first)
        try other.write(to: file)
        var restored = Replay<FollowerRanking>()
        #expect(restored.restore(view).map(\.fault) == faults && restored.head.seq == 0)
      }
    }
  }

  @Test("Few checkpoints are kept, and a killed process's temporary files are removed")
  func thinning() async throws {
    try await withLog(events: 1_200, users: 30) { view, folder in
      let checkpoints = folder.appendingPathComponent("checkpoints")
      try FileManager.default.createDirectory(at: checkpoints, withIntermediateDirectories: true)
      let stale = checkpoints.appendingPathComponent("followers-0000000000000007.checkpoint.1.tmp")
      try Data([1, 2, 3]).write(to: stale)
      let earlier = Date(timeIntervalSinceNow: -700)
      try FileManager.default.setAttributes(
        [.modificationDate: earlier], ofItemAtPath: stale.path)
      let fresh = checkpoints.appendingPathComponent("followers-0000000000000008.checkpoint.1.tmp")
      try Data([1, 2, 3]).write(to: fresh)
      var replay = Replay<FollowerRanking>()
      for until in stride(from: 10, through: 1_200, by: 10) {
        try await replay.run(view, until: UInt64(until))
        try replay.save(view)
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: checkpoints.path)
      #expect(files.count <= 18 && files.count >= 9, "\(files.sorted())")
      let format = replay.checkpointFormat()
      #expect(files.contains("followers-0000000000001200.\(format).checkpoint"))
      #expect(!files.contains(stale.lastPathComponent))
      // Another process may be writing this one.
      #expect(files.contains(fresh.lastPathComponent))
      // A new checkpoint stays, even if it is near another one.
      func name(_ seq: Int) -> String { "followers-000000000000\(seq).\(format).checkpoint" }
      let gone = try #require(
        stride(from: 1_000, to: 1_200, by: 10).first { !files.contains(name($0)) })
      var again = Replay<FollowerRanking>()
      try await again.run(view, until: UInt64(gone))
      #expect(try again.save(view))
      let later = try FileManager.default.contentsOfDirectory(atPath: checkpoints.path)
      #expect(later.contains(name(gone)), "\(later.sorted())")
    }
  }

  @Test("A program keeps its own checkpoints, and the last one of the format that was saved last")
  func formats() async throws {
    try await withLog(events: 900, users: 30) { view, folder in
      let checkpoints = folder.appendingPathComponent("checkpoints")
      var replay = Replay<FollowerRanking>()
      try await replay.run(view, until: 400)
      try replay.save(view)
      let bytes = try Data(contentsOf: try checkpoint(400, in: folder))
      // Files of four other programs; the last two cannot read each other's arrangement of bytes.
      let others = [
        "followers-0000000000000300.checkpoint", "followers-0000000000000850.3-00000001.checkpoint",
        "followers-0000000000000800.4-00000002.checkpoint",
        "followers-0000000000000700.4-00000002.checkpoint", "core-0000000000000800.9-1.checkpoint",
      ]
      for (age, name) in others.enumerated() {
        let file = checkpoints.appendingPathComponent(name)
        try (name.contains(".4-") ? Data("not ours".utf8) : bytes).write(to: file)
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: Double(age - 100))],
          ofItemAtPath: file.path)
      }
      var restored = Replay<FollowerRanking>()
      // The files with other names are copies, so the position in their names is wrong.
      #expect(restored.restore(view).map(\.fault) == [.damaged] && restored.head.seq == 400)
      try await restored.run(view)
      try restored.save(view)
      let files = try FileManager.default.contentsOfDirectory(atPath: checkpoints.path).sorted()
      let format = replay.checkpointFormat()
      #expect(
        files == [
          "core-0000000000000800.9-1.checkpoint", "followers-0000000000000400.\(format).checkpoint",
          "followers-0000000000000700.4-00000002.checkpoint",
          "followers-0000000000000800.4-00000002.checkpoint",
          "followers-0000000000000900.\(format).checkpoint",
        ])
    }
  }

  @Test("A difference between a checkpoint and a rebuild is named, with the event")
  func comparison() async throws {
    try await withLog(events: 400, users: 24) { view, _ in
      var replay = Replay<FollowerRanking>()
      try await replay.run(view, until: 300)
      let row = try #require(replay.projection.rows(limit: 1, names: replay.names).first)
      let fan = try #require(
        (0..<UInt32(replay.names.userCount)).map(UserID.init)
          .first { replay.projection.followers.isFollowing($0, row.user) })
      try replay.save(view)
      let same = try await Comparison(FollowerRanking.self, view, until: 400)
      #expect(same.differences.isEmpty && same.checkpoint == 300)
      // A projection that was wrong before its checkpoint was written.
      replay.projection.apply(
        .follow(.unfollowed(Follow(follower: fan, followee: row.user))),
        at: Moment(seq: 300, time: .epoch))
      try replay.save(view)
      let wrong = try await Comparison(FollowerRanking.self, view, until: 400)
      #expect(wrong.differences.map(\.way) == [.checkpoint])
      #expect(wrong.differences.first?.seq == 300)
      let star = replay.names[row.user]
      #expect(
        ["followers/\(star).count", "following/\(replay.names[fan]).count"]
          .contains(wrong.differences.first?.path))
    }
  }

  @Test("A log in memory has no checkpoints, and reading it works")
  func readOnly() async throws {
    var memory = Replay<FollowerRanking>()
    let view = try await log(of: [.follow("a", "b")]).view()
    try await memory.run(view)
    #expect(try memory.save(view) == false)
    #expect(memory.restore(view) == [])
  }
}

/// A projection with the same name and another state.
private struct NewerProfiles: Projection {
  static let name = Profiles.name
  static let version = Profiles.version + 1
  static let handles = Profiles.handles

  mutating func apply(_ event: borrowing Event, at moment: Moment) {}
  mutating func code(with coder: inout StateCoder) {}
}
