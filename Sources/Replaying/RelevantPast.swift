import EventLog
import Events
import Projections

/// The state at a past position, computed only from the events on which a question depends.
/// `EventIndex` finds these events anywhere in the log.
///
/// ```swift
/// let past = RelevantPast(view, until: 2_000_000, startingAt: 0)
/// await past?.ask { reading, names in
///   reading.find(user: "lena", in: names).map { reading.followers(of: $0).count }
/// }
/// ```
/// It calls the question several times. Each time, the state is made from the events that the
/// question has needed so far. When the question needs no further event, its answer is the same as
/// after a replay.
/// - Complexity: opening the index takes milliseconds from a checkpoint; without one, it takes a
///   replay. A question takes a few microseconds for each event that it needs.
public actor RelevantPast<H: History> {
  private let view: H
  private let until: UInt64
  private let start: UInt64
  private let catalogue: Catalogue
  private let options: ReplayOptions
  private var eventIndex: Replay<EventIndex>?
  /// The last event that the past state includes.
  public nonisolated let head: LogHead

  /// - Parameters:
  ///   - until: the position of the past state.
  ///   - start: the position of the last checkpoint before `until`, at which a replay would start.
  ///   - catalogue: the projections that questions can read.
  ///   - options: the options of the replay that builds the index, if there is no checkpoint.
  /// - Returns: nil if a replay from `start` takes no longer than opening the index.
  public init?(
    _ view: H, until: UInt64, startingAt start: UInt64, catalogue: Catalogue = .standard,
    options: ReplayOptions = ReplayOptions()
  ) {
    guard until >= start + options.worth.least, let head = try? view.head(at: until)
    else { return nil }
    (self.view, self.until, self.start, self.head) = (view, until, start, head)
    (self.catalogue, self.options) = (catalogue, options)
  }

  /// Returns the index of the events, at least up to `until`. Returns nil if building the index is
  /// not worth its time (`RelevanceWorth`), or if the log has events of unknown types.
  private func index() async -> Replay<EventIndex>? {
    if let eventIndex { return eventIndex }
    var index = Replay<EventIndex>()
    _ = index.restore(view, lazily: true, unknown: options.unknown)
    if index.head.seq < until {
      // All later questions use the index, so it is built up to the log's last event.
      let head = (try? view.head().seq) ?? 0
      guard options.worth.allows(head - index.head.seq, insteadOf: until - start),
        (try? await index.run(view, options: options)) != nil
      else { return nil }
      index.saveIfDue(view)
    }
    if !index.skipped.isEmpty { return nil }
    index.names.appEvents = catalogue.appEvents
    eventIndex = index
    return index
  }

  /// Calls a question until the state has all events on which the answer depends.
  /// - Parameter ask: the question; called several times.
  /// - Returns: the answer. Nil if a replay must find the answer: the question is about all users
  ///   or needs too many events, or the log or the index is damaged.
  public func ask<Answer: Sendable>(
    _ ask: @escaping @Sendable (Reading, Names) -> Answer
  ) async -> Answer? {
    var question = RelevanceQuestion(catalogue, ask)
    if question.isAnswered { return question.answer }
    guard !question.isOfAll, let index = await index() else { return nil }
    let limit = options.worth.limit(insteadOf: until - start)
    let isFound = (try? question.look(in: view, index, until: until, limit: limit)) == true
    return index.restored.checked(isFound) == true ? question.answer : nil
  }
}

/// The limits within which reading only the needed events takes less time than a replay.
package struct RelevanceWorth: Sendable {
  /// The number of events that a replay applies in the time that opening the index takes.
  package var least: UInt64 = 20_000
  /// The number of events that a replay applies in the time that reading one needed event takes; 0
  /// sets no limit.
  package var ratio: UInt64 = 8

  package init() {}

  /// The limits that never prefer a replay, even for the shortest histories; for tests.
  package static var always: RelevanceWorth {
    var worth = RelevanceWorth()
    (worth.least, worth.ratio) = (0, 0)
    return worth
  }

  fileprivate func limit(insteadOf replayed: UInt64) -> Int {
    ratio == 0 ? .max : Int(replayed / ratio)
  }

  /// Whether to read `built` events to build the index, instead of `replayed` events for a replay.
  /// The index may need more events, because later questions use the index too.
  fileprivate func allows(_ built: UInt64, insteadOf replayed: UInt64) -> Bool {
    ratio == 0 || built <= replayed * ratio
  }
}
