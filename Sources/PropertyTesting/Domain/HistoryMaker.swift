import Aggregates
import Events
import UseCases

/// A history that is being drawn, one event a round.
struct HistoryMaker: Sendable {
  private(set) var history = GeneratedHistory()
  var cast: Cast
  private var audit: Audit
  private var time: Int64 = 1_767_225_600_000
  private let texts: Generator<String>
  let rules: Rules
  let isHostile: Bool

  /// An event that a round draws, before it is added.
  struct Drawn: Sendable {
    var event: Event
    var actor: UserID
    /// The time since the event before, in milliseconds.
    var pause: Int64
    var isAllowed = true
  }

  init(users: Int, _ texts: Generator<String>, _ rules: Rules, isHostile: Bool, _ t: Trial) {
    cast = Cast(&history.names, users: users, isHostile: isHostile, t)
    audit = Audit(rules: rules)
    (self.texts, self.rules, self.isHostile) = (texts, rules, isHostile)
  }

  /// Draws an event, and adds it to the history if the domain allows it.
  /// - Returns: whether it was added.
  mutating func round(_ t: Trial) -> Bool {
    let wasBurst = cast.habits.burst != nil
    _ = t.improvise { cast.habits.goOn(&$0) }
    let drawn = draw(t, wasBurst: wasBurst)
    if drawn.isAllowed { add(drawn) } else { time += drawn.pause }
    return drawn.isAllowed
  }

  /// Draws an event, and decides it.
  func draw(_ t: Trial, wasBurst: Bool = false) -> Drawn {
    let draft = Draft(cast: cast, texts: texts, rules: rules)
    let event = t.nested { draft.event(t) }
    let actor = (isHostile ? nil : cast.actor(of: event)) ?? cast.user(t)
    let pause = cast.pause(t, wasBurst: wasBurst)
    if isHostile { return Drawn(event: event, actor: actor, pause: pause) }
    let decided = try? audit.decide(
      event, actor: history.names.actor(actor), at: Timestamp(milliseconds: time + pause))
    guard let decided else {
      return Drawn(event: event, actor: actor, pause: pause, isAllowed: false)
    }
    return Drawn(event: decided, actor: actor, pause: pause)
  }

  mutating func add(_ drawn: Drawn) {
    time += drawn.pause
    let moment = Moment(seq: UInt64(history.count + 1), time: Timestamp(milliseconds: time))
    if !isHostile {
      _ = audit.apply(drawn.event, actor: history.names.actor(drawn.actor), at: moment)
    }
    history.entries.append(
      GeneratedHistory.Entry(event: drawn.event, actor: drawn.actor, time: moment.time))
    cast.apply(drawn.event)
    cast.habits.saw(drawn.event, by: drawn.actor)
  }
}

/// A history that a run has drawn, and the choices that stand for it.
struct DrawnHistory: Sendable {
  /// Before the first event.
  var start: HistoryMaker
  var history: GeneratedHistory
  /// By event, the choices of its round, without the one that there is a round.
  var rounds: [Range<Int>]
  /// All choices of the history.
  var range: Range<Int>

  /// The choices that draw only some of the events, in their order; nil if none were found.
  ///
  /// Choices are places in lists, such as the open accounts. When an event goes, other events may
  /// have to choose other places.
  /// - Parameters:
  ///   - kept: indices of events, ascending.
  ///   - choices: those of the whole run.
  func choices(for kept: [Int], in choices: [UInt64]) -> [UInt64]? {
    var (maker, numbers, found) = (start, [AnyID: UInt32](), [UInt64]())
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

/// An event to be drawn again.
private struct Wanted {
  private let event: Event
  private let original: Event
  private let actor: UserID

  /// - Parameter numbers: the new numbers of ids that are given by count, such as a workout's.
  init(_ entry: GeneratedHistory.Entry, _ numbers: [AnyID: UInt32]) {
    (original, actor) = (entry.event, entry.actor)
    var event = entry.event
    event.mapIDs { numbers[$0] ?? $0.index }
    self.event = event
  }

  /// The choice that stands for its type, the first of a round.
  var type: UInt64 {
    UInt64(Habits.types.firstIndex { $0.type == original.type } ?? 0)
  }

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

  /// The id that the event gives to something new, and the number of the one drawn in its place.
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
  /// How many choices of a round are changed two at a time, and up to which value.
  private static let (pairs, values) = (8, 24 as UInt64)

  /// Draws a wanted event from choices that are as near to some others as possible: the same, or
  /// with one changed, or two.
  fileprivate func round(
    like choices: [UInt64], _ wanted: Wanted
  ) -> (choices: [UInt64], drawn: Drawn)? {
    func attempt(_ choices: [UInt64]) -> (trial: Trial, drawn: Drawn?) {
      let trial = Trial(Tape(choices))
      let drawn = draw(trial)
      return (trial, wanted.isMet(by: drawn) ? drawn : nil)
    }
    // A round may have drawn a type for want of what another needs, which may be there now.
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
