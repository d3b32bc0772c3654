import EventLog
import Events
import Projections

/// A past position that answers questions from the events that they depend on. The index
/// `EventIndex` finds these events anywhere in the log.
///
/// ```swift
/// let past = RelevantPast(view, until: 2_000_000, startingAt: 0)
/// await past?.ask { reading, names in
///   reading.find(user: "lena", in: names).map { reading.followers(of: $0).count }
/// }
/// ```
/// It asks a question repeatedly, each time about a state with the events that the question has
/// read so far, until the question reads nothing new. The answer is then the same as a replay's.
/// - Complexity: opening the index takes milliseconds from a checkpoint, otherwise a replay. A
///   question takes a few microseconds for each relevant event.
public actor RelevantPast<H: History> {
  private let view: H
  private let until: UInt64
  private let start: UInt64
  private let catalogue: Catalogue
  private let options: ReplayOptions
  private var eventIndex: Replay<EventIndex>?
  /// The event at the position.
  public nonisolated let head: LogHead

  /// - Parameters:
  ///   - start: the position at which a replay would start: the last checkpoint before `until`.
  ///   - catalogue: the projections that questions read.
  ///   - options: the options for building the index, if there is no checkpoint.
  /// - Returns: nil if a replay from there takes no longer than opening the index.
  public init?(
    _ view: H, until: UInt64, startingAt start: UInt64, catalogue: Catalogue = .standard,
    options: ReplayOptions = ReplayOptions()
  ) {
    guard until >= start + options.worth.least, let head = try? view.head(at: until)
    else { return nil }
    (self.view, self.until, self.start, self.head) = (view, until, start, head)
    (self.catalogue, self.options) = (catalogue, options)
  }

  /// Returns the index, at least up to the position; nil if building it takes longer than a replay,
  /// or if the log has events of unknown types.
  private func index() async -> Replay<EventIndex>? {
    if let eventIndex { return eventIndex }
    var index = Replay<EventIndex>()
    _ = index.restore(view, lazily: true, unknown: options.unknown)
    if index.head.seq < until {
      // All later questions use the index, so it is built up to the head.
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

  /// Asks a question until it has read all events that it depends on.
  /// - Parameter ask: called several times.
  /// - Returns: nil if a replay must answer: the question is about all users or reads too many
  ///   events, or the log or the index is damaged.
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

/// The point from which reading relevant events takes less time than a replay.
package struct RelevanceWorth: Sendable {
  /// The number of events in a replay that takes as long as opening the index.
  package var least: UInt64 = 20_000
  /// The number of events that a replay reads in the time of one relevant event; 0 ignores time.
  package var ratio: UInt64 = 8

  package init() {}

  /// The setting that always reads relevant events, even in the shortest histories; for tests.
  package static var always: RelevanceWorth {
    var worth = RelevanceWorth()
    (worth.least, worth.ratio) = (0, 0)
    return worth
  }

  fileprivate func limit(insteadOf replayed: UInt64) -> Int {
    ratio == 0 ? .max : Int(replayed / ratio)
  }

  /// Whether building the index is worth its time; later questions use it too.
  fileprivate func allows(_ built: UInt64, insteadOf replayed: UInt64) -> Bool {
    ratio == 0 || built <= replayed * ratio
  }
}
