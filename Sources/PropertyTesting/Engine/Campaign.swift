import Events
import Foundation

/// The runs of a property: first with saved tapes, then with random choices. The first failed run
/// ends the campaign. Shrinking then searches for the smallest test case with the same failure.
struct Campaign {
  /// The outcome of a run.
  enum Verdict: Equatable, Sendable {
    case passed, discarded
    /// The run failed. `how` is the failure's location, or the type of the error.
    case failed(_ how: String)
  }

  var runs: Int
  var seed: UInt64
  /// Saved tapes on which the property once failed.
  var past: [Tape] = []
  /// The maximum number of runs that shrinking may perform.
  var shrinks = 5_000
  /// For each label, the minimum share (0 to 1) of runs that must have it.
  var covering: [String: Double] = [:]
  let execute: (Trial) async -> Verdict

  /// The number of runs that `assume` did not discard.
  private(set) var kept = 0
  private(set) var discarded = 0
  private(set) var labels: [String: Int] = [:]

  init(runs: Int, seed: UInt64, execute: @escaping (Trial) async -> Verdict) {
    (self.runs, self.seed, self.execute) = (runs, seed, execute)
  }

  /// Runs the property and shrinks the first failure. Returns nil if no run fails.
  mutating func run() async -> Counterexample? {
    for tape in past {
      let trial = Trial(tape)
      if case .failed(let how) = await execute(trial) { return await shrink(trial, how, nil) }
    }
    while kept < runs, discarded / 10 < max(10, runs) {
      let number = UInt64(kept + discarded)
      var seeds = SplitMix64(seed: seed &+ number)
      let trial = Trial(random: SplitMix64(seed: seeds.next()))
      switch await execute(trial) {
      case .discarded: discarded += 1
      case .passed:
        kept += 1
        for label in trial.labels { labels[label, default: 0] += 1 }
      case .failed(let how):
        kept += 1
        return await shrink(trial, how, kept)
      }
    }
    return nil
  }

  private func shrink(_ trial: Trial, _ how: String, _ run: Int?) async -> Counterexample {
    let execute = execute
    var shrinker = Shrinker(Shrinker.Run(trial, how), limit: shrinks) { tape, splice in
      let trial = Trial(tape, splice: splice)
      guard case .failed(let how) = await execute(trial) else { return Shrinker.Run(trial, nil) }
      return Shrinker.Run(trial, how)
    }
    await shrinker.shrink()
    let tape = shrinker.best.tape
    // Omits the tape's trailing zeros, unless the run then makes other choices.
    let again = Trial(tape.trimmed)
    _ = await execute(again)
    return Counterexample(
      tape: again.choices == tape.choices ? tape.trimmed : tape, seed: seed, run: run,
      evaluations: shrinker.evaluations)
  }

  var spread: [String] {
    let all = ["  \(kept) \(kept == 1 ? "run" : "runs")"]
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
    if kept < runs {
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
  /// The number, from 1, of the random run that failed first; nil if a saved tape failed.
  public var run: Int?
  /// The number of runs that shrinking performed.
  public var evaluations: Int
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
  runs: Int, seed: UInt64, shrinks: Int = 5_000,
  to property: @escaping (Trial) async throws -> Bool
) async -> Counterexample? {
  var campaign = Campaign(runs: runs, seed: seed) { trial in
    do {
      return try await property(trial) ? .passed : .failed("")
    } catch is Trial.Discard {
      return .discarded
    } catch {
      return .failed("\(type(of: error))")
    }
  }
  campaign.shrinks = shrinks
  return await campaign.run()
}

/// Calls `draw` with a run that reads its choices from a tape. Returns the result of `draw`.
public func replay<Result>(_ tape: Tape, _ draw: (Trial) throws -> Result) rethrows -> Result {
  try draw(Trial(tape))
}
