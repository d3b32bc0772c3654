import Aggregates
import EventLog
import Events
import Projections

/// A command and the events on which its decision may depend, for asking what the decision would be
/// without some of the events.
///
/// The rest of the history obeys the domain: an event that the rules would refuse without the
/// events left out does not happen, and neither does an event that names one of those as its cause.
/// An event that the rules refuse in the history itself still happens, as in the log.
struct Counterfactual: Sendable {
  /// The events, in log order.
  let events: [KnownEvent]
  let names: Names
  private let rules: RuleHistory
  private let call: Call
  private let decide: Call.Decide
  /// The state before the first event. Its copies cost much less than new tables.
  private let blank: Model
  private let catalogue: Catalogue
  /// A core to create commands with; they decide on the model alone.
  private let core: Core
  private let time: Timestamp
  /// The indexes of the events that name the event at an index as their cause.
  private let effects: [Int: [Int]]
  /// The ids in the events, and the texts in the command's input.
  private let known: Set<AnyID>
  private let texts: Set<String>
  /// The events that the rules refuse in the history itself.
  private var refusedAnyway: Set<Int> = []

  /// The outcome without some events.
  struct Trial {
    var result: Result<[Model.Drafted], UseCaseError>
    var aggregates: AggregateStates
    var model: Model
    /// The events that did not happen, besides those left out.
    var dependents: [Int]

    var isAccepted: Bool { if case .success = result { true } else { false } }
  }

  init(
    _ events: [KnownEvent], _ names: Names, at head: Moment, _ command: WhyNotCommand,
    _ rules: RuleHistory, _ catalogue: Catalogue, _ core: Core
  ) {
    (self.events, self.names, self.rules) = (events, names, rules)
    (call, decide, time) = (command.call, command.decide, command.time)
    (self.catalogue, self.core) = (catalogue, core)
    var blank = Model(rules: command.rules, Reading(), names, now: time)
    blank.head = head
    self.blank = blank
    var indexes: [EventID: Int] = [:]
    var effects: [Int: [Int]] = [:]
    for (index, known) in events.enumerated() {
      indexes[known.id] = index
      if let cause = known.cause.flatMap({ indexes[$0] }) {
        effects[cause, default: []].append(index)
      }
    }
    self.effects = effects
    known = Set(events.flatMap { $0.event.ids + [AnyID($0.actor)] })
    texts = command.texts
    var aggregates = AggregateStates()
    for index in events.indices {
      if isRefused(index, aggregates) { refusedAnyway.insert(index) }
      aggregates.apply(events[index].event)
    }
  }

  /// Returns whether an event or the command's input names an id, as numbered in `names`.
  func isKnown(_ id: AnyID, _ names: Names) -> Bool {
    known.contains(id) || texts.contains(names[id])
  }

  /// Returns whether the rules would refuse an event after others.
  private func isRefused(_ index: Int, _ aggregates: AggregateStates) -> Bool {
    let known = events[index]
    let rules = rules.rules(at: known.moment.seq)
    let actor = names.actor(known.actor)
    do throws(DomainError) {
      let decided = try known.event.decide(
        in: aggregates, by: actor, at: known.moment.time, rules)
      // A block that had to end nothing is the only event of its commit.
      if case .block(.blocked(let block)) = known.event, effects[index] == nil {
        try BlockDecider.finish(isTied: aggregates.isTied(block.user, block.other))
      }
      return decided == nil
    } catch {
      return true
    }
  }

  /// Decides the command without the events at some indexes.
  /// - Parameters:
  ///   - reads: receives what the command's decision reads.
  ///   - pastReads: receives what the decisions of the events read, if it is given.
  func trial(
    without skipped: Set<Int> = [], reads: StateReads? = nil, looks: ReadSet? = nil,
    pastReads: StateReads? = nil
  ) -> Trial {
    var aggregates = blank.aggregates
    var views = looks.map { _ in catalogue.views() }
    var gone = skipped
    for (index, known) in events.enumerated() {
      if gone.contains(index) {
        gone.formUnion(effects[index] ?? [])
        continue
      }
      if let pastReads {
        aggregates.reads = pastReads
        _ = isRefused(index, aggregates)
        aggregates.reads = nil
      } else if !skipped.isEmpty, !refusedAnyway.contains(index), isRefused(index, aggregates) {
        gone.insert(index)
        gone.formUnion(effects[index] ?? [])
        continue
      }
      aggregates.apply(known.event)
      views?.apply(known.event, at: known.moment)
    }
    views?.settle()
    var model = blank
    if let views { model.views = Reading(views, noting: looks) }
    model.aggregates = aggregates
    model.aggregates.reads = reads
    let result = model.tried(call, decide, at: time, for: core)
    model.aggregates.reads = nil
    return Trial(
      result: result, aggregates: aggregates, model: model,
      dependents: gone.subtracting(skipped).sorted())
  }
}

/// A command to explain.
struct WhyNotCommand: Sendable {
  var call: Call
  var decide: Call.Decide
  var rules: Rules
  /// The texts in the input, and the caller's id.
  var texts: Set<String>
  /// The time at which the command is decided.
  var time: Timestamp
}
