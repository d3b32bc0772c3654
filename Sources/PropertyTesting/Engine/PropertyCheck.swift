import EventLog
import Synchronization
import Testing

/// Checks that a property holds for random test cases. Call it within a test of Swift Testing.
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
/// If an expectation fails or the property throws an error, `check` searches for the smallest tape
/// that fails in the same way. It reports only this test case, with
/// - for a history, its events in a few words,
/// - the drawn values, and marks on the parts that do not matter,
/// - the seed, and a line to paste into the test, which replays the test case, and
/// - if the property drew events, the history as a log and as a page of the time machine.
///
/// Failures at other places, with other errors, or of other steps of a machine have other causes.
/// `check` searches for them in the next 100 runs, and reports each cause once, ten causes at most.
///
/// A trap ends the process at once. On Linux, the next run of the test reports the smallest test
/// case that traps. Until this case passes, `check` runs only this case, in a process of its own.
///
/// If there is a folder `Corpus` beside or above the test's file, `check` adds the tape to the file
/// `FILE.TEST.tapes` in it. The tapes in this file run first.
///
/// By default the seed depends on the date (UTC), so the test cases change once a day. To fix the
/// seed, pass `seed`, or write a number to the file `seed` in the folder `Corpus`. Environment
/// variables override the arguments and that file:
/// - `EVENTLOG_TEST_SEED` is a number or `random`.
/// - `EVENTLOG_TEST_RUNS` is a number of runs, or a factor such as `x10`. It does not change a time
///   (`for:`).
/// - `EVENTLOG_TEST_SECONDS` is a time for the random test cases of each check.
/// - `EVENTLOG_TEST_SHRINKS` is a maximum number of runs for shrinking. With 0, `check` stops at
///   the first failure.
/// - `EVENTLOG_TEST_GUIDED` turns guidance on with 1, and off with 0.
/// - `EVENTLOG_TEST_KEEP=1` saves the tapes of a guided check that reached new ground to the file
///   `FILE.TEST.ground` in the folder `Corpus`. Later checks run these tapes first.
/// - `EVENTLOG_TEST_LABELS=1` prints the share of the runs with each label.
/// - Parameters:
///   - runs: the number of random test cases.
///   - duration: the time for random test cases. If given, it replaces the number of runs.
///   - seed: the seed of the random test cases. Run n uses `seed + n`.
///   - shrinks: the maximum number of runs that shrinking may perform.
///   - tape: the tape in a report. If given, `check` runs only this test case.
///   - guided: whether test cases are steered to new ground: to events, states and answers that no
///     earlier run had. If false, each run is random.
///   - floors: for each label, the least share (0 to 1) of the runs that must have it.
///   - location: the place in the source at which failures are reported.
///   - file: the test's source file, from which `check` finds the folder `Corpus`.
///   - property: draws values, and checks with expectations what must hold for them.
/// - Throws: `CheckError` for an invalid tape or environment variable, or outside of a test.
/// - Complexity: `runs` runs of the property. For each cause of a failure, up to `shrinks` more for
///   shrinking, and 2,000 to find the parts that do not matter.
public func check(
  runs: Int = 100, for duration: Duration? = nil, seed: UInt64? = nil, shrinks: Int = 5_000,
  replaying tape: String? = nil, guided: Bool = false,
  covering floors: [String: Double] = [:], at location: SourceLocation = #_sourceLocation,
  file: String = #filePath, _ property: @escaping @Sendable (Trial) async throws -> Void
) async throws {
  guard let test = Test.current else { throw CheckError.noTest }
  let corpus = Corpus(besides: file, test: test.name)
  let settings = try Settings(runs: runs, seed: seed, fixed: corpus.seed(), guided: guided)
  let past = try tape.map { text in
    guard let tape = Tape(text) else { throw CheckError.noTape(text, place: "replaying:") }
    return [tape]
  }
  if let child = ChildCase.current {
    return try await HeldIssues().during(test) { await child.run(corpus.name, property) }
  }
  let crashed = CrashedRuns(corpus: corpus, test: test)
  let (crash, unknown) = tape == nil ? await crashed.search(shrinks: shrinks) : (nil, [])
  if let crash { return crashed.report(crash, at: location) }
  for tape in unknown {
    print("\(corpus.name): an earlier run ended during \"\(tape)\", which runs first now")
  }
  let tapes = unknown + (try past ?? corpus.tapes())
  let journal = corpus.lasting.flatMap { RunJournal.begin(in: $0.path, name: corpus.name) }
  defer { journal?.remove() }
  let grounds = settings.isGuided && tape == nil ? try corpus.grounds() : []
  let held = HeldIssues()
  let outcome = Mutex(
    (found: [Counterexample](), shortfalls: [String](), spread: [String](), reached: [Tape]()))
  try await held.during(test) {
    var campaign = Campaign(runs: tape == nil ? settings.runs : 0, seed: settings.seed) { trial in
      trial.journal = journal
      journal?.removeAll()
      return await held.verdict(property, trial)
    }
    (campaign.past, campaign.covering) = (tapes, floors)
    campaign.shrinks = settings.shrinks ?? shrinks
    (campaign.causes, campaign.redraws) = (settings.shrinks == 0 ? 1 : 10, 100)
    (campaign.isGuided, campaign.grounds) = (settings.isGuided, grounds)
    if tape == nil { campaign.duration = settings.duration ?? duration }
    let found = await campaign.run()
    let (shortfalls, spread) = (found.isEmpty ? campaign.shortfalls : [], campaign.spread)
    let reached = settings.keepsGround ? campaign.guide?.cover(64) ?? [] : []
    outcome.withLock { $0 = (found, shortfalls, spread, reached) }
  }
  if settings.showsLabels {
    let lines = ["\(corpus.name), seed \(settings.seed):"] + outcome.withLock { $0.spread }
    print(lines.joined(separator: "\n"))
  }
  for line in outcome.withLock({ $0.shortfalls }) {
    Issue.record(Comment(rawValue: line), sourceLocation: location)
  }
  let (found, reached) = outcome.withLock { ($0.found, $0.reached) }
  if found.isEmpty, !reached.isEmpty { corpus.keep(grounds: reached) }
  for (number, one) in found.enumerated() {
    try await show(
      one, found.count == 1 ? nil : (number + 1, found.count), held, corpus, test, at: location,
      property)
  }
}

/// An error in the use of `check`.
public enum CheckError: Error, Equatable, CustomStringConvertible {
  /// `check` was called outside of a test.
  case noTest
  /// A line in a file of tapes, or an argument, is not a tape.
  /// - Parameter place: the file and line, or the argument.
  case noTape(_ text: String, place: String)
  /// An environment variable, or the file `seed` in the folder `Corpus`, does not contain a number.
  case noNumber(_ text: String, variable: String)
  /// A file in the folder `Corpus` cannot be read as text.
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

/// Runs the smallest test case twice. The first run collects the drawn values for the report. The
/// second run records the issues, so that the test fails, and adds the report to the first issue.
private func show(
  _ found: Counterexample, _ cause: (number: Int, count: Int)?, _ held: HeldIssues,
  _ corpus: Corpus, _ test: Test,
  at location: SourceLocation, _ property: @escaping @Sendable (Trial) async throws -> Void
) async throws {
  let seen = Mutex((lines: [String](), log: String?.none, marks: Marks()))
  try await held.during(test) {
    let trial = Trial(found.tape, isShown: true, explanation: found.explanation)
    _ = await held.verdict(property, trial)
    let marks = Marks(trial.eventMarks)
    let (lines, log) = ((trial.story.map { [$0] } ?? []) + trial.values, trial.log)
    seen.withLock { $0 = (lines, log, marks) }
  }
  let (shown, log, marks) = seen.withLock { $0 }
  let origin =
    switch found.origin {
    case .savedTape(let tape):
      corpus.place(of: tape).map { "a saved tape of an earlier check (\($0); no random runs)" }
        ?? "a saved tape"
    case .run(let number): "run \(number)"
    case .shrinking: "a run that shrank another cause"
    }
  let which = cause.map { " (cause \($0.number) of \($0.count))" } ?? ""
  var lines = ["falsified by \(origin)\(which), shrunk in \(found.evaluations) runs to:"]
  lines += shown.map { "  \($0)" }
  let seed = found.origin.isSaved ? "" : "seed \(found.seed); "
  lines.append("\(seed)to replay: check(replaying: \"\(found.tape)\") { t in …")
  if let log {
    let suffix = cause.map { ".\($0.number)" } ?? ""
    if let path = corpus.keep(log: log, suffix) {
      lines.append("as a log: \(path)")
      if let page = corpus.keep(pageOf: path, marks) { lines.append("as a page: \(page)") }
    }
    Attachment.record(log, named: "\(corpus.name)\(suffix).jsonl", sourceLocation: location)
  }
  if !found.origin.isSaved, let path = corpus.add(found.tape) {
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
      // These errors need no new issue. For example, `#require` has already recorded one.
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

/// A collection of issues that are held back, so that they do not fail the test.
private final class HeldIssues: Sendable {
  private let issues = Mutex<[Issue]>([])

  /// Collects the failures that are recorded while the body runs, instead of reporting them.
  func during(_ test: Test, _ body: @escaping @Sendable () async -> Void) async throws {
    let keep: @Sendable (Issue) -> Issue? = { issue in
      guard issue.isFailure else { return issue }
      self.issues.withLock { $0.append(issue) }
      return nil
    }
    try await IssueHandlingTrait.compactMapIssues(keep).provideScope(
      for: test, testCase: Test.Case.current, performing: body)
  }

  /// Runs a property; returns the outcome. The first issue's location, its error or its comment,
  /// and the failed step of a machine identify the cause of a failure.
  func verdict(
    _ property: @Sendable (Trial) async throws -> Void, _ trial: Trial
  ) async -> Campaign.Verdict {
    issues.withLock { $0 = [] }
    var thrown: (any Error)?
    do { try await property(trial) } catch { thrown = error }
    if let first = issues.withLock({ $0.first }) {
      let place = first.sourceLocation.map { "\($0)" } ?? "an issue"
      return .failed([place, Self.kind(of: first), trial.failedStep ?? ""].joined(separator: " "))
    }
    guard let thrown else { return .passed }
    return thrown is Trial.Discard ? .discarded : .failed(cause(of: thrown))
  }

  /// Returns the error's case, or the words of an issue that is recorded without a condition, up to
  /// the first number or mark. Returns "" for an expectation: its comment often contains values.
  private static func kind(of issue: Issue) -> String {
    switch issue.kind {
    case .errorCaught(let error): return cause(of: error)
    case .unconditional:
      return String(
        (issue.comments.first?.rawValue ?? "").prefix { $0.isLetter || $0 == " " })
    default: return ""
    }
  }
}
