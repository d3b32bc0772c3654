import EventLog
import Events
import Projections

/// Answers questions as of a past position from the events that they depend on, wherever these are
/// in the log; the index `EventIndex` finds them.
///
/// ```swift
/// let past = RelevantPast(view, until: 2_000_000, startingAt: 0)
/// await past?.ask { reading, names in
///   reading.find(user: "lena", in: names).map { reading.followers(of: $0).count }
/// }
/// ```
/// It asks a question repeatedly, each time of a state with the events that the question has read
/// so far, until the question reads nothing new. The answer is then the one that a replay would
/// give.
/// - Complexity: opening the index takes milliseconds from a checkpoint, otherwise a replay; a
///   question takes some microseconds for each relevant event.
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
  ///   - start: where a replay would start: at the last checkpoint before the position.
  ///   - catalogue: the projections that questions read.
  ///   - options: how the index is built, if it is not there.
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

  /// The index, up to the position at least; nil if it is not there and takes longer to build than
  /// a replay, or if the log has events of unknown types.
  private func index() async -> Replay<EventIndex>? {
    if let eventIndex { return eventIndex }
    var index = Replay<EventIndex>()
    _ = index.restore(view, lazily: true, unknown: options.unknown)
    if index.head.seq < until {
      // Once it is built, all later questions have it.
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

  /// Asks a question until everything it looks at is there.
  /// - Parameter ask: called several times.
  /// - Returns: nil if a replay must answer: the question is about everybody or too much, or the
  ///   log or the index cannot be believed.
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

/// When reading relevant events takes less time than a replay.
package struct RelevanceWorth: Sendable {
  /// A replay of fewer events takes no longer than opening the index.
  package var least: UInt64 = 20_000
  /// How many events a replay reads in the time of one relevant event; 0 ignores time.
  package var ratio: UInt64 = 8

  package init() {}

  /// On the shortest histories too, for tests.
  package static var always: RelevanceWorth {
    var worth = RelevanceWorth()
    (worth.least, worth.ratio) = (0, 0)
    return worth
  }

  fileprivate func limit(insteadOf replayed: UInt64) -> Int {
    ratio == 0 ? .max : Int(replayed / ratio)
  }

  /// Whether an index may be built, which is read again and again.
  fileprivate func allows(_ built: UInt64, insteadOf replayed: UInt64) -> Bool {
    ratio == 0 || built <= replayed * ratio
  }
}
