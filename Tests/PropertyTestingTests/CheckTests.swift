import Foundation
import PropertyTesting
import Synchronization
import Testing

/// The report of a failing property.
@Suite struct CheckTests {
  @Test("A failure is reported once, with the values, the seed and a line that replays it")
  func report() async throws {
    let runs = Mutex(0)
    let found = try await issues {
      try await check(runs: 1_000, seed: 7, file: nowhere) { t in
        runs.withLock { $0 += 1 }
        let (x, list) = (t.draw(.int(0...1_000), "x"), t.draw(.array(of: .text(0...3))))
        #expect(x < 500 || list.count < 2)
        #expect(x < 2_000)
      }
    }
    #expect(found.count == 1)
    let text = try #require(found.first).text
    #expect(text.contains("\n  x = 500\n  value 2 = [\"\", \"\"]\n"), "\(text)")
    #expect(text.hasPrefix("falsified by run "), "\(text)")
    #expect(text.contains("seed 7; to replay: check(replaying: \"500.1.0.1\") { t in …"), "\(text)")
    #expect("\(found[0].kind)".contains("500"), "\(found[0].kind)")
    #expect(runs.withLock { $0 } < 500)
  }

  @Test("A report's line runs that one test case, and nothing fails once the fault is corrected")
  func replaying() async throws {
    let seen = Mutex<[Int]>([])
    try await check(replaying: "500.1") { t in
      let x = t.draw(.int(0...1_000))
      seen.withLock { $0.append(x) }
    }
    #expect(seen.withLock { $0 } == [500])
    let found = try await issues {
      try await check(replaying: "400", file: nowhere) { t in #expect(t.draw(.int(0...1_000)) < 300)
      }
    }
    #expect(found.map(\.text).allSatisfy { $0.hasPrefix("falsified by a saved tape") })
    #expect(found.count == 1)
    await #expect(throws: CheckError.noTape("1..2", place: "replaying:")) {
      try await check(replaying: "1..2", file: nowhere) { _ in }
    }
  }

  struct Trouble: Error {}

  @Test("A thrown error is a failure")
  func errors() async throws {
    let found = try await issues {
      try await check(seed: 0, file: nowhere) { t in
        if t.draw(.int(0...99), "x") >= 50 { throw Trouble() }
      }
    }
    #expect(found.count == 1)
    #expect(found[0].error is Trouble)
    #expect(found[0].text.contains("\n  x = 50\n"))
  }

  @Test("`#require` fails once, and an expectation that failed before an `assume` is reported")
  func requirements() async throws {
    let required = try await issues {
      try await check(seed: 0, file: nowhere) { t in
        let x = t.draw(.int(0...99), "x")
        _ = try #require(x < 50 ? x : nil)
      }
    }
    #expect(required.count == 1)
    #expect(required[0].text.contains("\n  x = 50\n"))
    let assumed = try await issues {
      try await check(seed: 0, file: nowhere) { t in
        let x = t.draw(.int(0...99), "x")
        #expect(x < 50)
        try t.assume(x < 20)
      }
    }
    #expect(assumed.count == 1)
    #expect(assumed[0].text.contains("\n  x = 50\n"))
  }

  @Test("Shrinking keeps to one failure, and reports another failure that it meets separately")
  func sameFailure() async throws {
    let found = try await issues {
      try await check(runs: 1_000, seed: 0, file: nowhere) { t in
        let x = t.draw(.int(0...1_000), "x")
        if x < 100 { return }
        // The first failure found is nearly always of this kind.
        if x > 110 { Issue.record("large") } else { Issue.record("small") }
      }
    }
    #expect(found.count == 2)
    #expect(
      found[0].text.contains("large") && found[0].text.contains("x = 111"), "\(found[0].text)")
    #expect(
      found[1].text.contains("small") && found[1].text.contains("x = 100"), "\(found[1].text)")
  }

  @Test("A property that fails only sometimes is reported as such")
  func flaky() async throws {
    let runs = Mutex(0)
    let found = try await issues {
      try await check(seed: 0, file: nowhere) { t in
        _ = t.draw(.bool)
        if runs.withLock({
          $0 += 1
          return $0 == 3
        }) {
          Issue.record("once")
        }
      }
    }
    #expect(found.count == 1)
    #expect(found[0].text.contains("but passed when run again"))
  }

  @Test("A check for a time runs until the time is over, or until a run fails")
  func duration() async throws {
    let runs = Mutex(0)
    let clock = ContinuousClock()
    let took = try await clock.measure {
      try await check(for: .milliseconds(200)) { t in
        _ = t.draw(.bool)
        runs.withLock { $0 += 1 }
      }
    }
    #expect(took >= .milliseconds(200))
    #expect(runs.withLock { $0 } > 100)
    let found = try await issues {
      try await check(for: .seconds(600), seed: 0, file: nowhere) { t in
        #expect(t.draw(.int(0...999), "x") != 500)
      }
    }
    #expect(found.count == 1)
  }

  @Test("Runs that `assume` discards do not count, and too many of them fail")
  func assumptions() async throws {
    let kept = Mutex(0)
    try await check(runs: 50) { t in
      try t.assume(t.draw(.bool))
      kept.withLock { $0 += 1 }
    }
    #expect(kept.withLock { $0 } == 50)
    let found = try await issues {
      try await check(runs: 50, seed: 0, file: nowhere) { t in
        try t.assume(t.draw(.int(0...99_999)) == 70_000)
      }
    }
    #expect(found.count == 1)
    #expect(found[0].text.hasPrefix("only 0 of 50 runs counted"))
  }

  @Test("Too few runs of a kind fail")
  func floors() async throws {
    let found = try await issues {
      try await check(
        runs: 200, seed: 0, covering: ["an unfollow": 0.05, "a number": 1], file: nowhere
      ) { t in
        t.label("an unfollow", if: t.draw(.int(0...99_999)) == 70_000)
        t.label("a number")
      }
    }
    #expect(
      found.map(\.text) == ["fewer than 5.0 % of the runs had an unfollow: 0 of 200"])
  }

  @Test("Test cases are the same in every run with the same seed")
  func seeds() async throws {
    func drawn(_ seed: UInt64) async throws -> [Int] {
      let drawn = Mutex<[Int]>([])
      try await check(runs: 20, seed: seed, file: nowhere) { t in
        let x = t.draw(Generator<Int>.any)
        drawn.withLock { $0.append(x) }
      }
      return drawn.withLock { $0 }
    }
    // EVENTLOG_TEST_SEED would override the seeds.
    guard ProcessInfo.processInfo.environment["EVENTLOG_TEST_SEED"] == nil else { return }
    let first = try await drawn(1)
    #expect(Set(first).count > 15)
    #expect(try await drawn(1) == first)
    #expect(try await drawn(2) != first)
  }

  @Test("A failing test case is added to the corpus, and runs first from then on")
  func corpus() async throws {
    try await withFolder { folder in
      let corpus = folder.appending(path: "Corpus")
      try FileManager.default.createDirectory(at: corpus, withIntermediateDirectories: true)
      let path = folder.appending(path: "SomeTests.swift").path
      let property: @Sendable (Trial) throws -> Void = { t in
        #expect(t.draw(.int(0...1_000)) < 500)
      }
      let found = try await issues { try await check(seed: 0, file: path, property) }
      #expect(found.count == 1 && found[0].text.contains("its tapes run first from now on"))
      let file = corpus.appending(path: "SomeTests.corpus.tapes")
      #expect(try String(contentsOf: file, encoding: .utf8) == "500\n")
      try ("# found by hand\n700 # a comment\n\n").write(
        to: file, atomically: true, encoding: .utf8)
      let again = try await issues { try await check(seed: 0, file: path, property) }
      // Line 2 has the tape; seeds do not matter then.
      #expect(again.count == 1 && !again[0].text.contains("seed"))
      #expect(
        again[0].text.hasPrefix(
          "falsified by a saved tape of an earlier check (\(file.path):2; no random runs), shrunk"))
      // As an editor may save it: other line ends, and none at the end.
      try "# a\r\n# b\r\n1 # c".write(to: file, atomically: true, encoding: .utf8)
      #expect(try await issues { try await check(seed: 0, file: path, property) }.count == 1)
      #expect(try String(contentsOf: file, encoding: .utf8) == "# a\r\n# b\r\n1 # c\n500\n")
      try Data([0xff]).write(to: file)
      await #expect(throws: CheckError.unreadable(path: file.path)) {
        try await check(seed: 0, file: path, property)
      }
      try "nonsense\n".write(to: file, atomically: true, encoding: .utf8)
      await #expect(throws: CheckError.noTape("nonsense", place: "\(file.path):1")) {
        try await check(seed: 0, file: path, property)
      }
    }
  }

  @Test("A failing history is saved as a log and as a page")
  func log() async throws {
    let found = try await issues {
      try await check(seed: 0, file: nowhere) { t in
        let history = t.draw(.history(max: 30), "history")
        #expect(!history.entries.contains { $0.event.type == .userFollowed })
      }
    }
    #expect(found.count == 1)
    let line = try #require(
      found[0].text.split(separator: "\n").first { $0.contains("as a log: ") })
    let path = String(line.drop { $0 != "/" })
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.last?.contains(#""type":"UserFollowed","actor":"u1""#) == true)
    let page = try #require(
      found[0].text.split(separator: "\n").first { $0.contains("as a page: ") })
    let html = try String(contentsOfFile: String(page.drop { $0 != "/" }), encoding: .utf8)
    #expect(html.hasPrefix("<!doctype html>"))
  }
}
