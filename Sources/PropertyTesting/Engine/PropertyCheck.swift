import Synchronization
import Testing

/// Checks within a Swift Testing test that a property holds for random test cases.
///
/// ```swift
/// @Test func countsEqualEdges() async throws {
///   try await check(runs: 1_000, covering: ["ex-friends": 0.05]) { t in
///     let history = t.draw(.history(max: 50))
///     t.label(history)
///     let core = try await Core(history.log())
///     // A service sees everybody.
///     let counts = try await GetFollowCounts(core)
///       .execute(.init(user: "u1"), as: .service("test"))
///     let rows = try await GetFollowers(core)
///       .execute(.init(user: "u1", limit: 50), as: .service("test"))
///     #expect(counts.followers == rows.count)
///   }
/// }
/// ```
/// If an expectation fails or an error is thrown, `check` shrinks that run's tape to the smallest
/// one that fails at the same place. Only this test case is reported, with
/// - the values drawn and the seed,
/// - a line to paste that replays it, and
/// - if events were drawn, the history as a log and as a page of the time machine.
///
/// The tape is then added to the corpus, if there is one: the file `FILE.TEST.tapes` in the nearest
/// folder `Corpus` above the test's file. The tapes in it run first.
///
/// Each day (UTC) has its own seed, so test cases stay the same all day and change on the next. To
/// fix the seed, pass `seed` or put a number into the file `seed` of the corpus. Environment
/// variables override the call and the corpus:
/// - `EVENTLOG_TEST_SEED` is a number or `random`.
/// - `EVENTLOG_TEST_RUNS` is a number or a factor such as `x10`.
/// - `EVENTLOG_TEST_LABELS=1` prints the share of the runs with each label.
/// - Parameters:
///   - runs: the number of random test cases.
///   - seed: the seed of the random test cases. Run n uses `seed + n`.
///   - shrinks: the maximum number of runs for shrinking.
///   - tape: the only test case to run, from a report.
///   - floors: the least share, 0 to 1, of the runs with each label.
///   - location: the place in the source to report failures at.
///   - file: the test's file, to find the corpus.
///   - property: draws values, and expects what must hold for them.
/// - Throws: `CheckError` for an invalid tape or variable, or outside of a test.
/// - Complexity: `runs` runs of the property, plus up to `shrinks` if one fails.
public func check(
  runs: Int = 100, seed: UInt64? = nil, shrinks: Int = 5_000, replaying tape: String? = nil,
  covering floors: [String: Double] = [:], at location: SourceLocation = #_sourceLocation,
  file: String = #filePath, _ property: @escaping @Sendable (Trial) async throws -> Void
) async throws {
  guard let test = Test.current else { throw CheckError.noTest }
  let corpus = Corpus(besides: file, test: test.name)
  let settings = try Settings(runs: runs, seed: seed, fixed: corpus.seed())
  let past = try tape.map { text in
    guard let tape = Tape(text) else { throw CheckError.noTape(text, place: "replaying:") }
    return [tape]
  }
  let tapes = try past ?? corpus.tapes()
  let held = HeldIssues()
  let outcome = Mutex((found: Counterexample?.none, shortfalls: [String](), spread: [String]()))
  try await held.during(test) {
    var campaign = Campaign(runs: tape == nil ? settings.runs : 0, seed: settings.seed) { trial in
      await held.verdict(property, trial)
    }
    (campaign.past, campaign.shrinks, campaign.covering) = (tapes, shrinks, floors)
    let found = await campaign.run()
    let (shortfalls, spread) = (found == nil ? campaign.shortfalls : [], campaign.spread)
    outcome.withLock { $0 = (found, shortfalls, spread) }
  }
  if settings.showsLabels {
    let lines = ["\(corpus.name), seed \(settings.seed):"] + outcome.withLock { $0.spread }
    print(lines.joined(separator: "\n"))
  }
  for line in outcome.withLock({ $0.shortfalls }) {
    Issue.record(Comment(rawValue: line), sourceLocation: location)
  }
  guard let found = outcome.withLock({ $0.found }) else { return }
  try await show(found, held, corpus, test, at: location, property)
}

/// An error in the use of `check`.
public enum CheckError: Error, Equatable, CustomStringConvertible {
  /// `check` was called outside of a test.
  case noTest
  /// A text in a corpus or an argument is not a tape.
  /// - Parameter place: the file and line, or the argument.
  case noTape(_ text: String, place: String)
  /// An environment variable or the file `seed` does not contain a number.
  case noNumber(_ text: String, variable: String)
  /// A file of the corpus cannot be read as text.
  case unreadable(path: String)

  /// A sentence for the developer of the test.
  public var description: String {
    switch self {
    case .noTest: "call `check` within a test: it records issues of the running test"
    case .noTape(let text, let place):
      "\(place): '\(text)' is not a tape; a tape is numbers separated by points, such as 3.0.17"
    case .noNumber(let text, let variable): "\(variable): '\(text)' is not a number"
    case .unreadable(let path):
      "\(path): the file cannot be read; it must be UTF-8 text with read permission"
    }
  }
}

/// Runs the smallest test case twice: first to record the drawn values, then to record its issues,
/// so that the test fails and its report shows how to reproduce the failure.
private func show(
  _ found: Counterexample, _ held: HeldIssues, _ corpus: Corpus, _ test: Test,
  at location: SourceLocation, _ property: @escaping @Sendable (Trial) async throws -> Void
) async throws {
  let seen = Mutex((values: [String](), log: String?.none))
  try await held.during(test) {
    let trial = Trial(found.tape, isShown: true)
    _ = await held.verdict(property, trial)
    let (values, log) = (trial.values, trial.log)
    seen.withLock { $0 = (values, log) }
  }
  let (values, log) = seen.withLock { $0 }
  let origin = found.run.map { "run \($0)" } ?? "a saved tape"
  var lines = ["falsified by \(origin), shrunk in \(found.evaluations) runs to:"]
  lines += values.map { "  \($0)" }
  if let log {
    if let path = corpus.keep(log: log) {
      lines.append("as a log: \(path)")
      if let page = corpus.keep(pageOf: path) { lines.append("as a page: \(page)") }
    }
    Attachment.record(log, named: "\(corpus.name).jsonl", sourceLocation: location)
  }
  lines.append("seed \(found.seed); to replay: check(replaying: \"\(found.tape)\") { t in …")
  if found.run != nil, let path = corpus.add(found.tape) {
    lines.append("added to \(path); its tapes run first from now on")
  }
  let comment = Comment(rawValue: lines.joined(separator: "\n"))
  let count = Mutex(0)
  let once: @Sendable (Issue) -> Issue? = { issue in
    var issue = issue
    if count.withLock({
      $0 += 1
      return $0 == 1
    }) {
      issue.comments.append(comment)
    }
    return issue
  }
  try await IssueHandlingTrait.compactMapIssues(once).provideScope(
    for: test, testCase: Test.Case.current
  ) {
    do {
      try await property(Trial(found.tape))
    } catch let error where error is ExpectationFailedError || error is Trial.Discard {
      // These errors follow a recorded issue: `#require` records its own.
    } catch {
      Issue.record(error, sourceLocation: location)
    }
    if count.withLock({ $0 }) == 0 {
      Issue.record(
        "the test case failed, but passed when run again: the property is not deterministic",
        sourceLocation: location)
    }
  }
}

/// A collection of issues that must not fail the test yet.
private final class HeldIssues: Sendable {
  private let issues = Mutex<[Issue]>([])

  /// Collects the issues recorded while the body runs.
  func during(_ test: Test, _ body: @escaping @Sendable () async -> Void) async throws {
    let keep: @Sendable (Issue) -> Issue? = { issue in
      guard issue.isFailure else { return issue }
      self.issues.withLock { $0.append(issue) }
      return nil
    }
    try await IssueHandlingTrait.compactMapIssues(keep).provideScope(
      for: test, testCase: Test.Case.current, performing: body)
  }

  /// Runs a property. The location of the first issue identifies a failure.
  func verdict(
    _ property: @Sendable (Trial) async throws -> Void, _ trial: Trial
  ) async -> Campaign.Verdict {
    issues.withLock { $0 = [] }
    var thrown: (any Error)?
    do { try await property(trial) } catch { thrown = error }
    if let first = issues.withLock({ $0.first }) {
      return .failed(first.sourceLocation.map { "\($0)" } ?? "an issue")
    }
    guard let thrown else { return .passed }
    return thrown is Trial.Discard ? .discarded : .failed("\(type(of: thrown))")
  }
}
