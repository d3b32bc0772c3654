import Events

/// A repair of a damaged log. It writes the proven lines to a new log, and keeps the other bytes in
/// separate files.
///
/// ```swift
/// let repair = try await Repair(of: "eventlogs/demo", into: "mended.log")
/// repair.isWhole  // true: nothing was damaged, and nothing was written
/// ```
/// A line's checksum depends on the previous line's checksum. A line is proven if its own checksum
/// is correct after that of the previous position. The two lines need not be adjacent in the files.
/// If only a line's checksum is damaged, the next line's checksum proves the line. If only its
/// position is damaged, its own checksum proves the line. If only the line feed after a line is
/// damaged, the line's checksum shows its end. The repair orders lines by position and drops
/// copies. It changes nothing within a line. It does not choose between two proven lines that
/// exclude each other. It does not change the damaged log.
///
/// The new log has its own positions, revisions and checksums; ids, times, causes and commits stay.
/// If one event of a commit is left out, the whole commit is left out. The new log has the damaged
/// log's bookmarks, and its ledger of rewritings with one entry more, so that followers of the
/// damaged log find their positions in the new one (`Rewritings.carry`).
/// - Complexity: reads the log three times, with one segment in memory at a time; 300 bytes of
///   memory for each line.
public struct Repair: Sendable {
  /// The number of events in the new log.
  public private(set) var kept = 0
  /// The lines whose bytes are not in the new log.
  public private(set) var leftOut: [LeftOut] = []
  /// The positions of kept events whose checksums cannot be checked, because the event before them
  /// is lost.
  public private(set) var unproven: [UInt64] = []
  /// The positions of kept events that get a new checksum, because the old one was damaged. The
  /// next line's checksum proves the other bytes of such an event.
  public private(set) var resealed: [UInt64] = []
  /// The positions of kept events that stated another position. Their checksums prove the position
  /// and the other bytes.
  public private(set) var renumbered: [UInt64] = []
  /// The ranges of positions of kept events whose lines lack their line feed, or have another byte
  /// in its place or before it. That byte is not kept.
  public private(set) var wrongEnds: [ClosedRange<UInt64>] = []
  /// The number of kept events that got an earlier time.
  public private(set) var retimed = 0
  /// The earlier time that these events got; nil if there are none.
  private(set) var latest: Timestamp?
  /// The ranges of positions whose events are lost.
  public private(set) var missing: [ClosedRange<UInt64>] = []
  /// Whether nothing was damaged or is to be changed. The repair then creates no new log.
  public var isWhole: Bool {
    retimed == 0 && leftOut.isEmpty && missing.isEmpty && resealed.isEmpty && renumbered.isEmpty
      && wrongEnds.isEmpty && !isOutOfOrder
  }
  private var isOutOfOrder = false

  private struct Line {
    var segment: Int
    var number: Int
    var range: Range<Int>
    var seq: UInt64?
    /// The checksum that the line states.
    var sum: UInt64?
    /// The line's correct checksums: one for each checksum that the previous event may have.
    var own: [UInt64] = []
    /// The checksum of the previous event that makes this line's stated checksum correct; nil if no
    /// known checksum does.
    var seed: UInt64?
    var reason: String?
    var time = Timestamp.earliest
    /// Whether the line states a wrong position, and its checksum proves that `seq` is right.
    var isRenumbered = false
    /// Whether something other than one line feed, or the end of the file, follows the line.
    var endsWrong = false

    /// Whether the line's bytes cannot be checked, because the previous event is lost.
    var isUnproven: Bool { seed == nil && own.isEmpty }
  }

  /// Checksums by position. Nearly every position has exactly one.
  private struct Sums {
    private var first: [UInt64: UInt64] = [:]
    private var rest: [UInt64: [UInt64]] = [:]

    subscript(seq: UInt64) -> [UInt64] { (first[seq].map { [$0] } ?? []) + (rest[seq] ?? []) }

    mutating func insert(_ sum: UInt64, at seq: UInt64) {
      guard let one = first[seq] else {
        first[seq] = sum
        return
      }
      if one != sum, rest[seq]?.contains(sum) != true { rest[seq, default: []].append(sum) }
    }
  }

  private let files: FileSystem
  private var paths: [String] = []
  private var lines: [Line] = []
  /// The size of the segments in bytes.
  private var size = 0
  /// The number of bytes processed so far in all three passes.
  private var done = 0

  /// Repairs a log.
  /// - Parameters:
  ///   - latest: later events get the time of the last one up to it; nil keeps all times.
  ///   - progress: called from time to time with the number of bytes processed and in total. Each
  ///     byte of the log counts three times.
  /// - Throws: `.noSuchLog`, `.file`; `.notALog` if `path` and `target` are the same log, if two
  ///   different lines for one position are both proven, or if the file of the bookmarks or the
  ///   ledger is damaged.
  public init(
    of path: String, into target: String, timesAfter latest: Timestamp? = nil,
    files: FileSystem = .posix, progress: (Int, Int) -> Void = { _, _ in }
  ) async throws(LogError) {
    self.files = files
    let names = try Self.names(path, files)
    paths = names.map { path + "/" + $0 }
    for path in paths { size += try io(files.status(path).size) }
    let positions = try RepairedPositions(of: path, files)
    for segment in paths.indices { try find(segment, progress) }
    try prove(progress)
    judge()
    let order = try self.order(path)
    findMissing(order)
    if let latest {
      let last = order.last { lines[$0].time <= latest }.map { lines[$0].time } ?? latest
      retimed = order.count { lines[$0].time > last }
      if retimed > 0 { self.latest = last }
      for index in order { lines[index].time = min(lines[index].time, last) }
    }
    if isWhole { return }
    let log = try FileLog(path: target, creating: true, files: files)
    try await write(order, to: log, progress)
    try keepAside(target)
    let last = order.last.map { lines[$0] }
    try positions.write(
      to: log.view(), of: self, before: last?.own.first ?? last?.sum ?? 0, files)
  }

  /// Whether a line of the damaged log states a position and has a checksum.
  func hasLine(_ seq: UInt64, _ sum: UInt64) -> Bool {
    lines.contains { $0.seq == seq && ($0.sum == sum || $0.own.contains(sum)) }
  }

  private static func names(_ path: String, _ files: FileSystem) throws(LogError) -> [String] {
    guard let names = try ifPresent(files.list(path)) else { throw .noSuchLog(path: path) }
    return names.filter { SegmentName.first($0) != nil }.sorted()
  }

  private func bytes(_ segment: Int) throws(LogError) -> [UInt8] {
    try io(files.contents(of: paths[segment]))
  }

  private mutating func note(_ line: Line, _ progress: (Int, Int) -> Void) {
    done += line.range.count + 1
    progress(done, 3 * size)
  }

  /// Finds the lines of a segment, and the position and checksum that each line states.
  private mutating func find(_ segment: Int, _ progress: (Int, Int) -> Void) throws(LogError) {
    let bytes = try bytes(segment)
    var (parser, names) = (LineParser(), Names())
    var start = 0
    var number = 1
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0a) ?? bytes.count
      bytes.withUnsafeBufferPointer { raw in
        for range in Self.divide(start..<end, of: raw, &parser, &names) {
          var line = Line(segment: segment, number: number, range: range)
          line.endsWrong = range.upperBound < end
          let text = UnsafeBufferPointer(rebasing: raw[range])
          if text.count > sumLength {
            line.sum = recordedSum(text)
            line.seq = LogView.position(text, 0)
            if line.seq == nil, line.sum != nil {
              line.seq = try? parser.parse(text, names: &names).line.seq
            }
          }
          lines.append(line)
          note(line, progress)
        }
      }
      start = end + 1
      number += 1
    }
  }

  /// Returns the lines among bytes without a line feed. There are several if line feeds were
  /// changed or lost.
  ///
  /// A line ends after its checksum if another line begins there, or after one more byte. It also
  /// ends there if exactly one byte is left.
  private static func divide(
    _ piece: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>, _ parser: inout LineParser,
    _ names: inout Names
  ) -> [Range<Int>] {
    func isLine(_ range: Range<Int>) -> Bool {
      let text = UnsafeBufferPointer(rebasing: bytes[range])
      return recordedSum(text) != nil && (try? parser.parse(text, names: &names)) != nil
    }
    var found: [Range<Int>] = []
    var (start, at) = (piece.lowerBound, piece.lowerBound)
    while let last = bytes[at..<piece.upperBound].firstIndex(of: UInt8(ascii: "}")) {
      at = last + 1
      let left = bytes[at..<piece.upperBound].prefix(2)
      guard !left.isEmpty, recordedSum(UnsafeBufferPointer(rebasing: bytes[start..<at])) != nil
      else { continue }
      let next = left.count == 1 ? piece.upperBound : left.lastIndex(of: UInt8(ascii: "{"))
      // The data of an app's event may contain what looks like a checksum.
      guard let next, isLine(start..<at) || LogView.position(bytes, next) != nil else { continue }
      found.append(start..<at)
      (start, at) = (next, next)
    }
    if found.isEmpty || isLine(piece) { return [piece] }
    return start < piece.upperBound ? found + [start..<piece.upperBound] : found
  }

  /// Finds the lines whose checksums are right, and the possible checksums of the others.
  private mutating func prove(_ progress: (Int, Int) -> Void) throws(LogError) {
    // The checksums, by position, against which the next line may be checked: stated and computed
    // ones.
    var sums = Sums()
    sums.insert(0, at: 0)
    for line in lines {
      if let seq = line.seq, let sum = line.sum { sums.insert(sum, at: seq) }
    }
    for segment in paths.indices {
      let bytes = try bytes(segment)
      bytes.withUnsafeBufferPointer { raw in
        for index in lines.indices where lines[index].segment == segment {
          let line = lines[index]
          note(line, progress)
          guard let seq = line.seq, seq > 0, let sum = line.sum, let base = raw.baseAddress else {
            continue
          }
          func own(_ seed: UInt64) -> UInt64 {
            XXH64.hash(base + line.range.lowerBound, line.range.count - sumLength, seed: seed)
          }
          for seed in sums[seq - 1] {
            let own = own(seed)
            if own == sum {
              // Most lines are correct and need no other check.
              lines[index].seed = seed
            } else if lines[index].seed == nil {
              lines[index].own.append(own)
              sums.insert(own, at: seq)
            }
          }
          // The line before it in the file may have lost its position but still have its checksum.
          if lines[index].seed == nil, index > 0, let seed = lines[index - 1].sum,
            own(seed) == sum
          {
            lines[index].seed = seed
            sums.insert(seed, at: seq - 1)
          }
          if lines[index].seed == nil, let (seq, seed) = place(of: index, raw) {
            (lines[index].seq, lines[index].seed, lines[index].own) = (seq, seed, [])
            lines[index].isRenumbered = true
            sums.insert(sum, at: seq)
          }
        }
      }
    }
  }

  /// Records a reason for each line that is not kept.
  private mutating func judge() {
    // If a line is correct, the previous event's checksum for which it is correct is correct too.
    var vouched = Sums()
    for line in lines {
      if let seq = line.seq, let seed = line.seed { vouched.insert(seed, at: seq - 1) }
    }
    let seeds = Set(lines.compactMap(\.seed))
    for index in lines.indices {
      let line = lines[index]
      guard let seq = line.seq, seq > 0, let sum = line.sum else {
        lines[index].reason = "it is not a line of a log"
        continue
      }
      if line.seed != nil { continue }
      // The line's checksum was changed, or the previous event's checksum is lost.
      let claims = line.own.isEmpty ? [sum] : line.own
      if let right = claims.first(where: vouched[seq].contains) {
        if !line.own.isEmpty {
          lines[index].own = [right]
          resealed.append(seq)
        }
        continue
      }
      // No other line proves this line. It is kept if none contradicts it: neither a line that
      // follows this position, nor one that shows this line's checksum at another position.
      if line.own.isEmpty, vouched[seq].isEmpty, !seeds.contains(sum) { continue }
      lines[index].reason = "its checksum is wrong: it was changed"
    }
  }
}

extension Repair {
  /// Returns the position after the previous line in the files, and that line's checksum, if a
  /// line's checksum is right with this position in place of its own.
  private func place(
    of index: Int, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> (seq: UInt64, seed: UInt64)? {
    let line = lines[index]
    let previous: (seq: UInt64?, sum: UInt64?) =
      index > 0 ? (lines[index - 1].seq, lines[index - 1].sum) : (0, 0)
    guard let last = previous.seq, let seed = previous.sum,
      let comma = bytes[line.range].firstIndex(of: UInt8(ascii: ","))
    else { return nil }
    let rest = bytes[comma...].prefix(max(0, line.range.upperBound - sumLength - comma))
    let right = Array("{\"seq\":\(last &+ 1)".utf8) + rest
    return XXH64.hash(right, seed: seed) == line.sum ? (last &+ 1, seed) : nil
  }

  /// Returns the position in the new log of the last kept event up to a position of the damaged
  /// log; 0 if there is none.
  public func position(of seq: UInt64) -> UInt64 {
    min(UInt64(kept), missing.position(of: seq))
  }

  /// Returns the lines to keep, in the order of their positions.
  private mutating func order(_ path: String) throws(LogError) -> [Int] {
    var byPosition: [UInt64: Int] = [:]
    var names = Names()
    var parser = LineParser()
    var batches: [Int: Batch] = [:]
    var ids: [EventID: UInt64] = [:]
    for segment in paths.indices {
      let bytes = try bytes(segment)
      for index in lines.indices where lines[index].segment == segment {
        let line = lines[index]
        guard line.reason == nil, let seq = line.seq else { continue }
        let event: RecordedEvent
        do throws(LineFault) {
          event = try parser.parseSealed(bytes[line.range], names: &names).recorded
        } catch {
          lines[index].reason = "\(error)"
          continue
        }
        batches[index] = event.batch
        lines[index].time = event.time
        if let other = ids.updateValue(seq, forKey: event.id), other != seq {
          throw Self.undecided(path, "the lines of seq \(other) and \(seq), with the same id,")
        }
        guard let other = byPosition[seq] else {
          byPosition[seq] = index
          continue
        }
        if lines[other].seed == line.seed, lines[other].own == line.own,
          lines[other].sum == line.sum || line.seed == nil
        {
          lines[index].reason = "it is a copy of another line"
        } else {
          throw Self.undecided(path, "two different lines of seq \(seq)")
        }
      }
    }
    var order = byPosition.sorted { $0.key < $1.key }.map(\.value)
    dropUnprovenTimes(&order)
    dropBrokenCommits(&order, batches)
    for (one, next) in zip(order, order.dropFirst()) where lines[next].time < lines[one].time {
      let seqs = [one, next].compactMap { lines[$0].seq.map(String.init) }
      throw Self.undecided(
        path, "the lines of seq \(seqs.joined(separator: " and ")), whose time goes back,")
    }
    return order
  }

  private static func undecided(_ path: String, _ lines: String) -> LogError {
    .notALog(
      path: path,
      reason: "\(lines) are both proven; a repair cannot decide which is right")
  }

  /// Drops the unproven lines whose time contradicts the order, and records the reason.
  private mutating func dropUnprovenTimes(_ order: inout [Int]) {
    var kept: [Int] = []
    for index in order {
      let line = lines[index]
      while let last = kept.last, line.time < lines[last].time, lines[last].isUnproven,
        !line.isUnproven
      {
        lines[kept.removeLast()].reason = "its time is after that of the next event"
      }
      if let last = kept.last, line.time < lines[last].time, line.isUnproven {
        lines[index].reason = "its time is before that of the previous event"
      } else {
        kept.append(index)
      }
    }
    order = kept
  }

  /// Drops the lines of incomplete commits, and records the reason.
  private mutating func dropBrokenCommits(_ order: inout [Int], _ batches: [Int: Batch]) {
    var kept: [Int] = []
    var at = 0
    while at < order.count {
      guard let batch = batches[order[at]] else {
        kept.append(order[at])
        at += 1
        continue
      }
      let end = at + min(batch.count, order.count - at)
      let commit = order[at..<end]
      let first = lines[order[at]].seq ?? 0
      let isWhole =
        batch.index == 1 && commit.count == batch.count
        && commit.enumerated().allSatisfy { offset, index in
          lines[index].seq == first + UInt64(offset)
            && batches[index] == Batch(index: offset + 1, count: batch.count)
        }
      if isWhole {
        kept += commit
        at = end
      } else {
        lines[order[at]].reason = "an event of its commit is missing"
        at += 1
      }
    }
    order = kept
  }

  private mutating func findMissing(_ order: [Int]) {
    let positions = order.compactMap { lines[$0].seq }
    var next: UInt64 = 1
    for seq in positions {
      if seq > next { missing.append(next...(seq - 1)) }
      next = seq + 1
    }
    // Only lines after the last kept one can be later events. A huge position is a damaged one.
    let tail = lines[((order.max() ?? -1) + 1)...]
    let lost = tail.compactMap(\.seq).filter { $0 >= next && $0 - next < UInt64(lines.count) }
    if let end = lost.max() { missing.append(next...end) }
    renumbered = order.compactMap { lines[$0].isRenumbered ? lines[$0].seq : nil }
    unproven = order.compactMap { lines[$0].isUnproven ? lines[$0].seq : nil }
    for seq in order.compactMap({ lines[$0].endsWrong ? lines[$0].seq : nil }) {
      if let last = wrongEnds.last, last.upperBound == seq - 1 {
        wrongEnds[wrongEnds.count - 1] = last.lowerBound...seq
      } else {
        wrongEnds.append(seq...seq)
      }
    }
    isOutOfOrder = zip(order, order.dropFirst()).contains { $0 > $1 }
    for line in lines where line.reason != nil {
      leftOut.append(
        LeftOut(
          file: paths[line.segment], line: line.number, offset: line.range.lowerBound,
          count: line.range.count, seq: line.seq, reason: line.reason ?? ""))
    }
  }

  /// Appends the events to the new log in their commits, up to 1,000 commits at a time.
  private mutating func write(
    _ order: [Int], to log: FileLog, _ progress: (Int, Int) -> Void
  ) async throws(LogError) {
    var commits: [Commit] = []
    var commit: [NewEvent] = []
    var (segment, bytes) = (-1, [UInt8]())
    var (parser, names) = (LineParser(), Names())
    for index in order {
      let line = lines[index]
      note(line, progress)
      if line.segment != segment { (segment, bytes) = (line.segment, try self.bytes(line.segment)) }
      let event: RecordedEvent
      do throws(LineFault) {
        event = try parser.parseSealed(bytes[line.range], names: &names).recorded
      } catch {
        throw .invalidEvent(error)
      }
      var new = NewEvent(event)
      new.time = line.time
      commit.append(new)
      if let batch = event.batch, batch.index < batch.count { continue }
      commits.append(Commit(commit))
      commit = []
      if commits.count == 1_000 { try await append(&commits, to: log) }
    }
    try await append(&commits, to: log)
  }

  private mutating func append(_ commits: inout [Commit], to log: FileLog) async throws(LogError) {
    for (result, commit) in zip(await log.append(commits), commits) {
      _ = try result.get()
      kept += commit.events.count
    }
    commits = []
  }

  private mutating func keepAside(_ target: String) throws(LogError) {
    for index in leftOut.indices {
      let left = leftOut[index]
      leftOut[index].keptIn = try Recovery.keep(
        left.offset..<left.offset + left.count, of: left.file, in: target, files)
    }
  }
}
