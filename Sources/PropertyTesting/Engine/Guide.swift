import Events
import HistoryGeneration

/// The ground that the runs of a check have covered, and the test cases that reached new ground.
///
/// *Ground* is a set of numbers. Each number is the hash of something that a run reached, such as
/// two neighbouring events, the shape of a state, or a refusal's code. The guide chooses test cases
/// that probably reach new ground:
/// - The first runs are short. Each has twice as many rounds of repetitions as the one before it.
///   So a bug that any test case shows takes little time.
/// - The next runs have boundary values (`Edges`).
/// - Some later runs change or continue a test case that reached new ground.
/// - A history is the one of some candidates that reaches most new ground for its size.
///
/// These choices depend only on the seed and on the earlier runs. A run's tape contains all its
/// choices, so a report's tape replays the run without the earlier ones.
final class Guide {
  /// A test case that reached new ground.
  private struct Case {
    var tape: Tape
    /// The parts that no earlier run had reached, and the numbers of choices when it reached them.
    var frontier: [(part: UInt64, position: Int)]
    /// The outermost rounds of repetitions: their spans' indices and ranges.
    var rounds: [(span: Int, range: Range<Int>)]
    /// All parts that the run reached.
    var ground: Set<UInt64>
  }

  /// The number of candidates for a history.
  static let candidates = 2
  /// The number of events that take as long as the other work of a run.
  static let overhead = 20
  /// The number of first runs that are short: their repetitions have 1/32, 1/16 … 1/2 of the most
  /// rounds.
  static let shortRuns = 5
  /// The maximum number of test cases in the pool.
  private static let capacity = 512

  /// For each reached part of the ground, the number of runs that reached it.
  private var counts: [UInt64: Int] = [:]
  private var pool: [Case] = []

  /// Returns the next run.
  /// - Parameters:
  ///   - number: the number of earlier runs.
  ///   - seed: the seed of the run's random choices.
  func trial(_ number: UInt64, seed: UInt64) -> Trial {
    var random = SplitMix64(seed: seed)
    if number < Self.shortRuns {
      return Trial(random: random, guide: self, halvings: Self.shortRuns - Int(number))
    }
    if let edges = Edges(rawValue: number - UInt64(Self.shortRuns)) {
      return Trial(random: random, guide: self, edges: edges)
    }
    guard !pool.isEmpty, random.chance(1, in: 4) else {
      let isBlind = random.chance(1, in: 4)
      return Trial(random: random, guide: self, prefersNew: !isBlind)
    }
    let (old, position) = chosen(&random)
    guard !old.rounds.isEmpty, random.chance(1, in: 4) else {
      // Continues after it reached new ground.
      let start = Array(old.tape.choices.prefix(position))
      return Trial(Tape(start), random: random, guide: self)
    }
    // Draws a round again, or draws another one before it.
    let (span, range) = old.rounds[random.below(old.rounds.count)]
    let splice = Splice(
      span: span, start: range.lowerBound + 1,
      resume: random.chance(1, in: 2) ? range.lowerBound : range.upperBound,
      random: SplitMix64(seed: random.next()))
    return Trial(old.tape, splice: splice, random: random, guide: self)
  }

  /// Chooses a case and a part of the ground that it was the first to reach. Prefers parts that few
  /// runs have reached.
  private func chosen(_ random: inout SplitMix64) -> (Case, position: Int) {
    var best: (place: Int, position: Int, count: Int)?
    for _ in 0..<4 {
      let place = random.below(pool.count)
      let (part, position) = pool[place].frontier[random.below(pool[place].frontier.count)]
      let count = counts[part, default: 0]
      if count < best?.count ?? .max { best = (place, position, count) }
    }
    return (pool[best?.place ?? 0], best?.position ?? 0)
  }

  /// Records the ground that a run reached. Keeps the test case if some of it is new.
  func record(_ trial: Trial) {
    var ground = trial.ground
    for label in trial.labels.sorted() { ground[Ground.hash(label)] = trial.choices.count }
    let frontier = ground.filter { counts[$0.key] == nil }
      .sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    for part in ground.keys { counts[part, default: 0] += 1 }
    guard !frontier.isEmpty, pool.count < Self.capacity else { return }
    var (inner, rounds) = ([Bool](), [(span: Int, range: Range<Int>)]())
    for (index, span) in trial.spans.enumerated() {
      let isInner = span.parent >= 0 && (trial.spans[span.parent].isRound || inner[span.parent])
      inner.append(isInner)
      if span.isRound, !isInner, span.range.count > 1 { rounds.append((index, span.range)) }
    }
    pool.append(
      Case(
        tape: Tape(trial.choices), frontier: frontier.map { (part: $0.key, position: $0.value) },
        rounds: rounds, ground: Set(ground.keys)))
  }

  /// Returns at most `limit` tapes from the pool, which together reach most of its ground.
  ///
  /// Each is the one that adds most ground to those before it.
  func cover(_ limit: Int) -> [Tape] {
    var (chosen, covered) = ([Tape](), Set<UInt64>())
    while chosen.count < limit {
      let gains = pool.map { $0.ground.subtracting(covered).count }
      guard let most = gains.max(), most > 0, let place = gains.firstIndex(of: most) else { break }
      covered.formUnion(pool[place].ground)
      chosen.append(pool[place].tape)
    }
    return chosen
  }

  /// Returns how new some ground is: the sum over its parts of 1,024, divided by 1 plus the number
  /// of runs that reached the part.
  func novelty(of ground: some Sequence<UInt64>) -> Int {
    ground.reduce(0) { $0 + 1_024 / (1 + counts[$1, default: 0]) }
  }
}

/// Boundary values, which some of the first runs of a check have.
enum Edges: UInt64 {
  /// Each number is the farthest from the simplest one, and the outermost repetitions are the
  /// longest.
  case greatest
  /// Each number is the simplest one, and each repetition is the shortest.
  case least
  /// Each number and each repetition has a boundary value, or the value next to it.
  case mixed, mixedAgain

  /// Returns a boundary value of the numbers from 0 to a bound.
  func number(upTo bound: UInt64, _ random: inout SplitMix64) -> UInt64 {
    switch self {
    case .least: 0
    case .greatest: bound
    case .mixed, .mixedAgain:
      [0, min(1, bound), bound - min(1, bound), bound][random.below(4)]
    }
  }

  /// Returns a number of repetitions.
  /// - Parameter isInner: whether the run has already made many choices.
  func count(_ range: ClosedRange<Int>, isInner: Bool, _ random: inout SplitMix64) -> Int {
    if isInner { return range.lowerBound }
    return range.lowerBound + Int(number(upTo: UInt64(range.count - 1), &random))
  }
}

/// Hashes of the things that a run reaches. They are the same in every process.
enum Ground {
  /// Returns the FNV-1a hash of a text.
  static func hash(_ text: some StringProtocol) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  /// Returns a hash of several numbers, which depends on their order.
  static func hash(_ numbers: UInt64...) -> UInt64 {
    numbers.reduce(0x9e37_79b9_7f4a_7c15) { hash, number in
      var random = SplitMix64(seed: hash ^ number)
      return random.next()
    }
  }

  /// Returns 0 for 0, otherwise the number of bits, with another value for negative numbers.
  static func bucket(_ number: some BinaryInteger) -> UInt64 {
    let magnitude = UInt64(truncatingIfNeeded: number.magnitude)
    return UInt64(64 - magnitude.leadingZeroBitCount) + (number < 0 ? 100 : 0)
  }
}
