import Aggregates
import Events

/// A check of a whole history against the domain's rules and the projections' invariants.
///
/// ```swift
/// let check = try Check(view)
/// check.findings.count  // 0: the rules allow every event of the demo
/// check.groups.count    // 0: by type of event and reason, the most frequent first
/// check.brokenInvariant == nil  // true
/// ```
/// A broken invariant is a bug in the projections' code, not a fault of the log. Examples of
/// invariants: counts equal the number of edges; friendship is mutual; if users claim a handle, one
/// of them has it.
///
/// The check tests the invariants after every event of a log with at most 2,000 events. In a longer
/// log it tests them after each of 8 parts. If an invariant is broken, a bisection finds the first
/// event after which it is broken. A forbidden event is applied like any other, because it
/// happened.
/// - Complexity: reads the log once, and applies it to the deciders and all projections. Each test
///   of the invariants is O(state). Memory does not grow with the number of forbidden events.
public struct Check: Sendable {
  /// A broken invariant and the first event after which it is broken.
  public struct Broken: Equatable, Sendable {
    /// The position of the first event after which the invariant is broken.
    public var seq: UInt64
    /// The broken invariant, in words.
    public var invariant: String
  }

  /// The forbidden events of one type with the same reason.
  public struct Group: Equatable, Sendable {
    /// The number of events in the group.
    public var count: Int
    /// The finding about the group's first event in the log.
    public var first: Audit.Finding
    /// The time of the group's first event.
    public var time: Timestamp
    /// The actor of the group's first event.
    public var actor: String
  }

  /// The maximum number of findings in `findings`: 1,000. The parameter `found` of `init` receives
  /// all findings.
  public static let kept = 1_000

  /// The findings about the first 1,000 forbidden events, in log order.
  public private(set) var findings: [Audit.Finding] = []
  /// The number of events that the domain forbids.
  public private(set) var forbidden = 0
  /// All forbidden events, grouped by type and code. The largest group is first; groups of equal
  /// size are in the order of their first events.
  public private(set) var groups: [Group] = []
  /// The first broken invariant that the check found; nil if all invariants hold.
  public private(set) var brokenInvariant: Broken?
  /// The number of checked events.
  public private(set) var count = 0

  /// The index of each type and code in `groups`.
  private var places: [Place: Int] = [:]
  /// The actor of the first event of each group, while the log is read.
  private var actors: [EventActor] = []

  private struct Place: Hashable {
    var type: EventType
    var code: String
  }

  /// The maximum number of events in a log whose invariants are tested after each event.
  private static let few: UInt64 = 2_000

  /// Checks each event of a history by the rules in force when it was appended.
  ///
  /// Calls `found` with each forbidden event as soon as it is found.
  /// - Throws: read errors of the log.
  public init(
    _ history: some History, by rules: RuleHistory = RuleHistory(unrecorded: .climb),
    until limit: UInt64 = .max, unknown: ChunkConsumer.UnknownPolicy = .stop,
    progress: (UInt64) -> Void = { _ in },
    found: (Audit.Finding) -> Void = { _ in }
  ) throws(LogError) {
    let head = min(limit, try history.head().seq)
    // A longer log is read in 64 pieces, so that `progress` is called often enough.
    let (step, piecesOfPart) = head <= Self.few ? (1, 1) : ((head + 63) / 64, 8)
    var audit = Audit(rules)
    var (state, names) = (CoreState(), Names())
    var (position, tested, pieces) = (UInt64(0), UInt64(0), 0)
    while position < head {
      let next = min(head, position + step)
      try history.forEachEventOfCommits(after: position, until: next, &names, unknown: unknown) {
        event, actor, moment, endsCommit in
        count += 1
        // All events of a commit have the same actor and time, so this also fits a held finding.
        audit.apply(copy event, actor: actor, at: moment, endsCommit: endsCommit) { finding in
          note(finding, by: actor, at: moment.time)
          found(finding)
        }
        state.apply(event, at: moment)
      }
      (position, pieces) = (next, pieces + 1)
      progress(position)
      // A test reads the whole state: 64 tests took more than 70 s with five million events.
      guard brokenInvariant == nil, position == head || pieces % piecesOfPart == 0 else { continue }
      state.settle()
      if let invariant = state.brokenInvariant(names) {
        brokenInvariant = try Self.first(
          Broken(seq: position, invariant: invariant), after: tested, history, unknown)
      }
      tested = position
    }
    try noteOtherCases(history, until: head, &names, unknown, found: found)
    // The closure above cannot look up the actors' names, because the reader changes `names`.
    for (index, actor) in actors.enumerated() { groups[index].actor = names[actor] }
    groups.sort { ($1.count, $0.first.seq) < ($0.count, $1.first.seq) }
  }

  private mutating func note(_ finding: Audit.Finding, by actor: EventActor, at time: Timestamp) {
    forbidden += 1
    if findings.count < Self.kept { findings.append(finding) }
    let place = Place(type: finding.type, code: finding.code)
    if let known = places[place] {
      groups[known].count += 1
    } else {
      places[place] = groups.count
      groups.append(Group(count: 1, first: finding, time: time, actor: ""))
      actors.append(actor)
    }
  }

  /// Reports each user whose UUID is in the log in both letter cases, at the first event with the
  /// later spelling.
  private mutating func noteOtherCases(
    _ history: some History, until head: UInt64, _ names: inout Names,
    _ unknown: ChunkConsumer.UnknownPolicy, found: (Audit.Finding) -> Void
  ) throws(LogError) {
    var users = names.usersInTwoCases
    if users.isEmpty { return }
    try history.forEachTypedEvent(until: head, &names, unknown: unknown) { event, actor, moment in
      let event = copy event
      let named = (event.users + [actor.id]).filter(users.contains)
      if named.isEmpty { return }
      users.subtract(named)
      let finding = Audit.Finding(seq: moment.seq, type: event.type, reason: .otherCase)
      note(finding, by: actor, at: moment.time)
      found(finding)
    }
    findings.sort { $0.seq < $1.seq }
  }

  /// Returns the first broken invariant after `position`, found by bisection. `broken` is a later
  /// broken invariant that is already known.
  private static func first(
    _ broken: Broken, after position: UInt64, _ history: some History,
    _ unknown: ChunkConsumer.UnknownPolicy
  ) throws(LogError) -> Broken {
    var (low, broken) = (position, broken)
    while broken.seq - low > 1 {
      let middle = low + (broken.seq - low) / 2
      var (state, names) = (CoreState(), Names())
      try history.forEachTypedEvent(until: middle, &names, unknown: unknown) { event, _, moment in
        state.apply(event, at: moment)
      }
      state.settle()
      if let invariant = state.brokenInvariant(names) {
        broken = Broken(seq: middle, invariant: invariant)
      } else {
        low = middle
      }
    }
    return broken
  }
}
