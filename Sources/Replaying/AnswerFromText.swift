import EventLog
import Events
import Projections

extension History {
  /// Returns the answer to a question about a few ids, without a checkpoint or an event index.
  ///
  /// ```swift
  /// await view.answerFromText(until: 5_000_000, naming: ["lena"]) { reading, names in
  ///   reading.find(user: "lena", in: names).map { reading.followers(of: $0).count }
  /// }
  /// ```
  /// It checks every line up to `until`, but decodes only the lines that contain the ids. If these
  /// events lead to further ids, it reads the log once more for all of them.
  /// - Parameters:
  ///   - ids: the ids that the question may need, besides those that it reads first.
  ///   - ask: the question; called several times.
  /// - Returns: the answer. Nil if a replay must find the answer: the question is about all users
  ///   or more than a few ids, or the log is damaged or has events of unknown types.
  /// - Complexity: about one and a half times a scan of the log, once or twice.
  package func answerFromText<Answer: Sendable>(
    until: UInt64, naming ids: [String], catalogue: Catalogue = .standard,
    options: ReplayOptions = ReplayOptions(),
    _ ask: @escaping @Sendable (Reading, Names) -> Answer
  ) async -> Answer? {
    var question = RelevanceQuestion(catalogue, ask)
    var wanted = question.ids.union(ids.map { NamedID(.user, $0, offset: 0) })
    for _ in 0..<2 {
      if question.isAnswered { return question.answer }
      if question.isOfAll || wanted.count > mostIDs { return nil }
      let filter = LineFilter(wanted)
      var options = options
      options.filter = filter
      var index = Replay<EventIndex>()
      guard (try? await index.run(self, until: until, options: options)) != nil,
        index.skipped.isEmpty
      else { return nil }
      index.names.appEvents = catalogue.appEvents
      question = RelevanceQuestion(catalogue, ask)
      let isFound = try? question.look(in: self, index, until: until, filter: filter)
      if isFound == true { return question.answer }
      if question.uncovered.isEmpty { return nil }
      wanted.formUnion(question.uncovered)
    }
    return nil
  }
}

/// The largest number of ids for which a search in the log's text takes less time than a replay.
private let mostIDs = 8

extension LineFilter {
  /// Creates a filter that keeps all lines about the ids and handles, and all account deletions.
  /// The texts of handles are ignored: the filter keeps all events that can set a handle.
  fileprivate init(_ ids: Set<NamedID>) {
    let hasHandle = ids.contains { $0.kind == .handle }
    let setsHandle: EventTypes = [.profileCreated, .profileEdited]
    self.init(
      ids: ids.filter { $0.kind != .handle }.map { $0.id },
      types: hasHandle ? setsHandle.union([.accountDeleted]) : [.accountDeleted])
  }
}
