import Events
import HistoryGeneration

/// A builder of a random history. Each round draws one event.
struct HistoryMaker: ~Copyable {
  private(set) var history = GeneratedHistory()
  private(set) var builder: HistoryBuilder<EdgeCaseContents>

  typealias Drawn = HistoryBuilder<EdgeCaseContents>.Drawn

  init(users: Int, _ contents: EdgeCaseContents, _ t: Trial) {
    builder = HistoryBuilder(
      contents, contents.isHostile ? .hostile : .short, rules: contents.rules,
      time: 1_767_225_600_000)
    builder.begin(users: users, &history.names, t)
    if t.recordsGround { builder.ground = HistoryGround() }
  }

  /// Draws an event and adds it to the history if the domain allows it.
  /// - Returns: whether the event was added.
  mutating func round(_ t: Trial) -> Bool {
    guard let drawn = builder.round(&history.names, t) else { return false }
    if let ground = builder.ground { t.reach(ground.reached) }
    record(drawn)
    return true
  }

  /// Adds an event that was already drawn to the history.
  mutating func add(_ drawn: Drawn) {
    builder.add(drawn, &history.names, Trial())
    record(drawn)
  }

  private mutating func record(_ drawn: Drawn) {
    history.entries.append(
      GeneratedHistory.Entry(
        event: drawn.event, actor: drawn.actor, time: Timestamp(milliseconds: builder.time)))
  }
}

/// A history that a run has drawn, and where its choices are on the run's `Tape`.
struct DrawnHistory: Sendable {
  /// The maximum number of users.
  var users: Int
  var contents: EdgeCaseContents
  var history: GeneratedHistory
  /// For each event, the positions of its choices on the tape. They exclude the choice whether to
  /// draw another event.
  var rounds: [Range<Int>]
  /// The positions on the tape of all choices of the history.
  var range: Range<Int>
  /// The number of the outermost `draw` that drew the history; nil if it drew a larger value.
  var draw: Int?

  /// Returns choices that draw only the kept events, in the same order; nil if there are none.
  ///
  /// Many choices are indices in lists, such as the list of open accounts. If events are left out,
  /// these lists change, and the kept events may need other indices.
  /// - Parameters:
  ///   - kept: the indices of the events to keep, ascending.
  ///   - choices: the choices of the whole run.
  func choices(for kept: [Int], in choices: [UInt64]) -> [UInt64]? {
    var maker = HistoryMaker(users: users, contents, Trial())
    var (numbers, found) = ([AnyID: UInt32](), [UInt64]())
    for index in kept {
      let wanted = Wanted(history.entries[index], numbers)
      guard let (round, drawn) = maker.round(like: Array(choices[rounds[index]]), wanted) else {
        return nil
      }
      if let (old, new) = wanted.renaming(drawn) { numbers[old] = new }
      maker.add(drawn)
      found.append(1)
      found += round
    }
    return found + [0]
  }
}

/// An event of an earlier history that a new history must draw again.
private struct Wanted {
  private let event: Event
  private let original: Event
  private let actor: UserID

  /// Creates a wanted event from an entry of the earlier history.
  /// - Parameter numbers: for each id that the earlier history created, such as a workout's id,
  ///   its number in the new history.
  init(_ entry: GeneratedHistory.Entry, _ numbers: [AnyID: UInt32]) {
    (original, actor) = (entry.event, entry.actor)
    var event = entry.event
    event.mapIDs { numbers[$0] ?? $0.index }
    self.event = event
  }

  /// The choice that selects the event's type. It is the first choice of each event.
  var type: UInt64 {
    HistoryBuilder<EdgeCaseContents>.choice(of: original.type)
  }

  /// Returns whether a drawn event equals the wanted event. The id of a new thing may differ.
  func isMet(by drawn: HistoryMaker.Drawn) -> Bool {
    guard drawn.isAllowed, drawn.actor == actor, drawn.event.type == event.type else {
      return false
    }
    if drawn.event == event { return true }
    guard let (_, new) = renaming(drawn), let id = Self.created(event) else { return false }
    var renamed = event
    renamed.mapIDs { $0 == id ? new : $0.index }
    return drawn.event == renamed
  }

  /// Returns the id of the thing that the original event creates, such as a workout, and the
  /// number of this id in the drawn event. Returns nil if the events create no such thing.
  func renaming(_ drawn: HistoryMaker.Drawn) -> (old: AnyID, new: UInt32)? {
    guard let old = Self.created(original), let new = Self.created(drawn.event),
      old.kind == new.kind
    else { return nil }
    return (old, new.index)
  }

  private static func created(_ event: Event) -> AnyID? {
    switch event {
    case .workout(.shared(let data)): AnyID(data.workout)
    case .comment(.posted(let data)): AnyID(data.comment)
    case .group(.created(let data)): AnyID(data.group)
    case .conversation(.sent(let data)): AnyID(data.message)
    case .report(.reported(let data)): AnyID(data.report)
    default: nil
    }
  }
}

extension HistoryMaker {
  /// When the search changes two choices: it tries the first `pairs` choices, and values up to
  /// `values`.
  private static let (pairs, values) = (8, 24 as UInt64)

  /// Draws a wanted event from the given choices, with at most two of them changed. Returns nil if
  /// no such change draws it.
  fileprivate func round(
    like choices: [UInt64], _ wanted: Wanted
  ) -> (choices: [UInt64], drawn: Drawn)? {
    func attempt(_ choices: [UInt64]) -> (trial: Trial, drawn: Drawn?) {
      let trial = Trial(Tape(choices))
      let drawn = builder.draw(trial)
      return (trial, wanted.isMet(by: drawn) ? drawn : nil)
    }
    // The first choice may have selected another type that needed an event of this type first. So
    // the search first selects this type.
    let first = attempt([wanted.type] + choices.dropFirst())
    if let drawn = first.drawn { return (first.trial.choices, drawn) }
    let (read, bounds) = (first.trial.choices, first.trial.bounds)
    func others(_ index: Int, upTo most: UInt64) -> [UInt64] {
      (0...min(bounds[index], most)).filter { $0 != read[index] }
    }
    for index in read.indices {
      for value in others(index, upTo: 99) {
        var changed = read
        changed[index] = value
        let (trial, drawn) = attempt(changed)
        if let drawn { return (trial.choices, drawn) }
      }
    }
    for one in read.indices.prefix(Self.pairs) {
      for two in read.indices.prefix(Self.pairs) where two > one {
        for value in others(one, upTo: Self.values) {
          for other in others(two, upTo: Self.values) {
            var changed = read
            (changed[one], changed[two]) = (value, other)
            let (trial, drawn) = attempt(changed)
            if let drawn { return (trial.choices, drawn) }
          }
        }
      }
    }
    return nil
  }
}
