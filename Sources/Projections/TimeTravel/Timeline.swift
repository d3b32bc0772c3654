import Events

/// All changes of the values under one path.
///
/// ```swift
/// let timeline = try await travel.timeline(of: StatePath("followers/alice.count"))
/// timeline.steps.last?.values.first  // followers/alice.count: 7 → 8
/// ```
public struct Timeline: Sendable {
  /// The path under which the values changed.
  public let path: StatePath
  /// The events that changed something, in log order.
  public internal(set) var steps: [Step] = []
  /// The events that can affect the path but changed nothing when they happened.
  public internal(set) var idle: [Cause] = []

  /// An event as the cause of a change.
  public struct Cause: Equatable, Sendable {
    /// The event's position.
    public var seq: UInt64
    /// The event's time.
    public var time: Timestamp
    /// The event's type.
    public var type: EventType
    /// The id of the event's actor.
    public var actor: String
    /// The event's id.
    public var id: EventID
    /// The id of the event that led to this one; nil if there is none.
    public var cause: EventID?
    /// The ids that the event names, such as users, workouts and comments.
    public var names: [String]
  }

  /// An event that changed something under the path, with its changes.
  public struct Step: Equatable, Sendable {
    /// The event that caused the changes.
    public var event: Cause
    /// The changes of single values, sorted by path.
    public var values: [Change]
    /// The changes of lists.
    public var lists: [ListChange]
  }

  /// The change of a list: the items added and removed.
  public struct ListChange: Equatable, Sendable {
    /// The list's path.
    public var path: String
    /// The names of the items added.
    public var added: [String]
    /// The names of the items removed.
    public var removed: [String]
    /// The number of items in the list after the event.
    public var count: Int
  }

  /// Replays the relevant events and records the changes by each event after a position.
  /// - Parameter state: The state before any event; afterwards the state after the last event.
  init(
    of path: StatePath, _ relevant: RelevantEvents, after position: UInt64 = 0,
    _ state: inout PathState
  ) {
    self.path = path
    var observer = Observer(path)
    var isLooking = position == 0
    for known in relevant.events {
      if !isLooking, known.moment.seq > position {
        isLooking = true
        _ = observer.look(at: state, after: nil, relevant.names)
      }
      state.apply(known.event, at: known.moment)
      guard isLooking else { continue }
      let (values, lists) = observer.look(at: state, after: known.event, relevant.names)
      let cause = Cause(known, relevant.names)
      if values.isEmpty && lists.isEmpty {
        idle.append(cause)
      } else {
        steps.append(Step(event: cause, values: values, lists: lists))
      }
    }
  }
}

extension Timeline.Cause {
  init(_ known: KnownEvent, _ names: Names) {
    let ids = known.event.ids
    self.init(
      seq: known.moment.seq, time: known.moment.time, type: known.event.type,
      actor: names[known.actor], id: known.id, cause: known.cause,
      names: IDKind.allCases.flatMap { kind in
        ids.filter { $0.kind == kind }.map { names[$0] }
      })
  }
}

/// The state after the previous event, with which the state after each event is compared.
private struct Observer {
  private let path: StatePath
  private let text: String
  private var values: [String: JSONValue] = [:]
  private var lists: [String: [UInt64]] = [:]
  private var users: [String: Set<UInt64>] = [:]
  /// The positions of notifications that are in a list but not shown. `texts` has the texts of the
  /// notifications that were shown, by position.
  private var hidden: Set<UInt64> = []
  private var texts: [UInt64: String] = [:]

  init(_ path: StatePath) {
    self.path = path
    text = path.text
  }

  mutating func look(
    at state: PathState, after event: Event?, _ names: Names
  ) -> (values: [Change], lists: [Timeline.ListChange]) {
    var changes: [Change] = []
    let found = state.values(after: event, names)
    let (facts, isWhole) = (found.facts, found.isWhole)
    for fact in facts where values[fact.path] != fact.value {
      let before = values.updateValue(fact.value, forKey: fact.path)
      changes.append(Change(fact.path, before: before, after: fact.value))
    }
    if isWhole, values.count > facts.count {
      let there = Set(facts.map { $0.path })
      for path in values.keys.filter({ !there.contains($0) }) { remove(path, &changes) }
    } else if !isWhole, let event {
      // If only some values were returned, a value can have disappeared only for the event's users.
      for other in event.users {
        let path = "\(text)/\(pathWord(names[other]))"
        if !facts.contains(where: { $0.path == path }) { remove(path, &changes) }
      }
    }
    if path.members.last == "count" { return (changes, []) }
    let lists = state.lists(names).filter { isUnder($0.path) }
    changes = changes.filter { isUnder($0.path) }
    if changes.count > 1 { changes.sort { $0.path < $1.path } }
    return (changes, lists.compactMap { look(at: $0, after: event) })
  }

  /// Returns the same as `path.contains`, but faster if the two paths are equal.
  private func isUnder(_ other: String) -> Bool { other == text || path.contains(other) }

  private mutating func remove(_ path: String, _ changes: inout [Change]) {
    guard let before = values.removeValue(forKey: path) else { return }
    changes.append(Change(path, before: before, after: nil))
  }

  private mutating func look(
    at items: StateList, after event: Event?
  ) -> Timeline.ListChange? {
    var (added, removed) =
      items.has == nil
      ? lists[items.path, default: []].follow(
        items, mayReorder: event == nil || items.mayReorder && event?.type == .workoutEdited)
      : users[items.path, default: []].follow(items, after: event)
    if items.isOfSentences {
      for key in added { texts[key] = items.name(key) }
      removed = removed.filter { hidden.remove($0) == nil }
      // Notifications caused by a deleted account stay in the list but are hidden.
      if event == nil || event?.type == .accountDeleted {
        let gone = items.hidden().filter { hidden.insert($0).inserted }
        added.removeAll { gone.contains($0) }
        removed += gone
      }
    }
    if added.isEmpty && removed.isEmpty { return nil }
    func name(_ key: UInt64) -> String { texts[key] ?? items.name(key) }
    return Timeline.ListChange(
      path: items.path, added: added.map(name), removed: removed.map(name),
      count: items.count - hidden.count)
  }
}

extension Set<UInt64> {
  /// Updates this set to the keys of the list's users. Returns the keys added and removed. Checks
  /// only the users in the event, or all users if the counts still differ after that.
  fileprivate mutating func follow(
    _ items: StateList, after event: Event?
  ) -> (added: [UInt64], removed: [UInt64]) {
    var (added, removed): ([UInt64], [UInt64]) = ([], [])
    for user in event?.users ?? [] {
      let key = UInt64(user.index)
      if items.has?(user) == true {
        if insert(key).inserted { added.append(key) }
      } else if remove(key) != nil {
        removed.append(key)
      }
    }
    if count == items.count { return (added, removed) }
    let new = Set((0..<items.count).map(items.key))
    added += new.subtracting(self)
    removed += subtracting(new)
    self = new
    return (added, removed)
  }
}

extension [UInt64] {
  /// Updates this array to the keys of a list. Returns the keys added and removed.
  ///
  /// One event adds at most one key, at the end, and removes at most one; or it removes many keys.
  /// A single change is found by bisection.
  fileprivate mutating func follow(
    _ items: StateList, mayReorder: Bool
  ) -> (added: [UInt64], removed: [UInt64]) {
    let old = count
    func firstDifference() -> Int {
      (0..<Swift.min(old, items.count)).lowerBound { self[$0] == items.key($0) }
    }
    switch items.count - old {
    case 1 where !mayReorder:
      let at = firstDifference()
      insert(items.key(at), at: at)
      return ([self[at]], [])
    case -1 where !mayReorder:
      return ([], [remove(at: firstDifference())])
    case 0 where !mayReorder:
      guard old > 0, last != items.key(old - 1) else { return ([], []) }
      let removed = remove(at: firstDifference())
      append(items.key(old - 1))
      return ([self[old - 1]], [removed])
    default:
      let new = (0..<items.count).map(items.key)
      let (before, after) = (Set(self), Set(new))
      defer { self = new }
      return (new.filter { !before.contains($0) }, filter { !after.contains($0) })
    }
  }
}

extension Timeline {
  /// A value in the current state, or an item of a list, with the event that last set it.
  public struct Blame: Equatable, Sendable {
    /// The path of the value or of the list.
    public var path: String
    /// The list item; nil if the value is not in a list.
    public var item: String?
    /// The current value; for a list item, the item.
    public var value: JSONValue
    /// The event that last set the value or added the item.
    public var event: Cause
  }

  /// Returns each value and list item after the last step, with the event that last set it, like
  /// `git blame`. Values are sorted by path, and a list's items are newest first.
  /// - Complexity: O(changes · log changes).
  public func blame() -> [Blame] {
    var values: [String: Blame] = [:]
    var lists: [String: [String: (number: Int, event: Cause)]] = [:]
    for (number, step) in steps.enumerated() {
      for change in step.values {
        values[change.path] = change.after.map {
          Blame(path: change.path, item: nil, value: $0, event: step.event)
        }
      }
      for change in step.lists {
        for item in change.removed { lists[change.path]?[item] = nil }
        for item in change.added { lists[change.path, default: [:]][item] = (number, step.event) }
      }
    }
    let items = lists.mapValues { $0.sorted { $0.value.number > $1.value.number } }
    return (Array(values.keys) + Array(items.keys)).sorted().flatMap { path in
      values[path].map { [$0] }
        ?? items[path, default: []].map {
          Blame(path: path, item: $0.key, value: .string($0.key), event: $0.value.event)
        }
    }
  }
}

/// The projections that have the values at one path, after the relevant events of that path.
struct PathState {
  private var path: StatePath
  private var text: String
  private var views: Boxed<Views>
  /// By projection, in the order of `Views.forEach`: whether the projection has the path's kind.
  private let isAsked: [Bool]

  init(_ path: StatePath, _ catalogue: Catalogue) {
    (self.path, text) = (path, path.text)
    let views = catalogue.views()
    self.views = Boxed(views)
    struct Visitor: ProjectionVisitor {
      let kind: StatePath.Kind
      var isAsked: [Bool] = []
      mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
        isAsked.append(P.kinds.contains(kind))
      }
    }
    isAsked = views.looked(Visitor(kind: path.kind)).isAsked
  }

  init(_ path: StatePath, _ catalogue: Catalogue, _ events: some Sequence<KnownEvent>) {
    self.init(path, catalogue)
    apply(events)
  }

  mutating func apply(_ events: some Sequence<KnownEvent>) {
    for known in events { apply(known.event, at: known.moment) }
  }

  mutating func apply(_ event: Event, at moment: Moment) {
    var asked = Asked(visitor: Applying(event: event, moment: moment), isAsked: isAsked)
    views.value.forEach(&asked)
  }

  /// A visitor that visits only the projections that have the path's kind.
  private struct Asked<V: ProjectionVisitor>: ProjectionVisitor {
    var visitor: V
    let isAsked: [Bool]
    var number = 0
    mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
      if isAsked[number] { visitor.visit(&projection) }
      number += 1
    }
  }

  private func asked<V: ProjectionVisitor>(_ visitor: V) -> V {
    views.value.looked(Asked(visitor: visitor, isAsked: isAsked)).visitor
  }

  /// Replaces the path by another one of the same kind.
  mutating func look(at path: StatePath) { (self.path, text) = (path, path.text) }
}

extension PathState {
  /// Returns the values under the path, without lists.
  func values(after event: Event?, _ names: Names) -> Values {
    if path.members.last == "count", !path.kind.countsEmptyLists {
      let list = lists(names).first { $0.path + ".count" == text }
      return Values(list.map { [Fact(text, .int($0.count - $0.hidden().count))] } ?? [])
    }
    struct Visitor: ProjectionVisitor {
      let (path, event, names): (StatePath, Event?, Names)
      var found = Values()
      mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
        let values = projection.values(under: path, after: event, names)
        found.facts += values.facts
        found.isWhole = found.isWhole && values.isWhole
      }
    }
    return asked(Visitor(path: path, event: event, names: names)).found
  }

  func lists(_ names: Names) -> [StateList] {
    struct Visitor: ProjectionVisitor {
      let (path, names): (StatePath, Names)
      var found: [StateList] = []
      mutating func visit<P: ExplainedProjection>(_ projection: inout P) {
        found += projection.lists(under: path, names)
      }
    }
    return asked(Visitor(path: path, names: names)).found
  }

  /// Returns all facts under the path, sorted by path.
  func facts(_ names: Names) -> [Fact] {
    let facts = values(after: nil, names).facts + lists(names).compactMap { $0.fact }
    return facts.filter { path.contains($0.path) }.sorted { $0.path < $1.path }
  }

  /// Returns the value at exactly this path; nil if there is none.
  func value(_ names: Names) -> JSONValue? {
    let found = values(after: nil, names).facts.first { $0.path == text }
    return (found ?? facts(names).first { $0.path == text })?.value
  }
}

extension StateList {
  /// The list as a fact; nil for an empty list.
  var fact: Fact? {
    let hidden = Set(hidden())
    let items = (0..<count).lazy.map(key).filter { !hidden.contains($0) }.map(name)
    return Fact(path, list: isNewestFirst ? items.reversed() : Array(items))
  }
}
