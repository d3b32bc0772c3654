import EventLog
import Events
import FaultTesting

/// The shared log in a database, with the semantics of the functions of `PostgresSchema`.
@MainActor final class SimulatedDatabase {
  /// A use of a key, and the client that recorded it.
  private struct Key {
    var use: KeyUse
    var client: EventID
  }

  /// The answer of `append`; the numbers are those of the SQL function.
  enum Answer: Sendable {
    case appended
    case moved(RemoteHead)
    case notYourTurn, used, notWriter
    case refused(String)
  }

  /// A lease, and the time at which it ends.
  struct Lease {
    var term: Int64 = 0
    var holder: EventID?
    var until = Duration.zero
  }

  private(set) var lines: [RemoteBatch.Line] = []
  private var ids: Set<EventID> = []
  private var revisions: [String: UInt64] = [:]
  private var keys: [UInt64: Key] = [:]
  private(set) var lease = Lease()
  private var addresses: [EventID: String] = [:]
  private var turn: (client: EventID, until: Duration)?
  private var rules = RecordedRules(from: "shared")
  let secret = [UInt8](repeating: 7, count: 32)
  /// The time until which the database answers nothing.
  var stalledUntil = Duration.zero
  /// The clients that listen for new events.
  private var listeners: [Int: (UInt64) -> Void] = [:]
  /// The first broken promise about terms.
  private(set) var violation: Violation?
  private var appendedTerm: Int64 = 0
  private(set) var takeovers = 0

  private var now: Duration { Scheduler.shared.now }

  var head: RemoteHead { RemoteHead(seq: UInt64(lines.count), sum: lines.last?.sum ?? 0) }

  /// The log's lines after a position, each with its line feed.
  func lines(after position: UInt64, limit: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for line in lines.dropFirst(Int(clamping: position)) {
      if !bytes.isEmpty, bytes.count + line.bytes.count > limit { break }
      bytes += line.bytes
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  func sum(at position: UInt64) -> UInt64? {
    if position == 0 { return 0 }
    return position <= lines.count ? lines[Int(position) - 1].sum : nil
  }

  /// Announces new events to a process from now on.
  func listen(of process: Int, _ hear: @escaping (UInt64) -> Void) { listeners[process] = hear }

  func endListening(of process: Int) { listeners[process] = nil }

  func uses(of tails: [UInt64]) -> [KeyUse] { tails.compactMap { keys[$0]?.use } }

  // MARK: append

  func append(_ batch: RemoteBatch, _ client: EventID, term: Int64) -> Answer {
    if head.seq != batch.seq || head.sum != batch.sum { return moved(batch, client) }
    if term >= 0, !SimulatedBug.appendsUnfenced.isPlanted {
      if lease.term != term || lease.holder != client { return .notWriter }
    }
    if batch.uses.contains(where: { isUsed($0.use, client) }) { return .used }
    if let turn, turn.until > now, turn.client != client { return .notYourTurn }
    if batch.losses > 0, turn?.client == client { turn = nil }
    for line in batch.lines {
      guard !ids.contains(line.id) else { return .refused("an id is there twice") }
      guard revisions[line.stream, default: 0] + 1 == line.revision else {
        return .refused("a revision does not continue its stream")
      }
      ids.insert(line.id)
      revisions[line.stream] = line.revision
      lines.append(line)
    }
    if !SimulatedBug.notesNoKeys.isPlanted {
      for use in batch.uses where keys[use.use.tail] == nil {
        keys[use.use.tail] = Key(use: use.use, client: client)
      }
    }
    noteTerm(term)
    if !batch.lines.isEmpty { announce() }
    return .appended
  }

  /// The answer to a batch that does not continue the log: an earlier try may have appended it.
  private func moved(_ batch: RemoteBatch, _ client: EventID) -> Answer {
    let isThere =
      !batch.lines.isEmpty
      && sum(at: batch.seq + UInt64(batch.lines.count)) == batch.lines.last?.sum
    let areNoted = batch.uses.allSatisfy { use in
      keys[use.use.tail].map { $0.client == client && isSame($0.use, use.use) } ?? false
    }
    if isThere, areNoted { return .appended }
    if batch.losses >= 2, turn.map({ $0.until < now || $0.client == client }) ?? true {
      turn = (client, now + .milliseconds(300))
    }
    return .moved(head)
  }

  private func isUsed(_ use: KeyUse, _ client: EventID) -> Bool {
    keys[use.tail].map { $0.client != client || !isSame($0.use, use) } ?? false
  }

  private func isSame(_ a: KeyUse, _ b: KeyUse) -> Bool {
    a.position == b.position && a.time == b.time
  }

  private func noteTerm(_ term: Int64) {
    guard term >= 0 else { return }
    if term < appendedTerm, violation == nil {
      violation = Violation("two writers", "term \(term) appended after term \(appendedTerm)")
    }
    appendedTerm = max(appendedTerm, term)
  }

  private func announce() {
    for listener in listeners.sorted(by: { $0.key < $1.key }) { listener.value(head.seq) }
  }

  // MARK: Lease

  func hold(_ client: EventID, at address: String, for duration: Duration) -> LeaseState {
    if duration > .zero {
      if lease.holder != client, lease.until < now {
        lease = Lease(term: lease.term + 1, holder: client, until: now + duration)
        takeovers += 1
      } else if lease.holder == client {
        lease.until = now + duration
      }
      addresses[client] = address
    }
    let holder = lease.until > now ? lease.holder.flatMap { addresses[$0] } : nil
    return LeaseState(term: lease.term, holder: holder, isHeld: lease.holder == client)
  }

  func release(_ client: EventID) {
    if lease.holder == client { (lease.holder, lease.until) = (nil, .seconds(-1)) }
    addresses[client] = nil
  }

  // MARK: Rules

  func recordedRules() -> RecordedRules { rules }

  /// Returns false if the log records other rules.
  func record(_ new: RecordedRules) -> Bool {
    guard new.entries.starts(with: rules.entries) else { return false }
    rules.entries = new.entries
    return true
  }
}
