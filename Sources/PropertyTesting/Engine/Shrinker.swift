import UseCases

/// A search for a small tape on which a property still fails.
///
/// Passes try simpler tapes until no pass helps. Each pass makes one kind of change:
/// - deletes spans, replaces spans by inner spans, fills spans with zeros, or sorts spans;
/// - lowers single numbers, equal numbers together, two numbers by the same amount, or one number
///   while raising another;
/// - leaves out events of a history, with the search of `eventlog shrink` (`HistoryShrinker`).
///
/// The result of a try is the tape that the property actually read. The shrinker keeps this tape
/// only if it is simpler than the best tape so far, so shrinking terminates.
struct Shrinker {
  /// The outcome of a run on a tape.
  struct Run: Sendable {
    var tape: Tape
    var bounds: [UInt64]
    var spans: [Span]
    var histories: [DrawnHistory]
    /// The location or the error's type that identifies the failure; nil if the run did not fail.
    var failure: String?

    init(_ trial: Trial, _ failure: String?) {
      tape = Tape(trial.choices)
      bounds = trial.bounds
      spans = trial.spans
      histories = trial.histories
      self.failure = failure
    }
  }

  let run: (Tape, Splice?) async -> Run
  /// The maximum number of runs.
  ///
  /// There is also a deadline of 600 s, because a single run may take seconds, for example a race
  /// that deadlocks. Other test cases need much less time even on a busy machine, so the deadline
  /// does not change their results.
  let limit: Int
  private let end = ContinuousClock.now + .seconds(600)
  private(set) var best: Run
  private(set) var evaluations = 0
  private var seen: Set<Tape> = []
  private var seenSplices: Set<[UInt64]> = []

  /// Creates a search that begins with a failed run's tape.
  /// - Parameter failing: the failed run. Shrinking keeps only tapes that fail in the same way.
  init(_ failing: Run, limit: Int, run: @escaping (Tape, Splice?) async -> Run) {
    best = failing
    (self.limit, self.run) = (limit, run)
  }

  var choices: [UInt64] { best.tape.choices }

  mutating func shrink() async {
    if limit == 0 { return }
    _ = await attempt([])
    var before: Tape
    repeat {
      before = best.tape
      await deleteSpans()
      await lowerCounts()
      await liftSpans()
      await simplifySpans()
      await lowerChoices()
      await lowerEqualChoices()
      await sortSpans()
      await joinSpans()
      await lowerPairs()
      if best.tape == before { await deleteAndLower() }
      if best.tape == before { await leaveOutEvents() }
    } while best.tape != before && goesOn
  }

  var goesOn: Bool { evaluations < limit && ContinuousClock.now < end }

  /// Runs the property on a tape if this tape is simpler than the best one. If the run fails in the
  /// same way, keeps the tape and returns true.
  mutating func attempt(_ choices: [UInt64]) async -> Bool {
    let tape = Tape(choices)
    guard tape < best.tape, goesOn, seen.insert(tape.trimmed).inserted else { return false }
    return await evaluate(tape, nil)
  }

  /// Tries the best tape with one changed choice in a span, and zeros in the rest of the span.
  /// Returns whether the shrinker keeps the changed tape.
  mutating func attempt(_ span: Int, from position: Int, _ value: UInt64) async -> Bool {
    let range = best.spans[span].range
    var changed = choices
    changed[position] = value
    let start = position + 1
    let key = changed[..<start] + [.max, UInt64(span)] + changed[range.upperBound...]
    guard goesOn, seenSplices.insert(Array(key)).inserted else { return false }
    return await evaluate(
      Tape(changed), Splice(span: span, start: start, resume: range.upperBound))
  }

  private mutating func evaluate(_ tape: Tape, _ splice: Splice?) async -> Bool {
    evaluations += 1
    let result = await run(tape, splice)
    guard result.failure == best.failure, result.tape < best.tape else { return false }
    best = result
    return true
  }

  mutating func attempt(replacing range: Range<Int>, with piece: some Sequence<UInt64>) async
    -> Bool
  {
    var changed = choices
    changed.replaceSubrange(range, with: Array(piece))
    return await attempt(changed)
  }

  /// Tries the best tape with the choices at some positions set to a value. Returns whether the
  /// shrinker keeps the changed tape.
  mutating func attempt(_ positions: [Int], _ value: UInt64) async -> Bool {
    var changed = choices
    for position in positions {
      guard position < changed.count else { return false }
      changed[position] = value
    }
    return await attempt(changed)
  }

  /// Returns the indices of the spans directly within another span, in order; for -1, of the
  /// outermost spans.
  func children(of parent: Int) -> [Int] {
    best.spans.indices.filter { best.spans[$0].parent == parent && !best.spans[$0].range.isEmpty }
  }

  /// Returns the largest number n up to a bound for which a step succeeds, in O(log n) runs.
  /// Assumes that the step succeeds for all smaller numbers.
  mutating func largest(
    upTo bound: UInt64 = .max, _ step: (inout Shrinker, UInt64) async -> Bool
  ) async -> UInt64 {
    var (low, high) = (0 as UInt64, 1 as UInt64)
    while high <= bound, await step(&self, high) {
      low = high
      if high > .max / 2 { break }
      high = min(high * 2, max(bound, 1))
      if high == low { return low }
    }
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if await step(&self, middle) { low = middle } else { high = middle }
    }
    return low
  }
}

extension Shrinker {
  /// Tries to leave out events of the drawn histories: all events of a user, single events, and
  /// events of a stream that belong together, such as a block and its end.
  mutating func leaveOutEvents() async {
    for number in best.histories.indices where number < best.histories.count {
      let (base, drawn) = (best, best.histories[number])
      guard drawn.history.count > 0, let log = try? await drawn.history.log(),
        var search = try? HistoryShrinker(
          log.view(), rules: drawn.contents.rules, any: drawn.contents.isHostile)
      else { continue }
      await search.shrink { part in
        let kept = part.seqs.map { Int($0) - 1 }
        guard goesOn, let piece = drawn.choices(for: kept, in: base.tape.choices) else {
          return false
        }
        var changed = base.tape.choices
        changed.replaceSubrange(drawn.range, with: piece)
        return await attempt(changed)
      }
    }
  }
}
