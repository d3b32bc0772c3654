import Events

/// A reader of events from lines that may lack fields, such as the checksum. It adds missing fields
/// and checks the others.
///
/// - A missing `v` is the present version of the line's type, and 1 for an app's type. A missing
///   `stream` is computed from the event's type and data.
/// - A missing `time` is the previous line's time, or 1970. `Timestamp(foreign:)` lists the
///   formats.
/// - A missing `id` is computed from the line's time, its bytes, and the number of equal earlier
///   lines. A line that is read again therefore gets the same id.
/// - `seq` must be the line's number. `sum` must be correct, and `rev` the next revision of its
///   stream. The reader checks these two until the first line without a checksum.
public struct ForeignEvents: ~Copyable {
  /// The way to handle a time before the previous line's time, and an event of an unknown type.
  public struct Policy: Sendable {
    /// Whether the previous line's time replaces a time that is earlier. If false, the reader
    /// refuses a line with an earlier time.
    public var clampsTimes = false
    /// Whether events of unknown types and versions are kept; otherwise they are refused.
    public var keepsUnknown = false

    /// Creates a policy that refuses lines with earlier times or unknown types.
    public init() {}
  }

  private var lines: ForeignLines
  private let policy: Policy
  private var parser = LineParser.foreign
  private var lastTime = Timestamp.epoch
  private var hasTime = false
  private var lastSum: UInt64? = 0
  private var streams = StreamIndex()
  private let countsRevisions: Bool
  private var occurrences: [UInt64: UInt64] = [:]
  private var openBatch: Batch?
  private var sorter: LineSorter?
  /// For sorted input: the number of bytes read for sorting, plus the bytes of the lines returned
  /// so far.
  private var sortedBytes = 0

  /// The number of bytes of input read so far. Each byte of sorted input counts twice.
  public var bytesRead: Int { sorter == nil ? lines.offset : sortedBytes }
  /// The input's name, for messages.
  public var name: String { lines.name }

  /// Creates a reader that also checks `rev`, by counting the earlier lines of each stream.
  public init(_ lines: consuming ForeignLines, _ policy: Policy = Policy()) {
    self.init(lines, policy, countsRevisions: true)
  }

  init(_ lines: consuming ForeignLines, _ policy: Policy, countsRevisions: Bool) {
    self.lines = lines
    self.policy = policy
    self.countsRevisions = countsRevisions
  }

  /// Returns the next event; nil at the end of the input.
  /// - Throws: `.damaged` with the number and the fault of a line; `.file`.
  public mutating func next(_ names: inout Names) throws(LogError) -> ForeignEvent? {
    if sorter != nil {
      guard let line = try sorter?.next() else { return nil }
      sortedBytes += line.bytes.count + 1
      (lines.number, lines.offset) = (line.number, line.offset)
      do throws(LineFault) {
        return try item(line, &names)
      } catch {
        throw lines.fault(error)
      }
    }
    guard let bytes = try nextLine() else { return nil }
    do throws(LineFault) {
      return try item(bytes, &names)
    } catch {
      throw lines.fault(error)
    }
  }

  private mutating func nextLine() throws(LogError) -> [UInt8]? {
    if let bytes = try lines.next() { return bytes }
    if let openBatch, openBatch.index < openBatch.count {
      throw lines.fault(LineFault(.brokenBatch, path: "batch"))
    }
    return nil
  }

  /// Reads all lines and sorts them by time. Lines with equal times keep their order. A line
  /// without a time stays behind the previous line. The lines of a commit stay together, at the
  /// time of the commit's first line.
  /// - Parameter goesOn: receives the number of bytes read, and returns whether to continue.
  /// - Returns: whether all lines were read.
  /// - Throws: the first fault of any line, with the line's number; `.file`. Does not check times
  ///   and revisions.
  mutating func sort(
    by sorter: consuming LineSorter, _ names: inout Names, goesOn: (Int) -> Bool
  ) throws(LogError) -> Bool {
    var sorter = consume sorter
    var key = Timestamp.epoch
    while let bytes = try nextLine() {
      let line: LineSorter.Line
      do throws(LineFault) {
        line = try unsorted(bytes, &key, &names)
      } catch {
        throw lines.fault(error)
      }
      try sorter.add(line)
      if lines.number % 1_024 == 0, !goesOn(lines.offset) { return false }
    }
    try sorter.finish()
    sortedBytes = lines.offset
    (lastTime, openBatch) = (.epoch, nil)
    self.sorter = consume sorter
    return true
  }

  /// Checks a line and returns it for sorting.
  /// - Parameter key: the sort key of the previous line; on return, of this line.
  private mutating func unsorted(
    _ bytes: [UInt8], _ key: inout Timestamp, _ names: inout Names
  ) throws(LineFault) -> LineSorter.Line {
    let (line, event) = try parse(bytes, &names)
    _ = try checkPlace(line, bytes)
    if event == nil, line.stream == nil { throw LineFault(.missingMember, path: "stream") }
    let time = line.time ?? lastTime
    lastTime = time
    let isWithinCommit = line.batch.map { $0.index > 1 } ?? false
    if !isWithinCommit, let own = line.time { key = own }
    return LineSorter.Line(
      key: key, time: time, id: line.id ?? derivedID(bytes, time), number: lines.number,
      offset: lines.offset, bytes: bytes)
  }

  /// Returns the error for a fault in the current line.
  public func fault(_ fault: LineFault) -> LogError { lines.fault(fault) }

  private mutating func parse(
    _ bytes: [UInt8], _ names: inout Names
  ) throws(LineFault) -> (line: ParsedLine, event: Event?) {
    let (line, event) = try parser.parse(bytes, names: &names)
    if event == nil, !policy.keepsUnknown, !UnknownType.isOfApp(line.type) {
      let version = line.version ?? 1
      throw EventType(wireName: line.type) == nil
        ? LineFault(.unknownType(printable(line.type)), path: "type")
        : LineFault(.unknownVersion(type: line.type, version: version), path: "v")
    }
    return (line, event)
  }

  /// Checks the fields that depend on earlier lines; returns whether a checksum proves the line.
  private mutating func checkPlace(_ line: ParsedLine, _ bytes: [UInt8]) throws(LineFault) -> Bool {
    if let seq = line.seq, seq != UInt64(lines.number) {
      throw LineFault(.partOfLog(expected: UInt64(lines.number)), path: "seq")
    }
    let isSealed = try checkSum(line, bytes)
    try checkBatch(line.batch)
    return isSealed
  }

  private mutating func item(
    _ bytes: [UInt8], _ names: inout Names
  ) throws(LineFault) -> ForeignEvent {
    let (line, event) = try parse(bytes, &names)
    let isSealed = try checkPlace(line, bytes)
    let time = try inOrder(line.time)
    return try item(
      line, event, time, line.id ?? derivedID(bytes, line.time ?? time), isSealed, names)
  }

  private mutating func item(
    _ sorted: LineSorter.Line, _ names: inout Names
  ) throws(LineFault) -> ForeignEvent {
    let (line, event) = try parse(sorted.bytes, &names)
    let time = try inOrder(sorted.time)
    return try item(line, event, time, sorted.id, false, names)
  }

  private mutating func item(
    _ line: ParsedLine, _ event: Event?, _ time: Timestamp, _ id: EventID, _ isSealed: Bool,
    _ names: borrowing Names
  ) throws(LineFault) -> ForeignEvent {
    // The parser has checked that the line's stream is that of the event.
    let stream = line.stream ?? event.map { $0.streamName(names) }
    guard let stream else { throw LineFault(.missingMember, path: "stream") }
    let revision = countsRevisions ? streams.append(stream).revision : 0
    if countsRevisions, isSealed, let rev = line.rev, rev != revision {
      throw LineFault(.wrongRevision(expected: revision), path: "rev")
    }
    var new = NewEvent(line, stream: stream)
    (new.time, new.id) = (time, id)
    new.mayRepeatVersion1 = line.versionIsAssumed && line.id == nil
    return ForeignEvent(
      new: new, ownTime: line.time, event: event, batch: line.batch, claimedRevision: line.rev,
      revision: revision, line: lines.number, claimedSum: line.sum,
      versionIsAssumed: line.versionIsAssumed)
  }

  /// Checks the line's checksum. Returns false, without a check, if this line or an earlier line
  /// has no checksum or no position.
  private mutating func checkSum(_ line: ParsedLine, _ bytes: [UInt8]) throws(LineFault) -> Bool {
    guard let sum = line.sum, let previous = lastSum, line.seq != nil else {
      lastSum = nil
      return false
    }
    guard rightSum(bytes, after: previous) == sum else { throw LineFault(.wrongSum) }
    lastSum = sum
    return true
  }

  private mutating func checkBatch(_ batch: Batch?) throws(LineFault) {
    let expected = openBatch.flatMap { $0.index < $0.count ? $0.index + 1 : nil }
    let isNext =
      expected.map { batch?.index == $0 && batch?.count == openBatch?.count }
      ?? (batch == nil || batch?.index == 1)
    guard isNext else { throw LineFault(.brokenBatch, path: "batch") }
    openBatch = batch
  }

  private mutating func inOrder(_ own: Timestamp?) throws(LineFault) -> Timestamp {
    defer { hasTime = true }
    guard let time = own else { return lastTime }
    if time < lastTime, hasTime {
      guard policy.clampsTimes else {
        throw LineFault(.earlier(time: time, than: lastTime), path: "time")
      }
      return lastTime
    }
    lastTime = time
    return time
  }

  private mutating func derivedID(_ bytes: [UInt8], _ time: Timestamp) -> EventID {
    let digest = XXH64.hash(bytes, seed: 0)
    let occurrence = occurrences[digest, default: 0]
    occurrences[digest] = occurrence + 1
    return EventID(
      time: time,
      random: (XXH64.hash(bytes, seed: ~occurrence), digest ^ occurrence &* 0x9e37_79b9_7f4a_7c15))
  }
}

/// An event read from a foreign line, before it has a position in a log.
public struct ForeignEvent: Sendable {
  /// The event, with all values that an append needs.
  public var new: NewEvent
  /// The line's own time. The time in `new` is later if the policy replaced it.
  public var ownTime: Timestamp?
  /// The decoded event; nil if the type or version is unknown.
  public var event: Event?
  /// The line's number in a commit of several events, and the number of these events; nil for a
  /// single event.
  public var batch: Batch?
  /// The revision that the line states.
  public var claimedRevision: UInt64?
  /// The event's revision, counted from earlier lines; 0 if revisions are not counted.
  var revision: UInt64
  /// The line's number, from 1.
  public var line: Int
  /// The checksum that the line states, correct or not; nil if it states none.
  var claimedSum: UInt64?
  /// Whether the line states no version, and its type has several.
  var versionIsAssumed: Bool
}

extension LogView {
  /// Reads a single file, or standard input (`-`), into memory. Returns a view of its events, like
  /// that of a log.
  /// - Throws: `.damaged` at the first line that is not an event; `.noSuchLog`, `.file`.
  /// - Complexity: memory for the whole input.
  public static func unsealed(
    path: String, policy: ForeignEvents.Policy = .init(), files: FileSystem = .posix
  ) throws(LogError) -> LogView {
    let (view, damage) = try readable(path: path, policy: policy, files: files)
    if let damage { throw damage }
    return view
  }

  /// Reads the events of a single file, or of standard input, up to the first line that is not an
  /// event. Returns a view of these events, and the error for that line; nil if there is none.
  /// - Throws: `.noSuchLog`, `.file`.
  package static func readable(
    path: String, policy: ForeignEvents.Policy = .init(), files: FileSystem = .posix
  ) throws(LogError) -> (view: LogView, damage: LogError?) {
    var events = ForeignEvents(try ForeignLines(path: path, files: files), policy)
    var names = Names()
    var buffer = ByteBuffer(capacity: 1 << 16)
    var head = LogHead()
    var damage: LogError?
    while true {
      let item: ForeignEvent
      do throws(LogError) {
        guard let next = try events.next(&names) else { break }
        item = next
      } catch {
        guard case .damaged = error else { throw error }
        damage = error
        break
      }
      let recorded = RecordedEvent(
        seq: head.seq + 1, time: item.new.time ?? .epoch, type: item.new.type,
        version: item.new.version, stream: item.new.stream, rev: item.revision,
        actor: item.new.actor, id: item.new.id ?? EventID(high: 0, low: 0), cause: item.new.cause,
        batch: item.batch, data: item.new.data, extra: item.new.extra,
        correlation: item.new.correlation, sum: 0)
      if let claimed = item.claimedRevision, claimed != item.revision {
        damage = events.fault(LineFault(.wrongRevision(expected: item.revision), path: "rev"))
        break
      }
      let sum = buffer.appendLine(recorded, after: head.sum)
      head = LogHead(seq: recorded.seq, time: recorded.time, sum: sum)
    }
    return (LogView(path: events.name, sealed: SealedBytes(buffer)), damage)
  }
}
