import Events
import Foundation
import Synchronization

/// The runs of a property: first with saved tapes, then with random choices.
///
/// Failures may have different causes. After the first failed run, the campaign performs some more
/// runs to find other causes. Then it shrinks one failure of each cause: it searches for the
/// smallest test case that fails in the same way. A cause that occurs only while another
/// failure is shrunk counts too.
struct Campaign {
  /// The outcome of a run.
  enum Verdict: Equatable, Sendable {
    case passed, discarded
    /// The run failed. `how` identifies the cause: the failure's location, the error's case, or the
    /// machine's step.
    case failed(_ how: String)
  }

  var runs: Int
  var seed: UInt64
  /// Saved tapes on which the property once failed.
  var past: [Tape] = []
  /// The maximum number of runs that shrinking may perform.
  var shrinks = 5_000
  /// The time for random runs. If it is not nil, it replaces the number of runs.
  var duration: Duration?
  /// The maximum number of causes to report. If it is 1, the first failed run ends the campaign.
  var causes = 1
  /// The number of runs to search for other causes after the first failure.
  var patience = 100
  /// The number of other values that must fail before a value is marked as one that does not
  /// matter; 0 to mark none.
  var redraws = 0
  /// Whether runs are steered to new ground. Otherwise each run is random.
  var isGuided = false
  /// Tapes that once reached new ground. A guided campaign runs them first.
  var grounds: [Tape] = []
  /// For each label, the minimum share (0 to 1) of runs that must have it.
  var covering: [String: Double] = [:]
  let execute: (Trial) async -> Verdict

  /// The number of runs that `assume` did not discard.
  private(set) var kept = 0
  private(set) var discarded = 0
  private(set) var labels: [String: Int] = [:]
  /// The ground that the random runs reached; nil if the campaign is not guided.
  private(set) var guide: Guide?
  /// The number of the first random run that failed, and the processor time until then.
  private(set) var firstFailure: (run: Int, seconds: Double)?

  init(runs: Int, seed: UInt64, execute: @escaping (Trial) async -> Verdict) {
    (self.runs, self.seed, self.execute) = (runs, seed, execute)
  }

  /// The way in which a failure was found.
  enum Origin: Equatable, Sendable {
    case savedTape(Tape)
    /// A random run, with its number from 1.
    case run(Int)
    /// A run that shrank a failure with another cause.
    case shrinking

    var isSaved: Bool { if case .savedTape = self { true } else { false } }
  }

  private struct Failure {
    var run: Shrinker.Run
    var origin: Origin
  }

  /// Runs the property and shrinks one failure of each cause. Returns nothing if no run fails.
  mutating func run() async -> [Counterexample] {
    var failures: [Failure] = []
    for tape in past where failures.count < causes {
      let trial = Trial(tape)
      if case .failed(let how) = await execute(trial) {
        add(trial, how, .savedTape(tape), to: &failures)
      }
    }
    var last = failures.isEmpty ? duration == nil ? runs : .max : 0
    let end = duration.map { ContinuousClock.now + $0 }
    let (guide, start) = (isGuided ? Guide() : nil, clock())
    self.guide = guide
    while kept < last, failures.count < causes, discarded / 10 < max(10, kept, runs) {
      if let end, ContinuousClock.now >= end { break }
      let number = UInt64(kept + discarded)
      var seeds = SplitMix64(seed: seed &+ number)
      let trial = trial(number, seeds.next(), guide)
      switch await execute(trial) {
      case .discarded: discarded += 1
      case .passed:
        kept += 1
        for label in trial.labels { labels[label, default: 0] += 1 }
        guide?.record(trial)
      case .failed(let how):
        kept += 1
        if failures.isEmpty {
          last = min(last, kept + patience)
          firstFailure = (kept, Double(clock() - start) / Double(CLOCKS_PER_SEC))
        }
        add(trial, how, .run(kept), to: &failures)
      }
    }
    var found: [Counterexample] = []
    while found.count < failures.count { found.append(await shrink(found.count, &failures)) }
    return found
  }

  /// Returns the random run after `number` others.
  private func trial(_ number: UInt64, _ seed: UInt64, _ guide: Guide?) -> Trial {
    guard let guide else { return Trial(random: SplitMix64(seed: seed)) }
    if number < grounds.count {
      return Trial(grounds[Int(number)], random: SplitMix64(seed: seed), guide: guide)
    }
    return guide.trial(number - UInt64(grounds.count), seed: seed)
  }

  /// Adds a failed run if no other failure has its cause.
  private func add(_ trial: Trial, _ how: String, _ origin: Origin, to failures: inout [Failure]) {
    if failures.count >= causes || failures.contains(where: { $0.run.failure == how }) { return }
    failures.append(Failure(run: Shrinker.Run(trial, how), origin: origin))
  }

  /// Shrinks a failure. Adds the failures with other causes that it meets.
  private func shrink(_ index: Int, _ failures: inout [Failure]) async -> Counterexample {
    let (execute, origin) = (execute, failures[index].origin)
    let others = Mutex([Shrinker.Run]())
    let run: (Tape, Splice?) async -> Shrinker.Run = { tape, splice in
      let trial = Trial(tape, splice: splice)
      let verdict = await execute(trial)
      guard case .failed(let how) = verdict else {
        return Shrinker.Run(trial, nil, isDiscarded: verdict == .discarded)
      }
      let run = Shrinker.Run(trial, how)
      others.withLock { others in
        if others.allSatisfy({ $0.failure != how }) { others.append(run) }
      }
      return run
    }
    var shrinker = Shrinker(failures[index].run, limit: shrinks, run: run)
    await shrinker.shrink()
    var explanation: Explanation?
    if redraws > 0, shrinks > 0 {
      var explainer = Explainer(
        shrinker.best, redraws: redraws, limit: min(shrinks, 2_000), run: run)
      explanation = await explainer.explain()
    }
    for other in others.withLock({ $0 })
    where failures.count < causes && failures.allSatisfy({ $0.run.failure != other.failure }) {
      failures.append(Failure(run: other, origin: .shrinking))
    }
    let tape = shrinker.best.tape
    // Omits the tape's trailing zeros, unless the run then makes other choices.
    let again = Trial(tape.trimmed)
    _ = await execute(again)
    return Counterexample(
      tape: again.choices == tape.choices ? tape.trimmed : tape, seed: seed, origin: origin,
      evaluations: shrinker.evaluations, explanation: explanation)
  }

  var spread: [String] {
    var all = ["  \(kept) \(kept == 1 ? "run" : "runs")"]
    if let (run, seconds) = firstFailure {
      let rounded = (seconds * 1_000).rounded() / 1_000
      all.append("  first failure: run \(run), after \(rounded) s of processor time")
    }
    return all
      + labels.sorted { $0.key.compare($1.key, options: .numeric) == .orderedAscending }.map {
        let share = (Double($0.value) / Double(kept) * 1_000).rounded() / 10
        return "  \(share) %  \($0.key)"
      }
  }

  /// Sentences for the report: too few runs counted, or too few had a required label. Empty if the
  /// runs suffice.
  var shortfalls: [String] {
    var found: [String] = []
    if kept < (duration == nil ? runs : 1) {
      found.append(
        "only \(kept) of \(runs) runs counted, because `assume` discarded \(discarded): "
          + "draw only values that fit")
    }
    for (label, floor) in covering.sorted(by: { $0.key < $1.key }) {
      let count = labels[label, default: 0]
      if Double(count) < floor * Double(kept) {
        let share = (floor * 1_000).rounded() / 10
        found.append("fewer than \(share) % of the runs had \(label): \(count) of \(kept)")
      }
    }
    return found
  }
}

/// A test case on which a property fails, after shrinking.
public struct Counterexample: Sendable {
  /// The tape of the smallest failing test case that was found.
  public var tape: Tape
  /// The seed of all the runs.
  public var seed: UInt64
  /// The number, from 1, of the random run that failed; nil if a saved tape failed.
  public var run: Int? { if case .run(let number) = origin { number } else { nil } }
  var origin: Campaign.Origin
  /// The number of runs that shrinking performed.
  public var evaluations: Int
  /// The parts that do not matter; nil if they were not searched for.
  var explanation: Explanation?
}

/// Searches for a small test case on which a property is false or throws an error. Unlike `check`,
/// it can be called outside of a test.
///
/// ```swift
/// let found = await counterexample(runs: 100, seed: 1) { t in t.draw(.int(0...1_000)) < 900 }
/// found?.tape.description  // "900"
/// ```
/// - Returns: the smallest such test case found; nil if the property was true in every run.
public func counterexample(
  runs: Int, seed: UInt64, shrinks: Int = 5_000, guided: Bool = false,
  to property: @escaping (Trial) async throws -> Bool
) async -> Counterexample? {
  var campaign = Campaign(runs: runs, seed: seed) { trial in
    do {
      return try await property(trial) ? .passed : .failed("")
    } catch is Trial.Discard {
      return .discarded
    } catch {
      return .failed(cause(of: error))
    }
  }
  (campaign.shrinks, campaign.isGuided) = (shrinks, guided)
  return await campaign.run().first
}

/// Returns the name of an error's type. For an enum, the name includes the case, and the case of an
/// enum in it, such as a refusal's code.
func cause(of error: any Error) -> String {
  var (cause, value) = ("\(type(of: error))", error as Any)
  while Mirror(reflecting: value).displayStyle == .enum {
    // A case without values has no child. Its name is its description.
    guard let child = Mirror(reflecting: value).children.first else { return "\(cause).\(value)" }
    cause += ".\(child.label ?? "")"
    value = child.value
  }
  return cause
}

/// Calls `draw` with a run that reads its choices from a tape. Returns the result of `draw`.
public func replay<Result>(_ tape: Tape, _ draw: (Trial) throws -> Result) rethrows -> Result {
  try draw(Trial(tape))
}
