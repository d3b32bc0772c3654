import Events

/// A question about the state that is answered by replaying only its relevant events.
///
/// The question is asked several times. Each time, the state is made from the events that can
/// affect the values that the question has read so far. When the question reads no new value, its
/// answer is the same as after a full replay.
package struct RelevanceQuestion<Answer> {
  private let catalogue: Catalogue
  private let ask: (Reading, Names) -> Answer
  private var looked: Set<ReadSet.Read>?
  package private(set) var answer: Answer
  /// The ids and handles whose events the index lacks, so that the question has no answer yet.
  package private(set) var uncovered: Set<NamedID> = []

  /// Asks the question for the first time, on the state before any event.
  package init(_ catalogue: Catalogue, _ ask: @escaping (Reading, Names) -> Answer) {
    (self.catalogue, self.ask) = (catalogue, ask)
    let looks = ReadSet()
    answer = ask(Reading(catalogue.views(), noting: looks), Names())
    looked = looks.all
  }

  /// Whether the answer depends on everybody's state, so that only a replay can give it.
  package var isOfAll: Bool { looked == nil }

  /// The ids and handles that the question has read so far. None if it is about everybody.
  package var ids: Set<NamedID> {
    var ids: Set<NamedID> = []
    for read in looked ?? [] {
      switch read {
      case .id(let id): ids.insert(id)
      case .handle(let handle): ids.insert(NamedID(.handle, handle, offset: 0))
      case .one, .pair: break
      }
    }
    return ids
  }

  /// Whether the answer depends on no state at all.
  package var isAnswered: Bool { looked?.isEmpty == true }

  /// Finds the events for the state that the question reads, and asks again until nothing is new.
  /// - Parameters:
  ///   - index: An index of at least the events up to `until`.
  ///   - limit: The largest number of lines to read.
  ///   - filter: The filter with which the index was built; nil if the index has all events.
  /// - Returns: False if the question is about everybody, or needs more than `limit` lines, or
  ///   needs events that the filter does not cover.
  package mutating func look(
    in view: some History, _ index: Replay<EventIndex>, until: UInt64, limit: Int = .max,
    filter: LineFilter? = nil
  ) throws(LogError) -> Bool {
    var search = RelevanceSearch(view, index, until: until, limit: limit, filter: filter)
    defer { uncovered = search.uncovered }
    var views = catalogue.views()
    var asked = Asked()
    while let found = looked, asked.take(found, &search) {
      let count = search.events.count
      guard try search.add(asked.next) else { return false }
      if search.events.count > count { views = search.views(catalogue) }
      let looks = ReadSet()
      answer = ask(Reading(views, noting: looks), search.names)
      looked = looks.all
    }
    return looked != nil
  }
}

extension TravelIndex {
  /// Answers a question at a position from its relevant events.
  ///
  /// Calls `ask` several times, each time with more of the state. Reads at most `limit` lines.
  /// - Returns: Nil if the question is about everybody, or needs more than `limit` lines.
  public func ask<Answer>(
    at position: UInt64, limit: Int = .max, _ ask: @escaping (Reading, Names) -> Answer
  ) throws(LogError) -> Answer? {
    var question = RelevanceQuestion(catalogue, ask)
    if question.isAnswered { return question.answer }
    if question.isOfAll { return nil }
    return try question.look(in: view, eventIndex, until: position, limit: limit)
      ? question.answer : nil
  }

  /// Returns the positions of the events that name an id or a handle, ascending.
  public func positions(naming id: NamedID) -> [UInt64] {
    var found: Set<UInt64> = []
    for role in EventIndex.Role.allCases {
      let key: EventIndex.Key?
      if let kind = role.ids?.ids {
        guard kind == id.kind.ids else { continue }
        key = eventIndex.names.find(id.id, kind).map { EventIndex.Key(role, $0.index) }
      } else {
        key = id.kind == .handle ? eventIndex.projection.key(ofHandle: id.id) : nil
      }
      if let key { found.formUnion(eventIndex.projection.positions(key)) }
    }
    return found.sorted()
  }
}

/// The state that a question has read so far.
private struct Asked {
  private var paths: Set<StatePath> = []
  private var ids: Set<NamedID> = []
  /// The paths whose relevant events must be found next.
  private(set) var next: [StatePath] = []

  /// Adds the state that the question has just read, and returns whether any of it is new.
  mutating func take<H: History>(
    _ looks: Set<ReadSet.Read>, _ search: inout RelevanceSearch<H>
  ) -> Bool {
    next = []
    var isNew = false
    for look in looks {
      if case .id(let id) = look, ids.insert(id).inserted {
        search.intern(id)
        isNew = true
      } else if let path = look.path(search.names), paths.insert(path).inserted {
        next.append(path)
      }
    }
    return isNew || !next.isEmpty
  }
}

extension RelevanceSearch {
  /// Returns the state after the events found so far.
  fileprivate func views(_ catalogue: Catalogue) -> Views {
    var views = catalogue.views()
    for known in events { views.apply(known.event, at: known.moment) }
    views.settle()
    return views
  }
}

/// The state that a question has read, to find its events before the question is asked again.
package final class ReadSet: Sendable {
  /// One thing that was read: a kind of state, and the ids that have the state.
  package enum Read: Hashable, Sendable {
    case one(StatePath.Kind, AnyID)
    case pair(StatePath.Kind, UserID, UserID)
    case handle(String)
    /// Whether an id occurs anywhere in the log.
    case id(NamedID)
  }

  private let found = Guarded<Set<Read>?>([])

  package init() {}

  func note(_ kind: StatePath.Kind, _ id: some DenseID) { note(.one(kind, AnyID(id))) }

  func note(_ look: Read) { found.withLock { _ = $0?.insert(look) } }

  /// Records that the question reads everybody's state.
  func noteAll() { found.withLock { $0 = nil } }

  /// Everything recorded; nil if the question reads everybody's state.
  package var all: Set<Read>? { found.withLock { $0 } }

  /// The paths whose relevant events determine what was read; none if everybody's state was read.
  package func paths(_ names: Names) -> Set<StatePath> {
    Set((all ?? []).compactMap { $0.path(names) })
  }
}

extension ReadSet.Read {
  /// Returns the path whose relevant events determine the state that was read; nil for `id`.
  func path(_ names: Names) -> StatePath? {
    switch self {
    case .one(let kind, let id): StatePath(kind: kind, ids: [names[id]])
    case .pair(let kind, let a, let b): StatePath(kind: kind, ids: [names[a], names[b]])
    case .handle(let handle): StatePath(kind: .handle, ids: [handle])
    case .id: nil
    }
  }
}
