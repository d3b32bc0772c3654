import Events

/// Makes a new log from the lines of a damaged log that can be vouched for, and keeps the rest
/// aside.
///
/// ```swift
/// let repair = try await Repair(of: "eventlogs/demo", into: "mended.log")
/// repair.isWhole  // true: nothing was to be done, and nothing was written
/// ```
/// A line is vouched for by its own sum, given the sum of the line before it, wherever the two are
/// now; or, if only its sum was damaged, by the sum of the line after it. Lines are put in the
/// order of their positions, and copies are left out. Nothing is changed within a line, and if two
/// lines that are both vouched for exclude each other, nothing is decided. The damaged log is not
/// touched.
///
/// The new log has its own positions, revisions and sums; ids, times, causes and commits stay. If
/// an event is left out, so is its whole commit.
/// - Complexity: reads the log three times, one segment in memory at a time; 300 bytes a line.
public struct Repair: Sendable {
  /// Bytes that are not in the new log.
  public struct LeftOut: Equatable, Sendable {
    public var file: String
    /// Counted from 1 within the file.
    public var line: Int
    public var offset: Int
    public var count: Int
    /// The position that the line claims.
    public var seq: UInt64?
    public var reason: String
    /// Where the bytes are kept.
    public var keptIn = ""
  }

  /// Events in the new log.
  public internal(set) var kept = 0
  public internal(set) var leftOut: [LeftOut] = []
  /// Positions of events that are kept although the line before them is lost, so that their sums
  /// cannot be checked.
  public internal(set) var unproven: [UInt64] = []
  /// Positions of events with a damaged sum, whose other bytes the line after them vouches for.
  public private(set) var resealed: [UInt64] = []
  /// Positions whose events are lost.
  public internal(set) var missing: [ClosedRange<UInt64>] = []
  /// Whether nothing was damaged; then no new log is made.
  public var isWhole: Bool {
    leftOut.isEmpty && missing.isEmpty && resealed.isEmpty && !isOutOfOrder
  }
  var isOutOfOrder = false

  /// A line as it was found.
  struct Line {
    var segment: Int
    var number: Int
    var range: Range<Int>
    var seq: UInt64?
    /// The sum it records, and the sums computed for each sum that the line before it may have.
    var sum: UInt64?
    var own: [UInt64] = []
    /// The sum of the line before it for which its own is right.
    var seed: UInt64?
    var reason: String?
    var time = Timestamp.earliest
  }

  /// Sums by position; of nearly all there is one.
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

  let files: FileSystem
  private(set) var paths: [String] = []
  var lines: [Line] = []
  /// The bytes of the segments, and the bytes read so far, over all three readings.
  private var size = 0
  private var done = 0

  /// - Parameter progress: called now and then with the bytes done and the bytes in all; each byte
  ///   of the log counts three times.
  /// - Throws: `.noSuchLog`, `.file`; `.notALog` if the two logs are the same, or if it is
  ///   undecided which of two lines is right.
  public init(
    of path: String, into target: String, files: FileSystem = .posix,
    progress: (Int, Int) -> Void = { _, _ in }
  ) async throws(LogError) {
    self.files = files
    let names = try Self.names(path, files)
    paths = names.map { path + "/" + $0 }
    for path in paths {
      size += try io { () throws(FileError) in try files.status(path).size }
    }
    for segment in paths.indices { try find(segment, progress) }
    try judge(progress)
    let order = try self.order(path)
    findMissing(order)
    if isWhole { return }
    let log = try FileLog(path: target, creating: true, files: files)
    try await write(order, to: log, progress)
    try keepAside(target)
  }

  private static func names(_ path: String, _ files: FileSystem) throws(LogError) -> [String] {
    do throws(FileError) {
      return try files.list(path).filter { SegmentName.first($0) != nil }.sorted()
    } catch {
      throw error.isNotFound ? .noSuchLog(path: path) : .file(error)
    }
  }

  /// The bytes of a segment.
  func bytes(_ segment: Int) throws(LogError) -> [UInt8] {
    let path = paths[segment]
    return try io { () throws(FileError) in try files.contents(of: path) }
  }

  /// Counts the reading of a line.
  mutating func note(_ line: Line, _ progress: (Int, Int) -> Void) {
    done += line.range.count + 1
    progress(done, 3 * size)
  }

  /// Finds the lines of a segment, and the position and sum that each records.
  private mutating func find(
    _ segment: Int, _ progress: (Int, Int) -> Void
  ) throws(LogError) {
    let bytes = try bytes(segment)
    var start = 0
    var number = 1
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0a) ?? bytes.count
      var line = Line(segment: segment, number: number, range: start..<end)
      bytes.withUnsafeBufferPointer { raw in
        let text = UnsafeBufferPointer(rebasing: raw[start..<end])
        guard let base = text.baseAddress, text.count > sumLength else { return }
        line.sum = recordedSum(base, text.count)
        line.seq = LogView.position(text, 0)
      }
      lines.append(line)
      note(line, progress)
      start = end + 1
      number += 1
    }
  }

  /// Decides which lines are vouched for, and why the others are not.
  private mutating func judge(_ progress: (Int, Int) -> Void) throws(LogError) {
    // By position, the sums that the next line may be checked against: recorded and computed ones.
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
              // Most lines are right and need nothing else.
              lines[index].seed = seed
            } else if lines[index].seed == nil {
              lines[index].own.append(own)
              sums.insert(own, at: seq)
            }
          }
          // The line before it may have lost its position and still have its sum.
          if lines[index].seed == nil, index > 0, let seed = lines[index - 1].sum,
            own(seed) == sum
          {
            lines[index].seed = seed
          }
        }
      }
    }
    // The sums that right lines were checked against are right too.
    var vouched = Sums()
    for line in lines {
      if let seq = line.seq, let seed = line.seed { vouched.insert(seed, at: seq - 1) }
    }
    for index in lines.indices {
      let line = lines[index]
      guard let seq = line.seq, seq > 0, let sum = line.sum else {
        lines[index].reason = "it is no line of a log"
        continue
      }
      if line.seed != nil { continue }
      // Its sum was changed, or the sum to check it against is lost.
      let claims = line.own.isEmpty ? [sum] : line.own
      if let right = claims.first(where: vouched[seq].contains) {
        if !line.own.isEmpty {
          lines[index].own = [right]
          resealed.append(seq)
        }
        continue
      }
      // Only the line itself vouches for it, and nothing contradicts it.
      if line.own.isEmpty, vouched[seq].isEmpty { continue }
      lines[index].reason = "its sum is wrong: it was changed"
    }
  }
}
