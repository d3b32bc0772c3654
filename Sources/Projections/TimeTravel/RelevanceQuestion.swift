import Events

/// A question, answered from the events that it turns out to depend on.
///
/// It is asked again and again, each time of a state that has the events it looked at before, until
/// it looks at nothing new: what it answers then is what a replay of everything would have it
/// answer.
package struct RelevanceQuestion<Answer> {
  private let catalogue: Catalogue
  private let ask: (Reading, Names) -> Answer
  private var looked: Set<ReadSet.Read>?
  package private(set) var answer: Answer

  /// Asks it for the first time, of a state of nothing.
  package init(_ catalogue: Catalogue, _ ask: @escaping (Reading, Names) -> Answer) {
    (self.catalogue, self.ask) = (catalogue, ask)
    let looks = ReadSet()
    answer = ask(Reading(catalogue.views(), noting: looks), Names())
    looked = looks.all
  }

  /// Whether the answer depends on the state of everybody, so that only a replay gives it.
  package var isOfAll: Bool { looked == nil }

  /// Whether the answer depends on nothing that it has not seen.
  package var isAnswered: Bool { looked?.isEmpty == true }

  /// Finds what it looks at, and asks again until there is nothing new.
  /// - Parameters:
  ///   - index: up to the position at least.
  ///   - limit: how many lines may be read.
  /// - Returns: false if it is about everybody, or about more than the limit.
  package mutating func look(
    in view: some History, _ index: Replay<EventIndex>, until: UInt64, limit: Int = .max
  ) throws(LogError) -> Bool {
    var search = RelevanceSearch(view, index, until: until, limit: limit)
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
  /// Answers a question as of a position from the events that it turns out to depend on.
  /// - Parameters:
  ///   - limit: how many lines may be read.
  ///   - ask: called several times, with more to look at each time.
  /// - Returns: nil if the question is about everybody, or about more than the limit.
  public func ask<Answer>(
    at position: UInt64, limit: Int = .max, _ ask: @escaping (Reading, Names) -> Answer
  ) throws(LogError) -> Answer? {
    var question = RelevanceQuestion(catalogue, ask)
    if question.isAnswered { return question.answer }
    if question.isOfAll { return nil }
    return try question.look(in: view, eventIndex, until: position, limit: limit)
      ? question.answer : nil
  }

  /// The events that name an id or a handle, in order.
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

/// What a question has looked at so far.
private struct Asked {
  private var paths: Set<StatePath> = []
  private var ids: Set<NamedID> = []
  /// Where the events are that it looked for last.
  private(set) var next: [StatePath] = []

  /// - Returns: whether there is anything new among the looks.
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
  /// The state after the events found so far.
  fileprivate func views(_ catalogue: Catalogue) -> Views {
    var views = catalogue.views()
    for known in events { views.apply(known.event, at: known.moment) }
    views.settle()
    return views
  }
}
