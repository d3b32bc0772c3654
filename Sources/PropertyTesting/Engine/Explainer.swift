import Events

/// The parts of a counterexample that do not matter: for any other value, the property fails too.
struct Explanation: Sendable {
  /// The marks of one drawn value.
  struct Marks: Sendable {
    /// Whether the property fails in the same way for any other value.
    var isFree = false
    /// If the value is a history: the marks of each of its events.
    var events: [EventMarks] = []
  }

  /// The mark of a machine's step: whether the property fails in the same way with any other step
  /// in its place, or with any other values of the same kind of step.
  enum StepMark { case anyStep, anyValues }

  /// For each outermost `draw` of the run, in order, its marks.
  var draws: [Marks] = []
  /// For each of a machine's steps, its mark.
  var steps: [StepMark?] = []
}

/// The marks of one event in a drawn history.
struct EventMarks: Equatable, Sendable {
  /// Whether the property fails in the same way with any other event in this place.
  var isFree = false
  /// The members of the event's data whose value does not matter.
  var members: [String] = []
  /// The indices of later events that the domain forbids without this event.
  var needed: [Int] = []

  /// The marks as text, such as `any other handle fails too; needed by 3, 4`; nil for no marks.
  var text: String? {
    var parts: [String] = isFree ? ["any other event fails too"] : []
    if !members.isEmpty {
      parts.append("any other \(members.joined(separator: " or ")) fails too")
    }
    if !needed.isEmpty {
      parts.append("needed by \(needed.map { "\($0 + 1)" }.joined(separator: ", "))")
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }
}

/// A search for the parts of a counterexample that do not matter.
///
/// For each part, it draws random values in place of the part, keeps all other choices, and runs
/// the property for each value. The first run that passes, or fails in another way, shows that the
/// part matters. If the property fails in the same way for `redraws` values, the part does not
/// matter. A quarter of them is enough if most attempts draw the same value or an impossible one.
/// - Complexity: a few runs for a part that matters; for another part, `redraws` runs to five times
///   as many.
struct Explainer {
  /// The counterexample's run.
  let base: Shrinker.Run
  /// The number of other values with which the property must fail before a part counts as one that
  /// does not matter.
  let redraws: Int
  let run: (Tape, Splice?) async -> Shrinker.Run
  /// The number of runs that remain.
  private var rest: Int
  private let end = ContinuousClock.now + .seconds(600)
  private var random: SplitMix64

  /// Creates a search.
  /// - Parameters:
  ///   - failing: the counterexample's run.
  ///   - redraws: the number of other values that must fail.
  ///   - limit: the maximum number of runs. There is also a deadline of ten minutes.
  init(
    _ failing: Shrinker.Run, redraws: Int, limit: Int, seed: UInt64 = 0,
    run: @escaping (Tape, Splice?) async -> Shrinker.Run
  ) {
    (base, self.redraws, self.run, rest) = (failing, redraws, run, limit)
    random = SplitMix64(seed: seed)
  }

  var goesOn: Bool { rest > 0 && ContinuousClock.now < end }

  /// Returns the marks of all drawn values. A part without enough runs gets no mark.
  mutating func explain() async -> Explanation {
    var explanation = Explanation(draws: base.draws.map { _ in .init() })
    for (number, span) in base.draws.enumerated() {
      explanation.draws[number].isFree = await isFree(
        span, from: base.spans[span].range.lowerBound)
    }
    for (number, history) in base.histories.enumerated() {
      guard let draw = history.draw, !explanation.draws[draw].isFree else { continue }
      explanation.draws[draw].events = await marks(ofEventsIn: history, number)
    }
    for values in base.steps { explanation.steps.append(await mark(ofStep: values)) }
    return explanation
  }

  /// Returns the mark of a machine's step.
  private mutating func mark(ofStep values: Int) async -> Explanation.StepMark? {
    let step = base.spans[values].parent
    if await isFree(step, from: base.spans[step].range.lowerBound) { return .anyStep }
    return await isFree(values, from: base.spans[values].range.lowerBound) ? .anyValues : nil
  }

  /// Runs the property with other random choices from a position to the end of a span.
  /// - Returns: nil if the run does not count: its value is the same, a step of a machine was not
  ///   possible, or `assume` discarded it.
  mutating func redraw(
    _ span: Int, from start: Int, first: UInt64? = nil
  ) async -> Shrinker.Run? {
    rest -= 1
    var tape = base.tape
    if let first { tape.choices[start] = first }
    let splice = Splice(
      span: span, start: first == nil ? start : start + 1,
      resume: base.spans[span].range.upperBound, random: SplitMix64(seed: random.next()))
    let result = await run(tape, splice)
    let lacksStep = result.failure == nil && result.steps.count < base.steps.count
    return result.isDiscarded || result.tape == base.tape || lacksStep ? nil : result
  }

  /// Returns whether the property fails in the same way for all choices from a position to the end
  /// of a span. Tries all values of a single choice if these are few.
  mutating func isFree(_ span: Int, from start: Int) async -> Bool {
    let range = base.spans[span].range
    if start >= range.upperBound { return false }
    var (confirmed, attempts) = (0, 0)
    let isSingle = start + 1 == range.upperBound && base.bounds[start] <= UInt64(redraws)
    let most = isSingle ? Int(base.bounds[start]) + 1 : 3 * redraws
    while attempts < most, confirmed < redraws {
      guard goesOn else { return false }
      attempts += 1
      let first = isSingle ? UInt64(attempts - 1) : nil
      guard let result = await redraw(span, from: start, first: first) else { continue }
      if result.failure != base.failure { return false }
      confirmed += 1
    }
    return isSingle ? confirmed > 0 : confirmed >= redraws / 4
  }
}
