import EventLog
import Events
import HistoryGeneration

/// One run of a property. The property draws its random values from it.
///
/// ```swift
/// try await check(runs: 1_000) { t in
///   let history = t.draw(.history(max: 50))
///   let cut = t.draw(.int(0...history.count), "cut")
///   t.label("empty", if: cut == 0)
///   #expect(history.entries.prefix(cut).count == cut)
/// }
/// ```
/// A run ends when its property returns. Do not store it, and do not use it from several tasks.
public final class Trial {
  /// The error that ends a run whose assumption failed. Such a run does not count.
  struct Discard: Error {}

  /// After this many choices, or twice as many within a filter, random choices are replaced by 0.
  /// This ends every repetition that draws whether to continue.
  static let limit = 1 << 16

  private var source: [UInt64]
  /// The index in `source` of the next choice to read.
  private var cursor = 0
  private var splice: Splice?
  private var random: SplitMix64?
  private let guide: Guide?
  private let edges: Edges?
  /// If positive, the outermost repetitions have as many rounds as possible after so many halvings
  /// of the maximum.
  private let halvings: Int
  /// Whether the run prefers histories that reach new ground.
  private let prefersNew: Bool
  /// Whether the run records the ground that it reaches.
  let recordsGround: Bool
  /// For each reached part of the ground, the number of choices when the run first reached it.
  private(set) var ground: [UInt64: Int] = [:]
  private var wandering: SplitMix64?
  private(set) var choices: [UInt64] = []
  private(set) var bounds: [UInt64] = []
  private(set) var spans: [Span] = []
  private var openSpan = -1
  private var recent: [UInt64] = []
  private var depth = 0
  private var isSplicing = false
  /// Whether the next choice is in the part of the tape that the splice replaces.
  private var isSkipping: Bool { isSplicing && choices.count >= splice?.start ?? 0 }
  /// Whether a filter rejected a value, so that it drew others.
  private(set) var hasWandered = false

  private(set) var labels: Set<String> = []
  /// The indices of the outermost draws' spans.
  private(set) var draws: [Int] = []
  /// For each of a machine's steps, the index of the span with the command's values. The span
  /// around it also has the choice of the rule.
  private(set) var steps: [Int] = []
  /// Whether the run races. Its steps get no marks, because each run of a deadlock takes long.
  var isRacing = false
  /// The name of the machine's step that gave the first wrong answer, if any.
  var failedStep: String?
  /// The name of the machine's last step.
  private(set) var step: String?
  /// The report's lines with the drawn values; empty unless `isShown` is true.
  private(set) var values: [String] = [] { didSet { whenShown?(self) } }
  private(set) var log: String?
  /// The last drawn history in a few words; nil if it has no events.
  private(set) var story: String?
  /// For events of the last drawn history: their marks as text, by position.
  private(set) var eventMarks: [UInt64: String] = [:]
  private let explanation: Explanation?
  private(set) var histories: [DrawnHistory] = []
  /// The index of the last chosen thing in its list of candidates.
  package var chosenPlace: Int?
  let isShown: Bool
  /// Receives each choice, so that the test case is known if it ends the process. In unoptimized
  /// builds, a check of exclusive access would take longer than adding a choice.
  @exclusivity(unchecked) var journal: RunJournal.File?
  /// Receives the choices with their bounds and spans too, for shrinking.
  @exclusivity(unchecked) var spanJournal: SpanJournal?
  /// Receives the report's lines as soon as a value is drawn.
  var whenShown: ((Trial) -> Void)?

  /// Creates a run that reads its choices from a tape. After the tape's end, choices are random; if
  /// `random` is nil, they are zeros.
  init(
    _ tape: Tape = Tape([]), splice: Splice? = nil, random: SplitMix64? = nil,
    guide: Guide? = nil, prefersNew: Bool = true, edges: Edges? = nil, halvings: Int = 0,
    recordsGround: Bool = false, isShown: Bool = false, explanation: Explanation? = nil
  ) {
    source = tape.choices
    (self.splice, self.random, self.isShown) = (splice, random, isShown)
    (self.guide, self.edges, self.prefersNew) = (guide, edges, prefersNew)
    self.halvings = halvings
    self.recordsGround = recordsGround || guide != nil
    self.explanation = explanation
  }

  /// Draws and returns a value. Reports show it with `name`, by default `value 1`, `value 2` …
  public func draw<Value>(_ generator: Generator<Value>, _ name: String? = nil) -> Value {
    if depth == 0 { draws.append(spans.count) }
    let value = nested { generator.draw(self) }
    if depth == 0, isShown { show(value, name ?? "value \(values.count + 1)") }
    return value
  }

  /// Ends the run without counting it unless a condition holds.
  ///
  /// ```swift
  /// let (a, b) = (t.draw(.user()), t.draw(.user()))
  /// try t.assume(a.user != b.user)
  /// ```
  /// Do not catch the error, for example with `try?`, because then the run would continue.
  /// - Throws: an error that `check` recognizes, if the condition does not hold.
  public func assume(_ condition: Bool) throws {
    if !condition { throw Discard() }
  }

  /// Adds a label to this run if `condition` is true. `check(covering:)` counts runs by label.
  public func label(_ name: String, if condition: Bool = true) {
    if condition { labels.insert(name) }
  }

  /// Adds a line to the report about a counterexample.
  public func note(_ line: @autoclosure () -> String) {
    if isShown { values.append(line()) }
  }

  /// Saves a log's events. If this run is the counterexample, the report contains them as a log.
  /// For a drawn history, `draw` already saves the events.
  /// - Throws: errors from reading the log.
  public func keep(_ log: some EventStore) async throws {
    guard isShown else { return }
    let events = try await log.read(after: 0, limit: .max)
    let lines = events.map { $0.unsealedLine + "\n" }.joined()
    if !lines.hasPrefix(self.log ?? "") { eventMarks = [:] }
    self.log = lines
  }

  /// Runs a body that draws parts of a value. The report does not show the parts separately.
  func nested<Value>(_ body: () -> Value) -> Value {
    depth += 1
    defer { depth -= 1 }
    return span(Value.self, body)
  }

  private func show<Value>(_ value: Value, _ name: String) {
    let draw = draws.count - 1
    let marks = explanation.flatMap { draw < $0.draws.count ? $0.draws[draw] : nil }
    let note = marks?.isFree == true ? "   // any other value fails too" : ""
    if let history = value as? GeneratedHistory {
      log = history.lines
      story = history.count == 0 ? nil : history.story
      let texts = history.entries.indices.map { index in
        marks.flatMap { index < $0.events.count ? $0.events[index].text : nil }
      }
      eventMarks = [:]
      for (index, text) in texts.enumerated() { eventMarks[UInt64(index) + 1] = text }
      values.append("\(name) = \(history.description(marks: texts, note))")
    } else {
      let text = value is String ? String(reflecting: value) : String(describing: value)
      values.append("\(name) = \(text)\(note)")
    }
  }

  /// Records the name of a machine's step. Its values are the next span.
  func begin(step name: String) {
    step = name
    label(name)
    if !isRacing { steps.append(spans.count) }
  }

  /// The mark of a machine's last step, for its line in the report; "" for none.
  var stepMark: String {
    guard let marks = explanation?.steps, !isRacing, steps.count <= marks.count else { return "" }
    return switch marks[steps.count - 1] {
    case .anyStep: "   // any other step fails too"
    case .anyValues: "   // any other values fail too"
    case nil: ""
    }
  }

  /// Records a drawn history, so that shrinking can leave out its events.
  func keep(_ history: DrawnHistory) {
    histories.append(history)
    if depth == 1 { histories[histories.count - 1].draw = draws.count - 1 }
  }

  // MARK: Ground

  /// Records that the run reached something, such as a refusal's code or a state of the system.
  ///
  /// `check` prefers test cases in which runs reach something that no earlier run reached.
  ///
  /// ```swift
  /// let size = t.draw(.int(0...99))
  /// t.reach("a list of \(size / 10) tens")
  /// ```
  /// - Parameter name: identifies what the run reached. It should have few values, about 10 to
  ///   1,000.
  public func reach(_ name: @autoclosure () -> String) {
    if recordsGround { reach([Ground.hash(name())]) }
  }

  /// Records parts of the ground.
  func reach(_ parts: [UInt64]) {
    for part in parts where ground[part] == nil { ground[part] = choices.count }
  }

  /// Draws a value. A random run with a guide draws some candidates, and takes the one that reaches
  /// most new ground for its size.
  /// - Parameter size: returns a candidate's size, in the unit of `Guide.overhead`.
  func preferNew<Value>(_ draw: (Trial) -> Value, size: (Value) -> Int) -> Value {
    guard let guide, prefersNew, splice == nil, wandering == nil else { return draw(self) }
    let rest = Tape(Array(source[cursor...]))
    var best: (score: Int, value: Value, trial: Trial)?
    for _ in 0..<Guide.candidates {
      guard let seed = random?.next() else { return draw(self) }
      let candidate = Trial(
        rest, random: SplitMix64(seed: seed), edges: edges, halvings: halvings, recordsGround: true)
      let value = draw(candidate)
      // The tape of an earlier run may have more choices than this value.
      if candidate.cursor < rest.choices.count { return draw(self) }
      let score =
        guide.novelty(of: candidate.ground.keys) * 64 / (Guide.overhead + size(value))
      if score > best?.score ?? -1 { best = (score, value, candidate) }
    }
    guard let best else { return draw(self) }
    adopt(best.trial)
    return best.value
  }

  /// Adds the choices of another run, which read the rest of the tape.
  private func adopt(_ other: Trial) {
    let (start, span) = (choices.count, spans.count)
    func moved(_ range: Range<Int>) -> Range<Int> {
      range.lowerBound + start..<range.upperBound + start
    }
    cursor = source.count
    choices += other.choices
    bounds += other.bounds
    if let journal {
      for choice in other.choices { journal.append(choice) }
    }
    for var inner in other.spans {
      inner.range = moved(inner.range)
      inner.parent = inner.parent < 0 ? openSpan : inner.parent + span
      spans.append(inner)
    }
    for (part, position) in other.ground where ground[part] == nil {
      ground[part] = position + start
    }
    for var history in other.histories {
      history.range = moved(history.range)
      history.rounds = history.rounds.map(moved)
      keep(history)
    }
    (recent, hasWandered) = (other.recent, hasWandered || other.hasWandered)
    chosenPlace = other.chosenPlace
  }

  // MARK: Choices

  /// Whether the next choice is on the tape, and choices after the tape's end are random.
  fileprivate var isContinuing: Bool { random != nil && !isSkipping && cursor < source.count }

  /// Returns the next choice: a number from 0, the simplest, to a bound.
  /// - Parameter pick: picks the number if no tape determines it.
  package func choose(upTo bound: UInt64, _ pick: (inout SplitMix64) -> UInt64) -> UInt64 {
    var choice: UInt64 = 0
    let isSkipping = isSkipping
    if isSkipping, splice?.random != nil, choices.count < Self.limit {
      choice = min(pick(&splice!.random!), bound)
    } else if !isSkipping, cursor < source.count {
      choice = min(source[cursor], bound)
      cursor += 1
    } else if wandering != nil, choices.count < 2 * Self.limit {
      choice = min(pick(&wandering!), bound)
    } else if !isSkipping, random != nil, choices.count < Self.limit {
      choice = min(pick(&random!), bound)
    }
    choices.append(choice)
    bounds.append(bound)
    journal?.append(choice)
    spanJournal?.choose(choice, bound)
    return choice
  }

  /// Returns the next choice. A random choice has the distribution of `SplitMix64.number`.
  func choose(upTo bound: UInt64) -> UInt64 {
    let choice = choose(upTo: bound) {
      edges?.number(upTo: bound, &$0) ?? $0.number(upTo: bound, near: recent)
    }
    if bound > 16 {
      if recent.count == 8 { recent.removeFirst() }
      recent.append(choice)
    }
    return choice
  }

  /// Runs a body, and marks the choices that it reads as one span.
  func span<Kind, Result>(
    _ kind: Kind.Type, isRound: Bool = false, _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = openSpan
    let number = begin(kind, isRound)
    defer { end(number, outer) }
    return try body()
  }

  /// Runs an asynchronous body, and marks the choices that it reads as one span.
  func span<Kind, Result>(
    _ kind: Kind.Type, isRound: Bool = false, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    let outer = openSpan
    let number = begin(kind, isRound)
    defer { end(number, outer) }
    return try await body()
  }

  private func begin<Kind>(_ kind: Kind.Type, _ isRound: Bool) -> Int {
    spans.append(
      Span(
        range: choices.count..<choices.count, kind: ObjectIdentifier(kind), isRound: isRound,
        parent: openSpan))
    openSpan = spans.count - 1
    spanJournal?.begin(spans[openSpan])
    if openSpan == splice?.span { isSplicing = true }
    return openSpan
  }

  private func end(_ number: Int, _ outer: Int) {
    spans[number].range = spans[number].range.lowerBound..<choices.count
    openSpan = outer
    spanJournal?.end()
    if let splice, number == splice.span {
      isSplicing = false
      cursor = splice.resume
    }
  }

  /// Repeats a body. The number of repetitions is drawn from `range`; shrinking makes this number
  /// smaller.
  public func times(_ range: ClosedRange<Int>, _ body: () throws -> Void) rethrows {
    try times(range, Trial.self, body)
  }

  /// Repeats an asynchronous body. The number of repetitions is drawn from `range`; shrinking makes
  /// this number smaller.
  public func times(
    _ range: ClosedRange<Int>, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Void
  ) async rethrows {
    var rounds = Rounds(range)
    var goesOn = true
    while goesOn {
      try await span(Element<Trial>.self, isRound: true) {
        goesOn = rounds.next(self)
        if goesOn { try await body() }
      }
    }
  }

  func times<Kind>(
    _ range: ClosedRange<Int>, _ kind: Kind.Type, _ body: () throws -> Void
  ) rethrows {
    try counted(range, kind) {
      try body()
      return true
    }
  }

  /// Repeats rounds until a number of them, drawn from `range`, have counted. Ends early when about
  /// three times the range's maximum did not count.
  /// - Parameters:
  ///   - size: picks the number of rounds if no tape determines it.
  ///   - counts: performs a round and returns whether it counts.
  func counted<Kind>(
    _ range: ClosedRange<Int>, _ kind: Kind.Type,
    size: @escaping (inout SplitMix64, ClosedRange<Int>) -> Int = { $0.count($1) },
    _ counts: () throws -> Bool
  ) rethrows {
    var rounds = Rounds(range, size)
    var goesOn = true
    while goesOn {
      try span(Element<Kind>.self, isRound: true) {
        goesOn = rounds.next(self)
        if goesOn, try !counts() { rounds.miss() }
      }
    }
  }

  /// Returns a random number of repetitions; the range's minimum if all choices come from a tape.
  fileprivate func aim(
    _ range: ClosedRange<Int>, _ size: (inout SplitMix64, ClosedRange<Int>) -> Int
  ) -> Int {
    if halvings > 0 {
      // The cost of a run may grow with the square of its length.
      let room = (range.count - 1 + (1 << halvings) - 1) >> halvings
      let most = range.lowerBound + room
      return improvise { isInRound ? size(&$0, range.lowerBound...most) : most } ?? range.lowerBound
    }
    let isInner = choices.count > 1_000
    let aim = improvise { edges?.count(range, isInner: isInner, &$0) ?? size(&$0, range) }
    return aim ?? range.lowerBound
  }

  /// Whether a round of a repetition encloses the open span.
  private var isInRound: Bool {
    var span = openSpan < 0 ? -1 : spans[openSpan].parent
    while span >= 0, !spans[span].isRound { span = spans[span].parent }
    return span >= 0
  }

  /// Returns a random value that is not recorded on the tape, such as the probability of a choice.
  /// - Returns: nil if all choices come from a tape.
  package func improvise<Value>(_ body: (inout SplitMix64) -> Value) -> Value? {
    if isSkipping, splice?.random != nil { return body(&splice!.random!) }
    if wandering != nil { return body(&wandering!) }
    if random != nil { return body(&random!) }
    return nil
  }

  /// Runs a body whose choices after the end of the tape are random. `Generator.filter` uses this
  /// after a value that does not meet its condition. Zeros would give the same value for ever.
  func wandering<Value>(_ body: () -> Value) -> Value {
    let outer = wandering
    hasWandered = true
    spanJournal?.wander()
    wandering = SplitMix64(seed: random?.next() ?? UInt64(choices.count))
    defer { wandering = outer }
    return body()
  }
}

extension Trial: Choices {
  package func together<Kind, Result>(_ kind: Kind.Type, _ body: () -> Result) -> Result {
    span(kind, body)
  }
}

/// A counter of the rounds in a repetition.
struct Rounds {
  private let range: ClosedRange<Int>
  private let size: (inout SplitMix64, ClosedRange<Int>) -> Int
  /// The wanted number of rounds; nil while a tape determines whether there is another round.
  private var aim: Int?
  private var count = 0
  private var misses = 0

  /// - Parameter size: picks the number of rounds if no tape determines it.
  init(
    _ range: ClosedRange<Int>,
    _ size: @escaping (inout SplitMix64, ClosedRange<Int>) -> Int = { $0.count($1) }
  ) {
    (self.range, self.size) = (range, size)
  }

  /// Draws whether there is another round. Records the choice even if the range determines it, so
  /// that deleting a round from a tape does not shift the other rounds.
  mutating func next(_ trial: Trial) -> Bool {
    if aim == nil, !trial.isContinuing {
      // A run that continues a tape adds a random number of rounds to those on the tape.
      aim = trial.aim(min(max(count, range.lowerBound), range.upperBound)...range.upperBound, size)
    }
    let wanted: UInt64 = count < aim ?? 0 && count >= range.lowerBound ? 1 : 0
    let isPossible = count < range.upperBound && misses / 3 <= range.upperBound
    let isMore = trial.choose(upTo: isPossible ? 1 : 0) { _ in wanted } == 1
    count += 1
    return isMore || count <= range.lowerBound
  }

  /// Records that the last round did not count.
  mutating func miss() {
    count -= 1
    misses += 1
  }
}

/// A type that identifies the spans of a repetition's rounds; see `Span.kind`.
enum Element<Kind> {}
/// A type that identifies the spans of a filter's attempts; see `Span.kind`.
enum Attempt<Kind> {}
