/// Finds a small tape on which a property still fails.
///
/// Passes try smaller tapes, each kind of change in turn, until none helps any more: pieces are
/// deleted, replaced by pieces of themselves, set to zero, put in order; numbers are lowered one by
/// one, equal ones together, two by the same amount, one at the cost of another. What counts is the
/// tape that the property read, which is kept only where it is simpler than the one before, so that
/// shrinking ends.
struct Shrinker {
  /// What came of a run on a tape.
  struct Run: Sendable {
    var tape: Tape
    var bounds: [UInt64]
    var spans: [Span]
    /// How it failed; nil where it did not.
    var failure: String?

    init(_ trial: Trial, _ failure: String?) {
      tape = Tape(trial.choices)
      bounds = trial.bounds
      spans = trial.spans
      self.failure = failure
    }
  }

  let run: (Tape, Splice?) async -> Run
  /// The most runs, and until when they may begin: a test case that takes seconds, as a race in
  /// which all wait does, is not worth hours. Far beyond what others take where much else runs, so
  /// that the result is the same there.
  let limit: Int
  private let end = ContinuousClock.now + .seconds(600)
  private(set) var best: Run
  private(set) var evaluations = 0
  private var seen: Set<Tape> = []
  private var seenSplices: Set<[UInt64]> = []

  /// - Parameter failing: a run that failed; shrinking looks for the same failure only.
  init(_ failing: Run, limit: Int, run: @escaping (Tape, Splice?) async -> Run) {
    best = failing
    self.limit = limit
    self.run = run
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
    } while best.tape != before && goesOn
  }

  private var goesOn: Bool { evaluations < limit && ContinuousClock.now < end }

  /// Runs the property on a tape, if it is simpler than the best, and keeps it if it fails so.
  mutating func attempt(_ choices: [UInt64]) async -> Bool {
    let tape = Tape(choices)
    guard tape < best.tape, goesOn, seen.insert(tape.trimmed).inserted else { return false }
    return await evaluate(tape, nil)
  }

  /// With the choice at a position changed, and the rest of the span it is in made simple.
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

  /// With a piece replaced.
  mutating func attempt(replacing range: Range<Int>, with piece: some Sequence<UInt64>) async
    -> Bool
  {
    var changed = choices
    changed.replaceSubrange(range, with: Array(piece))
    return await attempt(changed)
  }

  /// With the choices at some positions changed to one value.
  mutating func attempt(_ positions: [Int], _ value: UInt64) async -> Bool {
    var changed = choices
    for position in positions {
      guard position < changed.count else { return false }
      changed[position] = value
    }
    return await attempt(changed)
  }

  /// The positions of the spans directly within another, in their order; of -1, the outermost.
  func children(of parent: Int) -> [Int] {
    best.spans.indices.filter { best.spans[$0].parent == parent && !best.spans[$0].range.isEmpty }
  }

  /// The largest number up to a bound for which a step succeeds, if it does for those below.
  ///
  /// Doubles while it goes well, then halves: a few more runs than the logarithm of the number.
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
