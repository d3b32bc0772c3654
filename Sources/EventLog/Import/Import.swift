import Events
import Synchronization

/// An import of events into a log: it reads foreign lines, seals them and appends them.
///
/// It keeps ids, times, causes and batches. It skips an event whose id the log already has. If a
/// file, or a longer version of it, is imported again, only the new events are added.
public struct Import: ~Copyable {
  /// The maximum number of commits in one write: one or two megabytes, so that syncs are rare.
  static let groupSize = 8_192
  /// The maximum number of bytes in one write, for long lines.
  private static let groupBytes = 8 << 20

  /// The counts of the import so far.
  public private(set) var report = Report()
  private var events: ForeignEvents
  private var names: Names
  private let clampsTimes: Bool
  /// The time that replaces an earlier time: that of the log's last event. It is
  /// `Timestamp.earliest` if the policy replaces no times.
  private var floor = Timestamp.earliest
  private var sorter: LineSorter?
  private var moves: [Move] = []
  private var batch: [NewEvent] = []
  /// The target log and its ledger, if the log was ever rewritten.
  private var rewritten: (log: LogView, ledger: Rewritings)?
  private var known = KnownEvents()
  private var batchExpecting: [Commit.Expectation] = []
  /// For each stream in the open commit, the revision that the stream's first line in it states.
  private var batchClaims: [String: UInt64] = [:]

  /// Creates an import.
  /// - Parameters:
  ///   - folder: if given, lines are first sorted by time. If they do not fit into 32 MiB, sorted
  ///     runs of lines are written to an unnamed file in this folder.
  ///   - names: the table of the ids in the events that `judge` receives.
  public init(
    _ lines: consuming ForeignLines, _ policy: ForeignEvents.Policy = .init(),
    sortingIn folder: String? = nil, names: Names = Names()
  ) {
    self.init(lines, policy, sorter: folder.map { LineSorter(folder: $0) }, names: names)
  }

  init(
    _ lines: consuming ForeignLines, _ policy: ForeignEvents.Policy,
    sorter: consuming LineSorter?, names: Names = Names()
  ) {
    self.names = names
    self.sorter = sorter
    // The store knows the streams' revisions, and refuses lines that state other revisions.
    events = ForeignEvents(lines, policy, countsRevisions: false)
    clampsTimes = policy.clampsTimes
  }

  /// Appends all events to `store`.
  /// - Parameters:
  ///   - judges: whether `judge` is called.
  ///   - judge: called with each event of a known type before it is appended. If it returns a
  ///     sentence, the import stops before that event.
  ///   - progress: receives the number of bytes read; each byte of sorted input counts twice.
  /// - Throws: the first fault, with its line. The events before that line are in the log, with two
  ///   exceptions, which append nothing: a time that goes back within the first group of commits;
  ///   and, if lines are sorted, any fault except in revisions and in times within a commit.
  ///   `.cancelled`, before a write, if the task is cancelled.
  public mutating func run(
    into store: some EventStore, judges: Bool = true,
    judge: (Event, EventActor, Moment, Place) -> String? = { _, _, _, _ in nil },
    progress: (Int) -> Void = { _ in }
  ) async throws(ImportError) {
    let isRead: Bool
    do throws(LogError) {
      if clampsTimes { floor = try await lastTime(of: store) }
      if let view = (store as? FileLog)?.view(), view.ledgerSize > 0 {
        rewritten = (view, try view.rewritings())
      }
      isRead = try sort(progress)
    } catch {
      throw .log(error)
    }
    guard isRead else { throw .cancelled }
    var (group, failure) = read(judges, judge)
    // The caller can sort the lines and try again only if nothing was appended.
    if let failure, failure.isOrder { throw failure }
    progress(events.bytesRead)
    while !group.commits.isEmpty {
      if Task.isCancelled { throw .cancelled }
      // The store writes one group while this function reads the next.
      let (current, commits) = (group.notes, Handover(group.commits))
      group = Group()
      async let results = commits.append(to: store)
      if failure == nil { (group, failure) = read(judges, judge) }
      try take(await results, of: current)
      progress(events.bytesRead)
    }
    if let failure { throw failure }
  }

  /// Sorts the lines, if the import sorts.
  /// - Returns: whether all lines were read; false if the task is cancelled.
  private mutating func sort(_ progress: (Int) -> Void) throws(LogError) -> Bool {
    guard let sorter = sorter.take() else { return true }
    return try events.sort(by: sorter, &names) { done in
      progress(done)
      return !Task.isCancelled
    }
  }

  private struct Group {
    var commits: [Commit] = []
    var notes: [Note] = []
    var bytes = 0
  }

  /// For the report, the number of a commit's events, its last line, and its replaced times.
  private typealias Note = (count: Int, line: Int, moves: [Move])

  /// Commits that are handed to the task that appends them, which then also frees them. Freeing
  /// takes a tenth of the time of reading, and reading is the slower half of an import.
  private final class Handover: Sendable {
    private let commits: Mutex<[Commit]>

    init(_ commits: [Commit]) { self.commits = Mutex(commits) }

    func append(to store: some EventStore) async -> [Result<Appended, LogError>] {
      await store.append(
        commits.withLock { commits in
          defer { commits = [] }
          return commits
        })
    }
  }

  /// Reads the next group of commits, up to the first fault; an empty group at the end.
  private mutating func read(
    _ judges: Bool, _ judge: (Event, EventActor, Moment, Place) -> String?
  ) -> (Group, ImportError?) {
    var group = Group()
    do throws(LogError) {
      while group.commits.count < Self.groupSize, group.bytes < Self.groupBytes,
        let item = try events.next(&names)
      {
        if let entry = try rewriting(of: item) {
          return (group, .noPart(line: item.line, file: events.name, .rewritten(entry)))
        }
        if let type = item.event?.type {
          report.note(type)
          if item.versionIsAssumed { report.assumedVersions[type, default: 0] += 1 }
        }
        if judges, let event = item.event,
          let actor = names.find(user: item.new.actor) ?? (try? names.user(item.new.actor))
        {
          let moment = Moment(seq: UInt64(item.line), time: item.new.time ?? .epoch)
          if let sentence = judge(event, names.actor(actor), moment, Place(item)) {
            return (group, .forbidden(line: item.line, file: events.name, sentence))
          }
        }
        try add(item, to: &group)
      }
      return (group, nil)
    } catch {
      return (group, .log(error))
    }
  }

  /// Returns the rewriting of the log that changed a line's event; nil if no rewriting did.
  ///
  /// The line then comes from a copy of the log that is older than the rewriting. There are two
  /// signs of such a line:
  /// - The log's event at the line's position has the line's time and type, but another checksum.
  /// - A changed event of the log has the line's time and type, and no event of that time has the
  ///   line's id.
  private mutating func rewriting(of item: ForeignEvent) throws(LogError) -> Rewritings.Entry? {
    guard let (log, ledger) = rewritten, let time = item.ownTime else { return nil }
    let line = UInt64(item.line)
    if let sum = item.claimedSum, let entry = ledger.last(at: line),
      let event = try known.event(at: line, in: log), event.sum != sum, event.time == time,
      event.type == item.new.type
    {
      return entry
    }
    var found: Rewritings.Entry?
    var position = try log.position(at: time)
    while position > 0, let event = try log.line(at: position)?.event, event.time == time {
      if event.id == item.new.id { return nil }
      if event.type == item.new.type { found = ledger.last(at: position) ?? found }
      position -= 1
    }
    return found
  }

  private mutating func add(_ item: ForeignEvent, to group: inout Group) throws(LogError) {
    var new = item.new
    group.bytes += new.data.count + new.extra.count
    let time = max(new.time ?? .epoch, floor)
    new.time = time
    if let own = item.ownTime, own < time {
      moves.append((item.line, time.milliseconds - own.milliseconds))
    }
    if batch.isEmpty, item.batch == nil {
      let expecting = item.claimedRevision.map { [Self.expectation(new.stream, claimed: $0)] } ?? []
      close(Commit([new], expecting: expecting), item.line, &group)
      return
    }
    batch.append(new)
    if let claimed = item.claimedRevision {
      let earlier =
        batch.count == 1 ? 0 : UInt64(batch.dropLast().count { $0.stream == new.stream })
      if earlier == 0 {
        batchExpecting.append(Self.expectation(new.stream, claimed: claimed))
        batchClaims[new.stream] = claimed
      } else if let first = batchClaims[new.stream], claimed != first + earlier {
        throw events.fault(LineFault(.wrongRevision(expected: first + earlier), path: "rev"))
      }
    }
    if let place = item.batch, place.index < place.count { return }
    close(Commit(batch, expecting: batchExpecting), item.line, &group)
    (batch, batchExpecting, batchClaims) = ([], [], [:])
  }

  private static func expectation(_ stream: String, claimed: UInt64) -> Commit.Expectation {
    Commit.Expectation(stream, claimed == 1 ? .noStream : .exact(claimed - 1))
  }

  private mutating func close(_ commit: Commit, _ line: Int, _ group: inout Group) {
    group.commits.append(commit)
    group.notes.append((commit.events.count, line, moves))
    moves = []
  }

  private mutating func take(
    _ results: [Result<Appended, LogError>], of notes: [Note]
  ) throws(ImportError) {
    for (result, note) in zip(results, notes) {
      switch result {
      case .success(let appended):
        if appended.isRepeat {
          report.repeated += note.count
        } else {
          report.added += note.count
          for move in note.moves { report.clamped.add(move) }
        }
      case .failure(.timeGoesBack(let last, let given)):
        throw .beforeLog(line: note.line, file: events.name, time: given, last: last)
      case .failure(let error): throw .log(Self.located(error, events.name, note.line))
      }
    }
  }

  private func lastTime(of store: some EventStore) async throws(LogError) -> Timestamp {
    let head = try await store.head()
    return try await store.read(after: max(head, 1) - 1, limit: 1).first?.time ?? .earliest
  }

  private static func located(_ error: LogError, _ name: String, _ line: Int) -> LogError {
    switch error {
    case .file, .closed, .damaged: error
    default: .notImported(file: name, line: line, reason: "\(error)")
    }
  }
}

/// An error that stopped an import.
public enum ImportError: Error, Equatable, Sendable {
  /// The lines could not be read, or the log could not be read or written.
  case log(LogError)
  /// The rules forbid the line's event; the text says why.
  case forbidden(line: Int, file: String, String)
  /// The lines do not continue the log; the `PartFault` is the reason.
  case noPart(line: Int, file: String, PartFault)
  /// The time of the line's event is before that of the log's last event.
  case beforeLog(line: Int, file: String, time: Timestamp, last: Timestamp)
  /// The task was cancelled. The events that were written before are in the log.
  case cancelled

  /// Whether the error is that a line's time is before that of the previous line.
  public var isOrder: Bool {
    if case .log(.damaged(let damage)) = self, case .earlier = damage.fault.kind { return true }
    return false
  }
}

extension Import {
  /// The counts of an import. Two reports are equal if their public counts are.
  public struct Report: Equatable, Sendable {
    /// The number of added events.
    public var added = 0
    /// The number of events that the log already had.
    public var repeated = 0
    /// The counts of added events whose times were replaced by later ones.
    public var clamped = Clamped()
    /// For each type with several versions, the number of lines read that state no `v`. They were
    /// read as the type's present version.
    public var assumedVersions: [EventType: Int] = [:]
    /// The number of lines read that are about follows, friendships and friend requests.
    package var ties = 0
    /// The number of lines read that are about blocks.
    package var blocks = 0

    public static func == (a: Report, b: Report) -> Bool {
      (a.added, a.repeated, a.assumedVersions) == (b.added, b.repeated, b.assumedVersions)
        && a.clamped == b.clamped
    }

    mutating func note(_ type: EventType) {
      if EventTypes.block.contains(type) {
        blocks += 1
      } else if EventTypes.follow.union(.friendship).contains(type) {
        ties += 1
      }
    }
  }

  /// The id of an imported event, and whether the event ends its commit.
  public struct Place: Sendable {
    /// The event's id; nil if the line has none.
    public var id: EventID?
    /// Whether the event is the last of its commit.
    public var endsCommit: Bool

    /// Creates a place.
    public init(id: EventID? = nil, endsCommit: Bool = true) {
      (self.id, self.endsCommit) = (id, endsCommit)
    }

    init(_ item: ForeignEvent) {
      self.init(id: item.new.id, endsCommit: item.batch.map { $0.index == $0.count } ?? true)
    }
  }

  /// The counts of events whose times were replaced by later ones.
  public struct Clamped: Equatable, Sendable {
    /// The number of events whose times were replaced.
    public var count = 0
    /// The number of the first line with such an event; 0 if there is none.
    public var firstLine = 0
    /// The largest difference between an event's new and old times, in milliseconds.
    public var furthest: Int64 = 0
    /// The number of the line with the largest difference.
    public var furthestLine = 0

    mutating func add(_ move: Move) {
      count += 1
      if firstLine == 0 { firstLine = move.line }
      if move.by > furthest { (furthest, furthestLine) = (move.by, move.line) }
    }
  }

  typealias Move = (line: Int, by: Int64)
}
