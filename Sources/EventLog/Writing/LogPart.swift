import Events

/// A part of a log, as printed by `export R..`. Another log can append the part if it has the event
/// before the part's first event.
///
/// Each line is appended byte for byte, so that both logs have the same checksums. Events that the
/// log already has are compared and skipped. A part may therefore overlap the log, or be appended
/// twice.
public struct LogPart: ~Copyable {
  private static let batchBytes = 1 << 20

  /// The number of events appended so far, and other counts.
  public private(set) var report = Import.Report()
  private var lines: ForeignLines
  private let keepsUnknown: Bool
  private var parser = LineParser()
  private var names: Names
  private var reached = LogHead()
  private var isFirst = true
  private var open = SealedCommit()
  private var known = KnownEvents()
  private var rewritings = Rewritings()

  /// Creates a part from its lines.
  /// - Parameter names: the table of the ids in the events that `judge` receives.
  public init(
    _ lines: consuming ForeignLines, _ policy: ForeignEvents.Policy = .init(),
    names: Names = Names()
  ) {
    self.lines = lines
    self.names = names
    keepsUnknown = policy.keepsUnknown
  }

  /// Returns whether an input with this first line is a part of a log: the line has all fields,
  /// including a checksum, and its position is greater than 1.
  public static func begins(with line: [UInt8]) -> Bool {
    var parser = LineParser()
    var names = Names()
    guard let parsed = try? parser.parse(line, names: &names).line,
      let event = RecordedEvent(parsed)
    else { return false }
    return event.seq > 1
  }

  /// Appends the events that the log lacks.
  /// - Parameters:
  ///   - judge: called with each event of a known type before it is appended. If it returns a
  ///     sentence, the import stops before that event.
  ///   - progress: receives the number of bytes read.
  /// - Throws: the first fault, with its line. The events before that line are in the log.
  ///   `.cancelled`, before a write, if the task is cancelled.
  public mutating func append(
    to log: FileLog,
    judge: (Event, EventActor, Moment, Import.Place) -> String? = { _, _, _, _ in nil },
    progress: (Int) -> Void = { _ in }
  ) async throws(ImportError) {
    rewritings = try importing { () throws(LogError) in try log.view().rewritings() }
    while true {
      let (batch, failure) = read(log, judge)
      if !batch.isEmpty {
        progress(lines.offset)
        if Task.isCancelled { throw .cancelled }
      }
      for result in await log.append(sealed: batch) {
        switch result {
        case .success(let appended): report.added += Int(appended.last - appended.first) + 1
        case .failure(let error): throw .log(error)
        }
      }
      if let failure { throw failure }
      if batch.isEmpty { return }
    }
  }

  /// Reads the next batch of commits that the log lacks, up to the first fault; an empty batch at
  /// the end.
  private mutating func read(
    _ log: FileLog, _ judge: (Event, EventActor, Moment, Import.Place) -> String?
  ) -> ([SealedCommit], ImportError?) {
    var batch: [SealedCommit] = []
    var bytes = 0
    do throws(ImportError) {
      while bytes < Self.batchBytes {
        guard let (event, typed, line) = try next(log) else {
          if !open.events.isEmpty {
            throw .log(lines.fault(LineFault(.brokenBatch, path: "batch")))
          }
          break
        }
        if try isThere(event, log) {
          report.repeated += 1
          continue
        }
        if let typed { report.note(typed.type) }
        if let typed, let actor = try? names.user(event.actor),
          let sentence = judge(
            typed, names.actor(actor), Moment(seq: event.seq, time: event.time),
            Import.Place(endsCommit: event.batch.map { $0.index == $0.count } ?? true))
        {
          throw .forbidden(line: lines.number, file: lines.name, sentence)
        }
        open.events.append(event)
        open.lines.append(line)
        bytes += line.count
        if let batch = event.batch, batch.index < batch.count { continue }
        batch.append(open)
        open = SealedCommit()
      }
      return (batch, nil)
    } catch {
      return (batch, error)
    }
  }

  /// Reads the next line and checks that it follows the line before it (position and checksum). The
  /// first line of a part may follow any event that is in the log. Returns nil after the last line.
  private mutating func next(
    _ log: FileLog
  ) throws(ImportError) -> (event: RecordedEvent, typed: Event?, line: [UInt8])? {
    guard let line = try importing({ () throws(LogError) in try lines.next() }) else { return nil }
    let (event, typed) = try importing { () throws(LogError) in try sealed(line) }
    if isFirst {
      let view = log.view()
      let head = try importing { () throws(LogError) in try view.head() }
      if event.seq > head.seq + 1 {
        throw .noPart(
          line: lines.number, file: lines.name, .gap(first: event.seq, head: head.seq))
      }
      reached = try importing { () throws(LogError) in try view.head(at: event.seq - 1) }
    }
    guard event.seq == reached.seq + 1 else {
      throw .log(lines.fault(LineFault(.wrongSequence(expected: reached.seq + 1), path: "seq")))
    }
    guard rightSum(line, after: reached.sum) == event.sum else {
      if !isFirst { throw .log(lines.fault(LineFault(.wrongSum))) }
      throw noPart(.doesNotFollow(seq: event.seq), event.seq)
    }
    isFirst = false
    reached = LogHead(event)
    return (event, typed, line)
  }

  private mutating func sealed(
    _ line: [UInt8]
  ) throws(LogError) -> (RecordedEvent, Event?) {
    do throws(LineFault) {
      let (event, typed) = try parser.parseSealed(line[...], names: &names)
      if typed == nil, !keepsUnknown, !UnknownType.isOfApp(event.type) {
        throw LineFault(.unknownType(printable(event.type)), path: "type")
      }
      return (event, typed)
    } catch {
      throw lines.fault(error)
    }
  }

  /// Whether the log already has the event.
  /// - Throws: `.noPart` if the log has another event at that position.
  private mutating func isThere(
    _ event: RecordedEvent, _ log: FileLog
  ) throws(ImportError) -> Bool {
    let there = try importing { () throws(LogError) in
      try known.event(at: event.seq, in: log.view())
    }
    guard let there else { return false }
    if there.sum == event.sum { return true }
    throw noPart(.differs(seq: event.seq), event.seq)
  }

  /// Returns the error for a line whose event differs from the log's event at the same position. If
  /// a rewriting of the log explains the difference, the error says so.
  private func noPart(_ fault: PartFault, _ seq: UInt64) -> ImportError {
    .noPart(
      line: lines.number, file: lines.name, rewritings.last(at: seq).map { .rewritten($0) } ?? fault
    )
  }
}

private func importing<T>(_ body: () throws(LogError) -> T) throws(ImportError) -> T {
  do throws(LogError) {
    return try body()
  } catch {
    throw .log(error)
  }
}

/// A cache of a log's events. If a caller asks for consecutive events, like a repeated import, the
/// cache reads many events at once.
struct KnownEvents {
  private var page: [RecordedEvent] = []
  private var isAtEnd = false

  mutating func event(at seq: UInt64, in view: LogView) throws(LogError) -> RecordedEvent? {
    if isAtEnd { return nil }
    let next = (page.last?.seq ?? 0) + 1
    if page.first.map({ seq < $0.seq || seq >= next }) ?? true {
      page = try view.page(after: seq - 1, count: seq == next ? 1_024 : 1)
      isAtEnd = page.isEmpty
    }
    return page.first.map { page[Int(seq - $0.seq)] }
  }
}

/// A commit of another log, whose lines are appended together and unchanged.
struct SealedCommit: Sendable {
  var events: [RecordedEvent] = []
  var lines: [[UInt8]] = []
}

/// The reason why lines do not continue a log.
public enum PartFault: Equatable, Sendable {
  /// The lines begin after the log's next position.
  case gap(first: UInt64, head: UInt64)
  /// The first line does not continue the log's last event, or was changed after it was sealed.
  case doesNotFollow(seq: UInt64)
  /// The log has another event at this position.
  case differs(seq: UInt64)
  /// A rewriting of the log changed this event, and the line holds the old version of the event.
  case rewritten(Rewritings.Entry)
}
