/// Reads the scanned chunks of a history in order. It checks that each chunk follows the previous
/// one. It decodes lines of the event types for which the chunks were scanned.
public struct ChunkConsumer: Sendable {
  /// The handling of events with an unknown type or version: the consumer stops with an error, or
  /// skips the event.
  ///
  /// An app's own types do not count as unknown. Their events are passed on as `Event.app` if the
  /// caller wants them, and skipped otherwise.
  public enum UnknownPolicy: Sendable { case stop, skip }

  /// The position, time and checksum of the last event read.
  public private(set) var head: LogHead
  /// The number of skipped events, by unknown type and version. An app's own type is only counted
  /// if a projection reads the type, but the event's version is newer than the Swift type's.
  public private(set) var skipped: [UnknownType: Int] = [:]
  private let policy: UnknownPolicy
  private let readsActors: Bool
  private var strict = LineParser()

  /// Creates a consumer that starts after an event.
  /// - Parameters:
  ///   - head: The position, time and checksum of the last event before the first chunk.
  ///   - policy: The handling of events with an unknown type or version.
  ///   - readsActors: Whether the batches of events also contain the events' actors.
  public init(
    after head: LogHead, unknown policy: UnknownPolicy = .stop, readsActors: Bool = false
  ) {
    (self.head, self.policy, self.readsActors) = (head, policy, readsActors)
  }

  /// Passes the wanted events of a chunk to `body` in batches, up to and including the position
  /// `limit`.
  /// - Throws: `.damaged` at the first wrong line; `.unknownType` if the policy is to stop.
  public mutating func consume(
    _ chunk: ScannedChunk, _ names: inout Names, until limit: UInt64 = .max,
    _ body: (borrowing EventBatch) -> Void
  ) throws(LogError) {
    var batch = EventBatch()
    defer { if !batch.isEmpty { body(batch) } }
    var actors = LineParser()
    let readsActors = readsActors
    try consume(chunk, &names, until: limit) { event, line, bytes, names in
      if readsActors {
        guard let actor = Self.actor(line, bytes, &actors, &names.pointee) else { return }
        batch.append(actor, endsCommit: Self.endsCommit(line, bytes, &actors, &names.pointee))
      }
      batch.append(event, line.moment)
      if batch.isFull {
        body(batch)
        batch.removeAll()
      }
    }
  }

  /// Passes the wanted events of a chunk to `body`, each with its actor.
  mutating func consumeWithActors(
    _ chunk: ScannedChunk, _ names: inout Names, until limit: UInt64,
    _ body: (borrowing Event, EventActor, Moment) -> Void
  ) throws(LogError) {
    var actors = LineParser()
    try consume(chunk, &names, until: limit) { event, line, bytes, names in
      if let actor = Self.actor(line, bytes, &actors, &names.pointee) {
        body(event, actor, line.moment)
      }
    }
  }

  /// Passes the wanted events of a chunk to `body`, each with its actor. The last argument says
  /// whether the event is the last one of its commit.
  mutating func consumeCommits(
    _ chunk: ScannedChunk, _ names: inout Names, until limit: UInt64,
    _ body: (borrowing Event, EventActor, Moment, Bool) -> Void
  ) throws(LogError) {
    var parser = LineParser()
    try consume(chunk, &names, until: limit) { event, line, bytes, names in
      guard let actor = Self.actor(line, bytes, &parser, &names.pointee) else { return }
      body(event, actor, line.moment, Self.endsCommit(line, bytes, &parser, &names.pointee))
    }
  }

  /// Whether the event of a decoded line is the last event of its commit.
  private static func endsCommit(
    _ line: ScannedLine, _ bytes: UnsafeBufferPointer<UInt8>, _ parser: inout LineParser,
    _ names: inout Names
  ) -> Bool {
    if line.data > 1 { return !LineHead.continues(bytes, line.data) }
    let batch = (try? parser.parse(bytes, names: &names))?.line.batch
    return batch.map { $0.index == $0.count } ?? true
  }

  /// Returns the actor of a decoded line's event.
  private static func actor(
    _ line: ScannedLine, _ bytes: UnsafeBufferPointer<UInt8>, _ parser: inout LineParser,
    _ names: inout Names
  ) -> EventActor? {
    if let actor = LineHead.actor(bytes, line.data) {
      // `names.actor` would look up the id's text again, which causes another cache miss.
      let id = UserID(index: names.users.intern(actor))
      return EventActor(id, isService: Names.isService(actor))
    }
    guard let parsed = try? parser.parse(bytes, names: &names).line,
      let actor = try? names.user(parsed.actor)
    else { return nil }
    return names.actor(actor)
  }

  private typealias Body = (
    borrowing Event, ScannedLine, UnsafeBufferPointer<UInt8>, UnsafeMutablePointer<Names>
  ) -> Void

  private mutating func consume(
    _ chunk: ScannedChunk, _ names: inout Names, until limit: UInt64, _ body: Body
  ) throws(LogError) {
    guard let scan = chunk.after else { return }
    try join(chunk)
    if policy == .stop, let unknown = scan.firstUnknown, unknown.seq <= limit {
      throw .unknownType(
        name: unknown.type.name, version: unknown.type.version, seq: unknown.seq)
    }
    if limit >= scan.last.seq, !scan.unknown.isEmpty {
      for (type, count) in scan.unknown where !type.isOfApp { skipped[type, default: 0] += count }
    }
    try decode(chunk, scan, &names, limit, body)
    try finish(chunk, until: limit)
  }

  /// Checks that a chunk's first line follows the last line of the previous chunk; throws
  /// `.damaged` if it does not.
  package func join(_ chunk: ScannedChunk) throws(LogError) {
    guard let scan = chunk.after, let ends = chunk.ends else { return }
    if let damage = scan.damage, damage.line == 0 { throw self.damage(chunk, 0, damage.fault) }
    if let fault = ends.fault(after: head) { throw damage(chunk, 0, fault) }
  }

  /// Sets `head` to the chunk's last event. Throws `.damaged` if the scan of the chunk found damage
  /// at a position up to `limit`.
  package mutating func finish(_ chunk: ScannedChunk, until limit: UInt64 = .max) throws(LogError) {
    guard let scan = chunk.after else { return }
    if let damage = scan.damage, damage.seq <= limit {
      throw self.damage(chunk, damage.line, damage.fault)
    }
    head = scan.last
  }

  /// Returns the error for a fault in a line of the current chunk. `line` is the line's number in
  /// the chunk, from 0.
  package func damage(_ chunk: ScannedChunk, _ line: Int, _ fault: LineFault) -> LogError {
    let block = chunk.block
    let before = block.beginsFile ? 0 : max(0, Int(head.seq + 1) - Int(block.firstInFile))
    return .damaged(
      Damage(
        file: block.file, line: before + line + 1, offset: block.offset + chunk.lineOffset(line),
        seq: head.seq + 1 + UInt64(line),
        fault: fault))
  }

  /// The approximate number of user ids that fit into the cache of a CPU core.
  private static let cachedUsers = 16 << 10

  /// Loads the table slots of the ids in the lines into the CPU cache, for event types whose data
  /// consists of ids. The cache misses of many lines then overlap. With 250,000 users this saves
  /// about a fifteenth of a replay's time on two cores.
  @inline(__always)
  private static func prefetch(
    _ lines: ArraySlice<ScannedLine>, _ base: UnsafePointer<UInt8>,
    _ names: UnsafeMutablePointer<Names>
  ) {
    for line in lines {
      guard let type = line.type, line.data > 1, EventTypes.pairs.contains(type) else { continue }
      let start = base + line.start
      var reader = FastReader(
        start + line.data, start + line.length - sumLength, names, prefetches: true)
      _ = try? Event(type, from: &reader)
    }
  }

  private mutating func decode(
    _ chunk: ScannedChunk, _ scan: LineScanner, _ names: inout Names, _ limit: UInt64,
    _ body: Body
  ) throws(LogError) {
    let base = UnsafePointer(chunk.block.buffer.bytes) + chunk.block.range.lowerBound
    var failure: (line: ScannedLine, fault: LineFault)?
    withUnsafeMutablePointer(to: &names) { names in
      for (index, line) in scan.lines.enumerated() {
        if index % 16 == 0, names.pointee.userCount > Self.cachedUsers {
          Self.prefetch(scan.lines[index...].prefix(16), base, names)
        }
        if line.moment.seq > limit { return }
        let start = base + line.start
        let bytes = UnsafeBufferPointer(start: start, count: line.length)
        guard let type = line.type else {
          guard scan.wanted.contains(.app) else { continue }
          do throws(LineFault) {
            let parsed = try strict.parse(bytes, names: &names.pointee).line
            if let event = try Event(app: parsed, &names.pointee) {
              body(event, line, bytes, names)
            }
          } catch {
            if case .unknownVersion(let name, let version) = error.kind, policy == .skip {
              skipped[UnknownType(name: name, version: version), default: 0] += 1
              continue
            }
            failure = (line, error)
            return
          }
          continue
        }
        if line.data > 1 {
          var reader = FastReader(
            start + line.data, start + line.length - sumLength, names)
          do throws(LineFault) {
            let event = try Upcaster.event(type, line.version, from: &reader)
            if reader.endsLine() {
              body(event, line, bytes, names)
              continue
            }
          } catch {}  // In another layout; the strict parser decides.
        }
        do throws(LineFault) {
          if let event = try strict.parse(bytes, names: &names.pointee).event {
            body(event, line, bytes, names)
          }
        } catch {
          failure = (line, error)
          return
        }
      }
    }
    if let failure {
      if case .unknownVersion(let name, let version) = failure.fault.kind {
        throw .unknownType(name: name, version: version, seq: failure.line.moment.seq)
      }
      throw damage(chunk, Int(failure.line.moment.seq - scan.first.seq - 1), failure.fault)
    }
  }
}

/// A batch of at most 64 consecutive events. With 64 events, the cache misses of prefetching
/// overlap, and the prefetched data still fits into the cache.
public struct EventBatch: Sendable {
  private static let limit = 64

  /// The events of the batch, in order.
  public private(set) var events: [Event] = []
  /// The position and time of each event in the batch.
  public private(set) var moments: [Moment] = []
  /// The actor of each event in the batch; empty unless the consumer reads actors.
  public private(set) var actors: [EventActor] = []
  /// Whether each event is the last event of its commit; empty unless the consumer reads actors.
  package private(set) var endsCommit: [Bool] = []

  /// Calls `body` with each event and its moment, in order.
  ///
  /// A loop over `events` would copy each event, and count references to its texts.
  @inlinable
  public borrowing func forEachEvent(_ body: (borrowing Event, Moment) -> Void) {
    events.withUnsafeBufferPointer { events in
      guard let first = events.baseAddress else { return }
      for index in 0..<events.count { body(first[index], moments[index]) }
    }
  }

  init() {
    events.reserveCapacity(Self.limit)
    moments.reserveCapacity(Self.limit)
  }

  var isEmpty: Bool { events.isEmpty }
  var isFull: Bool { events.count >= Self.limit }

  mutating func append(_ event: borrowing Event, _ moment: Moment) {
    events.append(copy event)
    moments.append(moment)
  }

  mutating func append(_ actor: EventActor, endsCommit: Bool) {
    actors.append(actor)
    self.endsCommit.append(endsCommit)
  }

  mutating func removeAll() {
    actors.removeAll(keepingCapacity: true)
    endsCommit.removeAll(keepingCapacity: true)
    events.removeAll(keepingCapacity: true)
    moments.removeAll(keepingCapacity: true)
  }
}
