import Aggregates
import EventLog
import Events

/// A search for a small part of a history that still meets a condition, such as causing a failure.
/// Use it for bug reports.
///
/// ```swift
/// var search = try HistoryShrinker(view)
/// try await search.shrink { stillFails($0) }
/// search.smallest.commits   // to append to a log of its own
/// ```
/// By default the search tries only parts that could have happened. In such a part, the domain's
/// rules forbid an event only if they also forbid it in the whole history, for the same reason. If
/// a part lacks the event that created an account, a workout or a comment, the search also omits
/// every event that names that entity.
/// - Complexity: all events of the log are in memory. Each try checks the remaining part once. For
///   each event in the result, the number of tries is about the logarithm of the history's length.
///   If at most 200 events remain, there are also about as many tries as the square of each
///   stream's number of events.
public struct HistoryShrinker: Sendable {
  private struct Entry: Sendable {
    /// The decoded event; nil for an event of an app's own type.
    var event: Event?
    var actor: EventActor
    var moment: Moment
    var line: NewEvent
    /// The position of the first event of this event's commit.
    var commit: UInt64
    /// The entities that the event names.
    var names: Set<AnyID>
    /// The entity that the event creates; nil if it creates none.
    var creates: AnyID?
    /// The reason why the domain forbids the event in the whole history; nil if it is allowed.
    var finding: Audit.Finding.Reason?
  }

  /// A part of the history: some of its events, in log order.
  public struct Part: Sendable {
    /// The positions that the part's events have in the whole history.
    public var seqs: [UInt64]
    /// The part's events, grouped into commits as in the whole history.
    public var commits: [Commit]
    /// The number of the part's events.
    public var count: Int { seqs.count }

    /// The part without events. If it meets the condition, no event is needed for the failure.
    public static let empty = Part(seqs: [], commits: [])
  }

  private let entries: [Entry]
  private let rules: Rules
  private let isPossible: Bool
  /// The remaining events, as indices into `entries`.
  private var rest: [Int]
  /// The hashes of the parts that the search has tried.
  private var tried: Set<Int> = []

  /// Reads all events of a history.
  ///
  /// If `any` is true, the search also tries parts that the domain would have refused. `unknown`
  /// says whether an event of an unknown type is an error or is omitted. The search treats an app's
  /// own events like others. Calls `progress` now and then with the number of bytes read.
  /// - Throws: read errors of the log.
  public init(
    _ history: some History, rules: Rules = .climb, any: Bool = false,
    unknown: ChunkConsumer.UnknownPolicy = .stop, progress: (Int) -> Void = { _ in }
  ) throws(LogError) {
    var (names, typed) = (Names(), [UInt64: (Event?, Audit.Finding.Reason?)]())
    var audit = Audit(rules: rules)
    try history.forEachEventOfCommits(&names, unknown: unknown, progress: progress) {
      event, actor, moment, endsCommit in
      typed[moment.seq] = (copy event, nil)
      audit.apply(copy event, actor: actor, at: moment, endsCommit: endsCommit) {
        typed[$0.seq]?.1 = $0.reason
      }
    }
    var found: [Entry] = []
    try history.forEachEvent { recorded in
      guard typed[recorded.seq] != nil || UnknownType.isOfApp(recorded.type),
        let actor = try? names.user(recorded.actor)
      else { return true }
      let (event, finding) = typed[recorded.seq] ?? (nil, nil)
      found.append(
        Entry(
          event: event, actor: names.actor(actor),
          moment: Moment(seq: recorded.seq, time: recorded.time),
          line: NewEvent(recorded),
          commit: recorded.batch.map { recorded.seq + 1 - UInt64($0.index) } ?? recorded.seq,
          names: Set((event?.ids ?? []) + [AnyID(actor)]), creates: event.flatMap(Self.creation),
          finding: finding))
      return true
    }
    entries = found
    rest = Array(found.indices)
    self.rules = rules
    isPossible = !any
  }

  private static func creation(of event: Event) -> AnyID? {
    switch event {
    case .profile(.created(let data)): AnyID(data.user)
    case .workout(.shared(let data)): AnyID(data.workout)
    case .comment(.posted(let data)): AnyID(data.comment)
    case .group(.created(let data)): AnyID(data.group)
    case .conversation(.sent(let data)): AnyID(data.message)
    case .report(.reported(let data)): AnyID(data.report)
    default: nil
    }
  }

  /// The number of events in the whole history.
  public var count: Int { entries.count }

  /// The smallest part found so far; before `shrink`, the whole history.
  public var smallest: Part { part(rest) }

  private func part(_ places: [Int]) -> Part {
    var part = Part(seqs: places.map { entries[$0].moment.seq }, commits: [])
    var commit: UInt64?
    for place in places {
      let entry = entries[place]
      if entry.commit == commit {
        part.commits[part.commits.count - 1].events.append(entry.line)
      } else {
        part.commits.append(Commit([entry.line]))
      }
      commit = entry.commit
    }
    return part
  }

  /// Searches for a small part that meets a condition. The whole history must meet the condition.
  ///
  /// No single event of the result can be omitted. If the result has at most 200 events, no
  /// consecutive events of one stream can be omitted either. A smaller part may still exist.
  /// - Parameter holds: returns whether a part meets the condition. If it throws, the search ends,
  ///   and `smallest` keeps its value.
  public mutating func shrink<E: Error>(
    while holds: (Part) async throws(E) -> Bool
  ) async throws(E) {
    var before: Int
    repeat {
      before = rest.count
      try await cutEnd(holds)
      // Tries to remove all events of an actor first, because that succeeds far more often.
      try await remove(holds) { places, entries in
        var users: [UserID: [Int]] = [:]
        for place in places { users[entries[place].actor.id, default: []].append(place) }
        return users.values.sorted { $0[0] > $1[0] }
      }
      try await remove(holds) { places, _ in places.reversed().map { [$0] } }
      if rest.count == before, rest.count <= 200 { try await removeRuns(holds) }
    } while rest.count < before
  }

  /// Removes as many events from the end as possible, by bisection. Assumes that if many can be
  /// removed, fewer can too.
  private mutating func cutEnd<E: Error>(
    _ holds: (Part) async throws(E) -> Bool
  ) async throws(E) {
    let whole = rest
    var (low, high) = (0, whole.count)
    while low < high {
      let middle = (low + high) / 2
      if try await attempt(Array(whole[..<middle]), holds) {
        high = middle
      } else {
        low = middle + 1
      }
    }
  }

  /// Tries to remove groups of events: first half of all groups at once, then half as many, down to
  /// single groups.
  private mutating func remove<E: Error>(
    _ holds: (Part) async throws(E) -> Bool, _ groups: ([Int], [Entry]) -> [[Int]]
  ) async throws(E) {
    var size = max(1, groups(rest, entries).count / 2)
    while true {
      let all = groups(rest, entries)
      var start = 0
      while start < all.count {
        let gone = Set(all[start..<min(start + size, all.count)].joined())
        _ = try await attempt(rest.filter { !gone.contains($0) }, holds)
        start += size
      }
      if size == 1 { return }
      size /= 2
    }
  }

  /// Tries to remove consecutive events of one stream, such as a friendship's beginning and its
  /// end.
  private mutating func removeRuns<E: Error>(
    _ holds: (Part) async throws(E) -> Bool
  ) async throws(E) {
    let streams = Dictionary(grouping: rest) { entries[$0].line.stream }
    for places in streams.values.sorted(by: { $0[0] > $1[0] }) where places.count > 1 {
      for count in (2...places.count).reversed() {
        for start in 0...(places.count - count) {
          let gone = Set(places[start..<start + count])
          _ = try await attempt(rest.filter { !gone.contains($0) }, holds)
        }
      }
    }
  }

  /// Tries a part, without the events that `closed` leaves out. If the part meets the condition,
  /// makes it the smallest part and returns true.
  private mutating func attempt<E: Error>(
    _ places: [Int], _ holds: (Part) async throws(E) -> Bool
  ) async throws(E) -> Bool {
    let places = isPossible ? closed(places) : places
    guard places.count < rest.count, tried.insert(places.hashValue).inserted, isPossible(places),
      try await holds(part(places))
    else { return false }
    rest = places
    return true
  }

  /// Returns the part without the events that name an entity whose creating event is not in the
  /// part.
  private func closed(_ places: [Int]) -> [Int] {
    var gone: Set<AnyID> = []
    var (kept, next) = ([Int](), 0)
    for place in rest {
      let entry = entries[place]
      let stays = next < places.count && places[next] == place
      if stays { next += 1 }
      if stays, entry.finding != nil || gone.isDisjoint(with: entry.names) {
        kept.append(place)
      } else if let created = entry.creates, entry.finding == nil {
        gone.insert(created)
      }
    }
    return kept
  }

  private func isPossible(_ places: [Int]) -> Bool {
    if !isPossible { return true }
    var audit = Audit(rules: rules)
    var findings: [Audit.Finding] = []
    for (offset, place) in places.enumerated() {
      let entry = entries[place]
      let endsCommit =
        offset + 1 == places.count || entries[places[offset + 1]].commit != entry.commit
      if let event = entry.event {
        // Uses an event's index as its position, so that a finding's position is the index of its
        // entry.
        let moment = Moment(seq: UInt64(place), time: entry.moment.time)
        audit.apply(event, actor: entry.actor, at: moment, endsCommit: endsCommit) {
          findings.append($0)
        }
      } else if endsCommit {
        audit.endCommit { findings.append($0) }
      }
      if findings.isEmpty { continue }
      guard findings.allSatisfy({ $0.reason == entries[Int($0.seq)].finding }) else { return false }
      findings.removeAll()
    }
    return true
  }
}
