import EventLog
import Foundation
import Testing

/// The test cases that ended the process in an earlier run of a test.
///
/// A trap ends the process before anything can be reported. So while a run goes on, its choices are
/// in a file. If the next run of the test finds such a file, it runs this test case in a process of
/// its own, and shrinks it there. The smallest case is kept until it passes.
struct CrashedRuns {
  /// The runs that shrinking may perform. Each starts a process, which takes about half a second.
  private static let limit = 200
  /// The time after which shrinking ends.
  private static let time = Duration.seconds(90)

  let corpus: Corpus
  let test: Test

  /// A test case that ended its process, after shrinking.
  struct Found {
    var crash: ChildCase.Crash
    /// The runs that shrinking performed; nil for a case that an earlier run had shrunk.
    var evaluations: Int?
  }

  /// Returns the smallest test case that was found, or nil if no earlier run ended the process, or
  /// if the test case now passes. Also returns the tapes that this process must run itself, because
  /// it cannot start another one.
  func search(shrinks: Int) async -> (found: Found?, unknown: [Tape]) {
    var unknown: [Tape] = []
    guard let folder = corpus.lasting else { return (nil, unknown) }
    let file = folder.appending(path: "\(corpus.name).crash")
    let kept = (try? String(contentsOf: file, encoding: .utf8)).flatMap {
      Tape($0.prefix { !$0.isNewline })
    }
    let left = RunJournal.tapes(in: folder.path, name: corpus.name)
    if let kept, case .crashed(let crash) = await ChildCase.start(kept, of: corpus.name, in: test) {
      return (Found(crash: crash, evaluations: nil), unknown)
    }
    for tape in left {
      switch await ChildCase.start(tape, of: corpus.name, in: test) {
      case .unknown: unknown.append(tape)
      case .survived: break
      case .crashed(let crash):
        let found = await shrink(crash, shrinks)
        try? "\(found.crash.run.tape)\n".write(to: file, atomically: true, encoding: .utf8)
        return (found, unknown)
      }
    }
    try? FileSystem.posix.remove(file.path)
    return (nil, unknown)
  }

  private func shrink(_ crash: ChildCase.Crash, _ shrinks: Int) async -> Found {
    let end = ContinuousClock.now + Self.time
    var shrinker = Shrinker(crash.run, limit: min(shrinks, Self.limit)) { tape, splice in
      if ContinuousClock.now < end,
        case .crashed(let other) = await ChildCase.start(
          tape, splice, of: corpus.name, in: test)
      {
        return other.run
      }
      var passed = Shrinker.Run(Trial(), nil)
      (passed.tape, passed.isDetermined) = (tape, false)
      return passed
    }
    await shrinker.shrink()
    let last = await ChildCase.start(shrinker.best.tape, of: corpus.name, in: test)
    guard case .crashed(let smallest) = last else { return Found(crash: crash, evaluations: 0) }
    return Found(crash: smallest, evaluations: shrinker.evaluations)
  }

  /// Records the issue for a test case that ended its process.
  func report(_ found: Found, at location: SourceLocation) {
    let shrunk = found.evaluations.map { ", shrunk in \($0) runs to" } ?? ""
    var lines = ["falsified by a run that ended its process\(shrunk):"]
    lines += found.crash.values.map { "  \($0)" }
    lines.append("the process ended by \(found.crash.reason)")
    lines.append("to replay: check(replaying: \"\(found.crash.run.tape.trimmed)\") { t in …")
    if let log = found.crash.log, let path = corpus.keep(log: log, "") {
      lines.append("as a log: \(path)")
      if let page = corpus.keep(pageOf: path, Marks()) { lines.append("as a page: \(page)") }
    }
    lines.append("until this test case passes, `check` runs only this one, in its own process")
    Issue.record(Comment(rawValue: lines.joined(separator: "\n")), sourceLocation: location)
  }
}
