import Events

/// The state of a store that `CommitPlan` needs to decide about a commit.
public protocol CommitIndex: ~Copyable {
  /// The last event's position, time and checksum; all are zero for an empty log.
  var head: LogHead { get }
  /// Returns a stream's last revision; 0 if there is no such stream.
  mutating func revision(of stream: String) throws(LogError) -> UInt64
  /// Returns the event with an id; nil if the log has none.
  mutating func find(_ id: EventID) throws(LogError) -> RecordedEvent?
  /// Returns the first use of a command's key `tail`; nil if no command used the key.
  mutating func use(of tail: UInt64) throws(LogError) -> KeyUse?
}

/// The decision about one commit. It is the same for every store.
///
/// A store that appends the events seals them in order, with `SealedLine(sealing:after:)`.
public enum CommitPlan {
  /// Append the events. They are complete except for their checksums, which are 0.
  case append([RecordedEvent])
  /// There is nothing to append, because the log already has the commit's events, or the commit has
  /// none.
  case done(Appended)
  /// The commit has no events. Record only the use of its command's key.
  case note(KeyUse)

  /// Decides about a commit, and gives its events their positions, revisions, times and ids.
  /// - Throws: `.conflict`, `.idTaken`, `.keyUsed`, `.timeGoesBack`, `.invalidEvent`; the errors of
  ///   `index`.
  /// - Complexity: O(events), and a lookup in the index for each stream and each given id.
  public static func make(
    _ commit: Commit, _ index: inout some CommitIndex & ~Copyable, _ environment: RuntimeEnvironment
  ) throws(LogError) -> CommitPlan {
    if let use = commit.use, let first = try index.use(of: use.tail) { throw .keyUsed(first) }
    if let done = try earlierTry(commit, &index) { return .done(done) }
    if let position = commit.position, position != index.head.seq {
      throw .conflict(
        Conflict(stream: nil, expected: .exact(position), actual: index.head.seq))
    }
    var found: (stream: String, revision: UInt64)?
    for expectation in commit.expecting {
      let actual = try index.revision(of: expectation.stream)
      found = (expectation.stream, actual)
      guard expectation.revision.allows(actual) else {
        throw .conflict(
          Conflict(stream: expectation.stream, expected: expectation.revision, actual: actual))
      }
    }
    if commit.events.isEmpty {
      return commit.use.map { .note($0) } ?? .done(Appended(first: 0, last: 0, isRepeat: false))
    }
    return .append(try recorded(commit.events, found, &index, environment))
  }

  /// - Parameter found: a stream whose last revision was already looked up.
  private static func recorded(
    _ events: [NewEvent], _ found: (stream: String, revision: UInt64)?,
    _ index: inout some CommitIndex & ~Copyable, _ environment: RuntimeEnvironment
  ) throws(LogError) -> [RecordedEvent] {
    let head = index.head
    var time = head.time
    var revisions: [String: UInt64] = [:]
    var result: [RecordedEvent] = []
    result.reserveCapacity(events.count)
    for (offset, event) in events.enumerated() {
      try check(event)
      if let given = event.time {
        guard given >= time || head.seq == 0 && offset == 0 else {
          throw .timeGoesBack(last: time, given: given)
        }
        time = given
      } else {
        time = min(max(time, environment.now()), .latest)
      }
      let revision: UInt64
      if events.count == 1 {
        let before =
          if let found, found.stream == event.stream { found.revision } else {
            try index.revision(of: event.stream)
          }
        revision = before + 1
      } else {
        let before =
          if let known = revisions[event.stream] { known } else {
            try index.revision(of: event.stream)
          }
        revision = before + 1
        revisions[event.stream] = revision
      }
      result.append(
        RecordedEvent(
          seq: head.seq + UInt64(offset) + 1, time: time, type: event.type,
          version: event.version, stream: event.stream, rev: revision, actor: event.actor,
          id: event.id ?? EventID(time: time, random: environment.random()),
          cause: event.cause,
          batch: events.count > 1 ? Batch(index: offset + 1, count: events.count) : nil,
          data: event.data, extra: event.extra, correlation: event.correlation, sum: 0))
    }
    return result
  }

  private static func check(_ event: NewEvent) throws(LogError) {
    guard isValidID(event.actor) else {
      throw .invalidEvent(LineFault(.wrongType(expected: "a user id"), path: "actor"))
    }
    guard LineParser.isValidStream(event.stream) else {
      throw .invalidEvent(
        LineFault(.wrongType(expected: "a stream such as follow/alice/bob"), path: "stream"))
    }
    // A line's envelope without the type's name takes less than 1 KiB. A control character in the
    // name takes six bytes. The name is counted only if the line may be too long.
    let most = LineParser.longestLine - event.data.count - event.extra.count - 1_024
    guard
      event.type.utf8.count <= most / 6
        || event.type.utf8.reduce(0, { $0 + ($1 < 0x20 ? 6 : 2) }) <= most
    else {
      throw .invalidEvent(LineFault(.tooLong(limit: LineParser.longestLine)))
    }
    if let time = event.time, !(Timestamp.earliest...Timestamp.latest).contains(time) {
      throw .invalidEvent(LineFault(.outOfRange("years 0000 to 9999"), path: "time"))
    }
  }

  /// Returns the positions of the commit's events if the log already has all of them. Returns nil
  /// if the log has none of their ids.
  /// - Throws: `.idTaken` if the log has only some of the ids, has them with other contents, or not
  ///   one after the other; `.invalidEvent` if two events of the commit have the same id.
  private static func earlierTry(
    _ commit: Commit, _ index: inout some CommitIndex & ~Copyable
  ) throws(LogError) -> Appended? {
    var found: [RecordedEvent] = []
    if commit.events.count > 1 {
      let ids = commit.events.compactMap(\.id)
      if Set(ids).count < ids.count { throw .invalidEvent(LineFault(.duplicateID, path: "id")) }
    }
    // Accesses events by index, because copying each would take a twentieth of an import's time.
    for number in commit.events.indices {
      guard let id = commit.events[number].id, let old = try index.find(id) else { continue }
      let event = commit.events[number]
      guard old.type == event.type, old.stream == event.stream, old.actor == event.actor,
        old.cause == event.cause, old.extra == event.extra,
        old.version == event.version && old.data == event.data
          || old.version == 1 && event.mayRepeatVersion1
      else { throw .idTaken(id, seq: old.seq) }
      found.append(old)
    }
    guard let first = found.first, let last = found.last else { return nil }
    let inOrder = zip(found, found.dropFirst()).allSatisfy { $1.seq == $0.seq + 1 }
    guard found.count == commit.events.count, inOrder else {
      throw .idTaken(first.id, seq: first.seq)
    }
    return Appended(first: first.seq, last: last.seq, isRepeat: true)
  }
}
