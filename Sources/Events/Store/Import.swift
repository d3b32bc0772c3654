/// Seals events from elsewhere into a log.
///
/// Ids, times, causes and batches are kept. An event whose id the log has already is passed over,
/// so that importing a file twice, or a longer version of it, adds only what is new.
public struct Import: ~Copyable {
  /// What came of it.
  public struct Report: Equatable, Sendable {
    public var added = 0
    /// Events that were in the log already.
    public var repeated = 0
    public var clamped = 0
  }

  /// Commits in one write; with a megabyte or two each, the syncs cost little.
  static let groupSize = 8_192

  public private(set) var report = Report()
  private var events: ForeignEvents
  private var names: Names
  private let clampsTimes: Bool
  /// With clamping: the time of the log's last event.
  private var floor = Timestamp.earliest
  private var batch: [NewEvent] = []
  private var batchExpecting: [Commit.Expectation] = []
  /// The revision claimed by the first event of each stream in the commit.
  private var batchClaims: [String: UInt64] = [:]

  /// - Parameter names: the table that `judge` uses.
  public init(
    _ lines: consuming ForeignLines, _ policy: ForeignEvents.Policy = .init(),
    names: Names = Names()
  ) {
    self.names = names
    // The store knows the streams' revisions, and refuses what does not fit them.
    events = ForeignEvents(lines, policy, countsRevisions: false)
    clampsTimes = policy.clampsTimes
  }

  /// Appends all events to `store`.
  /// - Parameters:
  ///   - judges: whether `judge` is asked at all.
  ///   - judge: is shown each known event before it is appended; a sentence stops the import there.
  ///   - progress: is told how many bytes have been read.
  /// - Throws: the first fault, naming the line; what came before it is in the log. `.cancelled`,
  ///   between two writes, if the task is.
  public mutating func run(
    into store: some EventStore, judges: Bool = true,
    judge: (Event, UserID, Moment, EventID?) -> String? = { _, _, _, _ in nil },
    progress: (Int, Int?) -> Void = { _, _ in }
  ) async throws(ImportError) {
    do throws(LogError) {
      if clampsTimes { floor = try await lastTime(of: store) }
    } catch {
      throw .log(error)
    }
    var (group, failure) = read(judges, judge)
    while !group.commits.isEmpty {
      // One group is written while the next is read.
      let current = group
      async let results = store.append(current.commits)
      if failure == nil { (group, failure) = read(judges, judge) } else { group = Group() }
      do throws(LogError) {
        try take(await results, of: current)
      } catch {
        throw .log(error)
      }
      progress(events.bytesRead, events.size)
      if Task.isCancelled { throw .cancelled }
    }
    report.clamped += events.clamped
    if let failure { throw failure }
  }

  /// Commits that are appended together, and the number of each one's last line.
  private struct Group {
    var commits: [Commit] = []
    var lines: [Int] = []
  }

  /// The next commits, up to the first fault; none at the end.
  private mutating func read(
    _ judges: Bool, _ judge: (Event, UserID, Moment, EventID?) -> String?
  ) -> (Group, ImportError?) {
    var group = Group()
    do throws(LogError) {
      while group.commits.count < Self.groupSize, let item = try events.next(&names) {
        if judges, let event = item.event,
          let actor = names.find(user: item.new.actor) ?? intern(item)
        {
          let moment = Moment(seq: UInt64(item.line), time: item.new.time ?? .epoch)
          if let sentence = judge(event, actor, moment, item.new.id) {
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

  private mutating func intern(_ item: ForeignEvents.Item) -> UserID? {
    try? names.user(item.new.actor)
  }

  private mutating func add(
    _ item: ForeignEvents.Item, to group: inout Group
  ) throws(LogError) {
    var new = item.new
    if let time = new.time, time < floor {
      new.time = floor
      report.clamped += 1
    }
    batch.append(new)
    if let claimed = item.claimedRevision {
      let earlier =
        batch.count == 1 ? 0 : UInt64(batch.dropLast().count { $0.stream == new.stream })
      let isFirst = earlier == 0
      if isFirst {
        batchExpecting.append(
          Commit.Expectation(new.stream, claimed == 1 ? .noStream : .exact(claimed - 1)))
        batchClaims[new.stream] = claimed
      } else if let first = batchClaims[new.stream], claimed != first + earlier {
        throw events.fault(LineFault(.wrongRevision(expected: first + earlier), path: "rev"))
      }
    }
    if let place = item.batch, place.index < place.count { return }
    group.commits.append(Commit(batch, expecting: batchExpecting))
    group.lines.append(item.line)
    batch = []
    batchExpecting = []
    batchClaims = [:]
  }

  private mutating func take(
    _ results: [Result<Appended, LogError>], of group: Group
  ) throws(LogError) {
    for (index, result) in results.enumerated() {
      switch result {
      case .success(let appended):
        let count = group.commits[index].events.count
        if appended.isRepeat { report.repeated += count } else { report.added += count }
      case .failure(let error): throw Self.located(error, events.name, group.lines[index])
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

/// Why an import stopped.
public enum ImportError: Error, Equatable, Sendable {
  case log(LogError)
  /// The domain's rules forbid the event on this line.
  case forbidden(line: Int, file: String, String)
  /// The task was cancelled; what was read so far is in the log.
  case cancelled
}
