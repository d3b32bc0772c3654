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
  private let command: WhyNotCommand
  /// The state before the first event. Its copies cost much less than new tables.
  private let blank: Model
  private let catalogue: Catalogue
  /// A core to create commands with; they decide on the model alone.
  private let core: Core
  /// The indexes of the events that name the event at an index as their cause.
  private let effects: [Int: [Int]]
  /// The ids in the events.
  private let known: Set<AnyID>
  /// The indexes of the events that another event caused.
  private let caused: Set<Int>
  /// The events that the rules refuse in the history itself.
  private var refusedAnyway: Set<Int> = []
  /// The number of events between two of `snapshots`.
  private static let interval = 32
  /// The states before every 32nd event, from which a trial begins.
  private var snapshots: [AggregateStates] = []
  /// The reads of all decisions so far, in the history and in trials.
  let allReads = StateReads()

  /// The outcome without some events.
  struct Trial {
    var result: Result<[Model.Drafted], UseCaseError>
    /// The reads of the command's decision, in order.
    var reads: [StateRead]
    var aggregates: Boxed<AggregateStates>
    var model: Model
    /// The events that did not happen, besides those left out.
    var dependents: [Int]

    var isAccepted: Bool { code == nil }
    /// The code of the refusal; nil if the command is accepted.
    var code: String? { if case .failure(let error) = result { error.code } else { nil } }
  }

  init(
    _ events: [KnownEvent], _ names: Names, at head: Moment, _ command: WhyNotCommand,
    _ rules: RuleHistory, _ catalogue: Catalogue, _ core: Core
  ) {
    (self.events, self.names, self.command) = (events, names, command)
    (self.rules, self.catalogue, self.core) = (rules, catalogue, core)
    var blank = Model(rules: command.rules, Reading(), names, now: command.time)
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
    caused = Set(effects.values.joined())
    var aggregates = AggregateStates()
    for index in 0...events.count {
      if index % Self.interval == 0 {
        aggregates.reads = nil
        snapshots.append(aggregates)
        aggregates.reads = allReads
      }
      if index == events.count { break }
      if isRefused(index, aggregates) { refusedAnyway.insert(index) }
      aggregates.apply(events[index].event, at: events[index].moment.time)
    }
  }

  /// Returns whether an event or the command's input names an id, as numbered in `names`.
  func isKnown(_ id: AnyID, _ names: Names) -> Bool {
    known.contains(id) || command.texts.contains(names[id])
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

  /// Returns whether an event may be left out by itself. An event that another one caused may not:
  /// both were decided by one command.
  func isAlone(_ index: Int) -> Bool { !caused.contains(index) }

  /// Decides the command without the events at some indexes.
  /// - Parameter looks: receives what the decision reads of the projections; nil gives it empty
  ///   ones.
  func trial(without skipped: Set<Int> = [], looks: ReadSet? = nil) -> Trial {
    var views = looks.map { _ in catalogue.views() }
    // The events before the first one left out happen as they did.
    let first = views == nil ? min(skipped.min() ?? events.count, events.count) : 0
    let start = first / Self.interval * Self.interval
    var aggregates = snapshots[first / Self.interval]
    aggregates.reads = allReads
    var gone = skipped
    for index in start..<events.count {
      let known = events[index]
      let isImpossible =
        index > first && !skipped.isEmpty && !refusedAnyway.contains(index)
        && !gone.contains(index) && isRefused(index, aggregates)
      if isImpossible { gone.insert(index) }
      if gone.contains(index) {
        gone.formUnion(effects[index] ?? [])
        continue
      }
      aggregates.apply(known.event, at: known.moment.time)
      views?.apply(known.event, at: known.moment)
    }
    views?.settle()
    var model = blank
    if let views { model.views = Reading(views, noting: looks) }
    model.aggregates.value = aggregates
    let own = StateReads()
    model.aggregates.value.reads = own
    let result = model.tried(command.call, command.decide, at: command.time, for: core)
    model.aggregates.value.reads = nil
    aggregates.reads = nil
    let reads = own.all
    for read in reads { allReads.add(read) }
    return Trial(
      result: result, reads: reads, aggregates: Boxed(aggregates), model: model,
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
