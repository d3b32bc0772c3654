import Events

/// A search for the smallest sets of events without which a refused command is accepted.
///
/// First follows the events that made the facts which the decision reads: without such an event,
/// the fact has the value from before, and the next decision reads what matters then. Then tries
/// all sets that are not larger than those found, in order of size, as far as the budget goes.
struct SmallestSets {
  /// The most sets to find.
  private static let most = 3
  /// The largest set that the search along the facts tries.
  private static let longest = 6

  private let counterfactual: Counterfactual
  private let isExhaustive: Bool
  /// The indexes of the events that may be in a set, in log order.
  private let candidates: [Int]
  /// The number of events that the search may still decide again; a try counts as 20 more.
  private(set) var budget: Int
  /// The smallest sets found, as ascending indexes.
  private(set) var found: [[Int]] = []
  private(set) var triedSizes = 0
  private var outcomes: [[Int]: Bool] = [:]

  /// - Parameters:
  ///   - budget: the number of events to decide again; nil sets no limit.
  ///   - isCandidate: whether the event at an index may be in a set.
  init(
    _ counterfactual: Counterfactual, budget: Int?, where isCandidate: (Int) -> Bool
  ) {
    (self.counterfactual, self.budget) = (counterfactual, budget ?? .max)
    isExhaustive = budget == nil
    candidates = counterfactual.events.indices.filter {
      counterfactual.isAlone($0) && isCandidate($0)
    }
    alongFacts()
    exhaustively()
  }

  private mutating func isAccepted(_ set: [Int]) -> Bool {
    if let known = outcomes[set] { return known }
    let isAccepted = tried(set)
    outcomes[set] = isAccepted
    return isAccepted
  }

  private mutating func tried(_ set: [Int]) -> Bool {
    budget -= counterfactual.events.count + 20
    return counterfactual.trial(without: Set(set)).isAccepted
  }

  /// Adds a set, or the smallest of its parts that suffice.
  private mutating func add(_ set: [Int]) {
    for size in 1..<max(set.count, 1) {
      let parts = Combinations(of: set, size).filter { isAccepted($0) }
      if parts.isEmpty { continue }
      for part in parts { keep(part) }
      return
    }
    keep(set)
  }

  private mutating func keep(_ set: [Int]) {
    if let first = found.first {
      if set.count > first.count || found.contains(set) { return }
      if set.count < first.count { found = [] }
    }
    if found.count < Self.most { found.append(set) }
  }

  private mutating func alongFacts() {
    var level: [[Int]] = [[]]
    for _ in 1...Self.longest {
      var next: [[Int]] = []
      var seen: Set<[Int]> = []
      for set in level {
        for maker in makers(without: set) {
          let larger = (set + [maker]).sorted()
          guard seen.insert(larger).inserted else { continue }
          if budget <= 0 { return }
          if isAccepted(larger) { add(larger) } else { next.append(larger) }
        }
      }
      if !found.isEmpty { return }
      level = next
    }
  }

  /// Returns the events that last changed the facts that the decision reads without a set of
  /// events, latest first.
  private mutating func makers(without set: [Int]) -> [Int] {
    budget -= counterfactual.events.count + 20
    let trial = counterfactual.trial(without: Set(set))
    let gone = Set(set).union(trial.dependents)
    var makers: Set<Int> = []
    for read in trial.reads {
      let maker = candidates.last { index in
        !gone.contains(index) && read.mayDepend(on: counterfactual.events[index].event)
      }
      if let maker { makers.insert(maker) }
    }
    return makers.sorted(by: >)
  }

  /// Tries all sets up to the size of those found.
  private mutating func exhaustively() {
    let all = Array(candidates.reversed())
    for size in 1...max(all.count, 1) where size <= all.count {
      if !isExhaustive, found.isEmpty, size > Self.longestTry(all.count) { return }
      for set in Combinations(of: all, size) {
        if budget <= 0 || found.count == Self.most && found[0].count == size { return }
        // Each set is tried once, so its outcome is not stored.
        let set = set.sorted()
        if outcomes[set] ?? tried(set) { keep(set) }
      }
      if found.first.map({ $0.count <= size }) ?? false { return }
      triedSizes = size
    }
  }

  /// The largest size that is tried without `--exhaustive` if no set was found along the facts.
  private static func longestTry(_ events: Int) -> Int { events <= 20 ? 3 : events <= 60 ? 2 : 1 }
}

extension StateRead {
  /// Returns whether an event may have made the state that was read what it is.
  func mayDepend(on event: Event) -> Bool {
    guard let changed = event.stateStream else { return false }
    return switch self {
    case .stream(let stream):
      // A group's events also change memberships.
      changed == stream || stream.kind == .member && changed.kind == .group && changed.a == stream.a
    case .handle: changed.kind == .profile
    case .localID: changed.kind == .workout
    case .groups: changed.kind == .group
    case .members(let group): changed.kind == .member && changed.a == group.index
    }
  }
}

/// The combinations of some elements with a size, in lexicographic order of their indexes.
struct Combinations: Sequence, IteratorProtocol {
  private let elements: [Int]
  private var indexes: [Int]
  private var isOver: Bool

  init(of elements: [Int], _ size: Int) {
    (self.elements, indexes, isOver) = (elements, Array(0..<size), size > elements.count)
  }

  mutating func next() -> [Int]? {
    if isOver { return nil }
    let combination = indexes.map { elements[$0] }
    var place = indexes.count - 1
    while place >= 0, indexes[place] == elements.count - indexes.count + place { place -= 1 }
    if place < 0 {
      isOver = true
    } else {
      indexes[place] += 1
      for later in indexes.indices.dropFirst(place + 1) { indexes[later] = indexes[later - 1] + 1 }
    }
    return combination
  }
}
