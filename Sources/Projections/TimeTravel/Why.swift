import Events

/// The events that led to the current value at a path.
///
/// ```swift
/// let why = try await travel.why(StatePath("followers/alice.count"))
/// why.value  // .int(8)
/// why.reasons.count { $0.role == .counts }  // 8
/// ```
public struct Why: Equatable, Sendable {
  /// The relation of an event to the current value.
  public enum Role: String, CaseIterable, Sendable {
    /// The event set the value, or added the item that is counted.
    case counts
    /// The event set something that a later event undid or replaced.
    case undone
    /// The event undid or replaced something, and set nothing that still holds.
    case undoes
    /// The event set nothing itself, but without it other events would have another effect.
    case condition
    /// The event had no effect, like a repetition. The value would be the same without it.
    case nothing
  }

  /// An event with its relation to the current value.
  public struct Reason: Equatable, Sendable {
    /// The relation of the event to the current value.
    public var role: Role
    /// The event: its position, time, type and actor, and the ids that it names.
    public var event: Timeline.Cause
    /// The change by the event, such as `+bob` or `bio: old → new`.
    public var what: String
    /// The position of the event that undid this event's change; nil if none did.
    public var undoneBy: UInt64?
    /// The position of the event that led to this one; nil if there is none, or if it is not among
    /// the reasons. `event.cause` has the id of the event that led to this one.
    public var causedBy: UInt64?
  }

  /// The path of the value.
  public var path: StatePath
  /// The current value; nil if there is none.
  public var value: JSONValue?
  /// The events that led to the value, in log order.
  public var reasons: [Reason]
}

extension Change {
  /// The change as `before → after`, with `none` for a missing value.
  public var words: String { "\(before?.words ?? "none") → \(after?.words ?? "none")" }
}

extension Timeline.ListChange {
  /// The change as `+bob −carol`.
  public var words: String {
    if removed.isEmpty, added.count == 1 { return "+" + added[0] }
    return (added.map { "+" + $0 } + removed.map { "−" + $0 }).joined(separator: " ")
  }
}

extension TravelIndex {
  /// Returns every event that contributes to the value of a path at a position, with its effect.
  /// The path must mean a single value (its `type` is not nil).
  public func why(_ path: StatePath, at position: UInt64 = .max) throws(LogError) -> Why {
    let relevant = try relevant(path, until: position)
    // The items of a list explain its count.
    let isCount = path.members.last == "count"
    let whole = StatePath(
      kind: path.kind, ids: path.ids, members: isCount ? path.members.dropLast() : path.members)
    var state = PathState(whole, catalogue)
    let timeline = Timeline(of: whole, relevant, &state)
    state.look(at: path)
    var why = Why(path: path, value: state.value(relevant.names), reasons: [])
    let listPath = path.type == .list || isCount ? whole.text : nil
    var reasons: [Why.Reason] = []
    var setBy: [String: Int] = [:]
    func undo(_ item: String, by seq: UInt64) {
      guard let before = setBy.removeValue(forKey: item) else { return }
      reasons[before].role = .undone
      reasons[before].undoneBy = seq
    }
    for step in timeline.steps {
      let (number, seq) = (reasons.count, step.event.seq)
      let lists = step.lists.filter { $0.path == listPath }
      let values = listPath == nil ? step.values : []
      let what = lists.map { $0.words } + values.map { $0.words }
      let isNeither = lists.isEmpty && values.isEmpty
      reasons.append(
        Why.Reason(
          role: isNeither ? .condition : .undoes, event: step.event,
          what: what.joined(separator: " ")))
      for change in lists {
        for item in change.removed { undo(item, by: seq) }
        for item in change.added {
          setBy[item] = number
          reasons[number].role = .counts
        }
      }
      for change in values {
        undo(change.path, by: seq)
        if change.after == nil { continue }
        setBy[change.path] = number
        reasons[number].role = .counts
      }
    }
    let idle = relevant.idle(timeline, path, catalogue)
    reasons += idle.map { Why.Reason(role: $0.role, event: $0.event, what: "") }
    if !idle.isEmpty { reasons.sort { $0.event.seq < $1.event.seq } }
    if relevant.events.contains(where: { $0.cause != nil }) {
      let positions = Dictionary(firstOf: relevant.events.lazy.map { ($0.id, $0.moment.seq) })
      for index in reasons.indices {
        reasons[index].causedBy = reasons[index].event.cause.flatMap { positions[$0] }
      }
    }
    why.reasons = reasons
    return why
  }
}

extension RelevantEvents {
  /// Returns the value at a path after the relevant events, except the event at `seq`.
  private func value(
    of path: StatePath, _ catalogue: Catalogue, without seq: UInt64? = nil
  ) -> JSONValue? {
    PathState(path, catalogue, events.lazy.filter { $0.moment.seq != seq }).value(names)
  }

  /// The most events that `idle` replays. It replays them without one event, to learn whether the
  /// present value depends on that event.
  private static let budget = 3_000_000

  /// Returns the idle events: relevant events that did not change the value when they came. Each
  /// has its role for the present value.
  fileprivate func idle(
    _ timeline: Timeline, _ path: StatePath, _ catalogue: Catalogue
  ) -> [(event: Timeline.Cause, role: Why.Role)] {
    var plain: [(event: Timeline.Cause, role: Why.Role)] = []
    var unclear: [Timeline.Cause] = []
    let (hiding, hidden) = pairs(path.kind.hiding)
    for event in timeline.idle {
      let pair = Set(event.names)
      // A block that hides nothing is not a reason for the value.
      if path.kind.hiding.contains(event.type), !hidden.contains(pair) { continue }
      if path.kind.visible.contains(event.type), !hiding.contains(pair) {
        plain.append((event, .nothing))
      } else {
        unclear.append(event)
      }
    }
    if unclear.contains(where: { $0.type == .accountDeleted }) {
      let last = lastTurns(path)
      unclear.removeAll { event in
        event.type == .accountDeleted
          && event.names.allSatisfy { names.find(user: $0).map { last[$0] } == event.seq }
      }
    }
    guard !unclear.isEmpty else { return plain }
    guard unclear.count * events.count <= Self.budget else {
      return plain + unclear.map { ($0, .condition) }
    }
    let value = value(of: path, catalogue)
    let tried = unclear.map { event -> (event: Timeline.Cause, role: Why.Role) in
      (event, self.value(of: path, catalogue, without: event.seq) == value ? .nothing : .condition)
    }
    // An event that does not set the path's field is not a repetition, so it is no reason.
    let relevant = Set(events.filter { Self.sets(path, $0.event, names) }.map { $0.moment.seq })
    return plain + tried.filter { $0.role == .condition || relevant.contains($0.event.seq) }
  }

  /// Returns the pairs of users named by events of these types (`hiding`), and the pairs named by
  /// all other events (`hidden`).
  private func pairs(_ types: EventTypes) -> (hiding: Set<Set<String>>, hidden: Set<Set<String>>) {
    if types == [] { return ([], []) }
    var (hiding, hidden): (Set<Set<String>>, Set<Set<String>>) = ([], [])
    for event in events.lazy.map({ $0.event }) {
      let pair = Set(event.users.map { names[$0] })
      if types.contains(event.type) { hiding.insert(pair) } else { hidden.insert(pair) }
    }
    return (hiding, hidden)
  }

  /// Returns, for each user, the position of the last relevant event that the deletion of the
  /// user's account can affect.
  ///
  /// Such an event names the user, or a workout, comment or group of the user, or a comment on one
  /// of the user's workouts. A deletion at that position that changed nothing has no later effect
  /// either, so `idle` leaves it out. For the path of a handle, returns the position of the last
  /// relevant event for every user, because any later event may give the handle to another user.
  private func lastTurns(_ path: StatePath) -> [UserID: UInt64] {
    // The owners of workouts, comments and groups, and the workouts of comments.
    var owners: [AnyID: Set<UserID>] = [:]
    var places: [AnyID: Set<AnyID>] = [:]
    for known in events {
      switch known.event {
      case .workout(.shared(let data)):
        owners[AnyID(data.workout), default: []].insert(data.owner)
      case .group(.created(let data)): owners[AnyID(data.group), default: []].insert(data.owner)
      case .group(.transferred(let data)):
        owners[AnyID(data.group), default: []].insert(data.owner)
      case .comment(.posted(let data)):
        owners[AnyID(data.comment), default: []].insert(data.user)
        places[AnyID(data.comment), default: []].insert(AnyID(data.workout))
      default: break
      }
    }
    var last: [UserID: UInt64] = [:]
    for known in events {
      let (ids, seq) = (known.event.ids, known.moment.seq)
      for user in ids.only(UserID.self) { last[user] = seq }
      for id in ids + ids.flatMap({ places[$0] ?? [] }) {
        for user in owners[id] ?? [] { last[user] = seq }
      }
    }
    guard path.kind == .handle, let end = events.last?.moment.seq else { return last }
    return last.mapValues { _ in end }
  }

  /// Returns whether an event sets the field that a path names.
  private static func sets(_ path: StatePath, _ event: Event, _ names: Names) -> Bool {
    // A value without fields is set by every event that can affect it, except hiding ones.
    guard let word = path.members.first, path.kind.root == nil else {
      return !path.kind.hiding.contains(event.type)
    }
    let member =
      path.kind.members[word]
      ?? path.kind.members.first { $0.key.hasPrefix(word + ".") }?.value
    if let types = member?.setBy { return types.contains(event.type) }
    return (try? JSONValue(object: event.data(names)))?[word] != nil
  }
}
