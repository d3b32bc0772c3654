/// A search for a small tape on which a property still fails.
///
/// Passes try simpler tapes until no pass helps. Each pass makes one kind of change:
/// - shortens repetitions, deletes spans, replaces spans by inner spans, fills spans with zeros,
///   sorts spans, or rotates three of them;
/// - lowers single numbers, equal numbers together, some of them, two numbers by the same amount,
///   or one number while raising another;
/// - leaves out events of a history, with the search of `eventlog shrink` (`HistoryShrinker`).
///
/// Cheap passes that often help come first, and passes that change pairs come last. A tape that
/// gives a known run is not tried (`KnownRuns`).
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
    /// The indices of the outermost draws' spans.
    var draws: [Int]
    /// The spans with the values of a machine's steps.
    var steps: [Int]
    /// Whether `assume` ended the run.
    var isDiscarded: Bool
    /// Whether the tape alone determines the run. Filters draw other values if the first one does
    /// not meet their condition.
    var isDetermined: Bool
    /// The failure's cause, as in `Campaign.Verdict`; nil if the run did not fail.
    var failure: String?

    init(_ trial: Trial, _ failure: String?, isDiscarded: Bool = false) {
      self.isDiscarded = isDiscarded
      tape = Tape(trial.choices)
      bounds = trial.bounds
      spans = trial.spans
      histories = trial.histories
      draws = trial.draws
      steps = trial.steps
      isDetermined = !trial.hasWandered
      self.failure = failure
    }
  }

  /// The draw of a value, as far as it is alike in other rounds.
  struct Draw: Hashable {
    /// The kind of the value; nil outside of all draws.
    var kind: ObjectIdentifier?
    /// The bound of the choice.
    var bound: UInt64
    /// The number of earlier draws in the same round; nil if it does not count.
    var place: Int?
  }

  let run: (Tape, Splice?) async -> Run
  /// The maximum number of runs.
  ///
  /// There is also a deadline of 600 s, because a single run may take seconds, for example a race
  /// that deadlocks. Other test cases need much less time even on a busy machine, so the deadline
  /// does not change their results.
  let limit: Int
  private let end = ContinuousClock.now + .seconds(600)
  private(set) var best: Run { didSet { note() } }
  /// The positions in the best tape of the choices whether to continue a repetition.
  private(set) var flags: Set<Int> = []
  /// The positions in the best tape of numbers' sizes that are followed by the number's sign.
  private(set) var signed: Set<Int> = []
  /// For each choice in the best tape, the draw that made it.
  private(set) var draws: [Draw] = []
  private(set) var evaluations = 0
  private var seen: Set<Tape> = []
  private var known = KnownRuns()

  /// Creates a search that begins with a failed run's tape.
  /// - Parameter failing: the failed run. Shrinking keeps only tapes that fail in the same way.
  init(_ failing: Run, limit: Int, run: @escaping (Tape, Splice?) async -> Run) {
    best = failing
    if failing.isDetermined { known.insert(failing) }
    (self.limit, self.run) = (limit, run)
    note()
  }

  /// Finds the flags, the numbers and the draws in the best tape.
  private mutating func note() {
    (flags, signed) = ([], [])
    draws = best.bounds.map { Draw(bound: $0) }
    var siblings = Array(repeating: 0, count: best.spans.count + 1)
    for span in best.spans where !span.range.isEmpty {
      let first = span.range.lowerBound
      // Spans are in the order in which they begin, so an inner span replaces an outer one.
      let place = span.isRound ? 0 : siblings[span.parent + 1]
      siblings[span.parent + 1] += 1
      for position in span.range {
        (draws[position].kind, draws[position].place) = (span.kind, place)
      }
      if span.isRound { flags.insert(first) }
      if span.range.count == 2, best.bounds[first] > 1, best.bounds[first + 1] == 1 {
        signed.insert(first)
      }
    }
  }

  var choices: [UInt64] { best.tape.choices }

  mutating func shrink() async {
    if limit == 0 { return }
    _ = await attempt([])
    await zeroNumbers()
    await shortenRepetitions()
    var before: Tape
    repeat {
      before = best.tape
      // Lowering few numbers takes less runs than deleting spans, and lets more spans be deleted.
      if choices.count > 64 { await deleteSpans() }
      await liftSpans()
      await simplifySpans()
      await lowerCounts()
      await lowerEqualChoices()
      await lowerChoices()
      await sortSpans()
      await joinSpans()
      await deleteSpans()
      if choices.count == before.choices.count { await lowerPairs() }
      if best.tape == before { await lowerSubsets() }
      if best.tape == before { await deletePairs() }
      if best.tape == before { await deleteAndLower() }
      if best.tape == before { await rotateSpans() }
      if best.tape == before { await liftSpans(isDeep: true) }
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
    var changed = choices
    changed[position] = value
    let splice = Splice(
      span: span, start: position + 1, resume: best.spans[span].range.upperBound)
    return goesOn ? await evaluate(Tape(changed), splice) : false
  }

  private mutating func evaluate(_ tape: Tape, _ splice: Splice?) async -> Bool {
    if known.contains(tape.choices, splice) { return false }
    evaluations += 1
    let result = await run(tape, splice)
    if result.isDetermined { known.insert(result) }
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

  /// Returns the least number up to `start` for which a step succeeds, usually in O(log bits) runs
  /// plus O(log n) for the result n. Assumes that the step succeeds for all larger numbers. If it
  /// fails for the next smaller number, tries few other numbers.
  mutating func least(
    from start: UInt64, _ step: (inout Shrinker, UInt64) async -> Bool
  ) async -> UInt64 {
    if start == 0 { return 0 }
    if await step(&self, 0) { return 0 }
    if start == 1 { return 1 }
    guard await step(&self, start - 1) else {
      // The number may have to stay odd or even.
      if start > 3, await step(&self, start - 2) {
        return await least(from: (start - 2) / 2) { shrinker, half in
          await step(&shrinker, half * 2 + start % 2)
        } * 2 + start % 2
      }
      if start > 3, await step(&self, start / 2) { return start / 2 }
      return start
    }
    if start == 2 { return 1 }
    if await step(&self, 1) { return 1 }
    var (failed, lowest) = (1 as UInt64, start - 1)
    if await step(&self, start / 2) {
      let half = start / 2
      lowest = half
      // Finds the number of bits.
      var (low, high) = (1, 64 - lowest.leadingZeroBitCount)
      let bits = high
      while high - low > 1 {
        let middle = (low + high) / 2
        let value = half >> UInt64(bits - middle)
        if await step(&self, value) { (high, lowest) = (middle, value) } else { low = middle }
      }
      failed = max(failed, half >> UInt64(bits - low))
    } else {
      // The result is probably close to the start.
      failed = max(failed, start / 2)
      var distance = 2 as UInt64
      while start - distance > failed {
        guard await step(&self, start - distance) else {
          failed = start - distance
          break
        }
        lowest = start - distance
        distance *= 2
      }
    }
    while lowest - failed > 1 {
      let middle = failed + (lowest - failed) / 2
      if await step(&self, middle) { lowest = middle } else { failed = middle }
    }
    return lowest
  }
}
