import Events

/// A sorter of lines by time, limited only by disk space: an external merge sort.
///
/// If the lines do not fit in memory, the sorter writes sorted runs of them to a file. It merges
/// the runs when lines are read. It unlinks the file as soon as it is open, so that no file is left
/// behind.
/// - Complexity: while adding, `memory` bytes; while merging, as much, or 4 KiB for each run if
///   that is more.
struct LineSorter: ~Copyable {
  /// A line to sort, with the values that depend on the input's earlier lines.
  struct Line {
    /// The time to sort by; lines with equal keys keep their order.
    var key: Timestamp
    var time: Timestamp
    var id: EventID
    var number: Int
    var offset: Int
    var bytes: [UInt8]

    /// The approximate size in memory of a line apart from its bytes, in bytes.
    static let overhead = 160
  }

  static let defaultMemory = 32 << 20
  static let fileName = "sort.tmp"
  private static let headerLength = 7 * 8

  private struct Run {
    var at: Int
    let end: Int
    var buffer: [UInt8] = []
    var taken = 0
  }

  /// The next line of a run. Its bytes are not read yet.
  private struct Head {
    var line: Line
    var length: Int
    var run: Int
  }

  private let path: String
  private let files: FileSystem
  private let memory: Int
  /// The lines of the run that is being filled. After `finish`, if there is only this run, its
  /// remaining lines in reverse order.
  private var lines: [Line] = []
  private var held = 0
  private var file: Int32?
  private var size = 0
  private var runs: [Run] = []
  /// The next lines of all runs in reverse order: the last element is the next line.
  private var heads: [Head] = []

  /// - Parameter folder: the folder for the file of runs, if one is needed.
  init(folder: String, files: FileSystem = .posix, memory: Int = LineSorter.defaultMemory) {
    path = folder + "/" + Self.fileName
    (self.files, self.memory) = (files, memory)
  }

  deinit {
    if let file { try? files.close(file, path) }
  }

  private static func comes(_ a: Line, before b: Line) -> Bool {
    (a.key, a.number) < (b.key, b.number)
  }

  mutating func add(_ line: Line) throws(LogError) {
    lines.append(line)
    held += line.bytes.count + Line.overhead
    if held > memory { try spill() }
  }

  /// Ends adding. From now on, `next` returns the lines.
  mutating func finish() throws(LogError) {
    guard !runs.isEmpty else {
      lines.sort { Self.comes($1, before: $0) }
      return
    }
    try spill()
    lines = []
    for run in runs.indices { try readHead(of: run) }
  }

  /// Returns the next line in sorted order; nil at the end.
  mutating func next() throws(LogError) -> Line? {
    guard !runs.isEmpty else { return lines.popLast() }
    guard var head = heads.popLast() else { return nil }
    head.line.bytes = try take(head.length, of: head.run)
    try readHead(of: head.run)
    return head.line
  }

  /// Sorts the lines in memory and writes them as a run.
  private mutating func spill() throws(LogError) {
    guard !lines.isEmpty else { return }
    lines.sort { Self.comes($0, before: $1) }
    let file = try openFile()
    let start = size
    var out: [UInt8] = []
    for (index, line) in lines.enumerated() {
      let numbers: [UInt64] = [
        UInt64(bitPattern: line.key.milliseconds), UInt64(bitPattern: line.time.milliseconds),
        line.id.high, line.id.low, UInt64(line.number), UInt64(line.offset),
        UInt64(line.bytes.count),
      ]
      numbers.withUnsafeBytes { out.append(contentsOf: $0) }
      out += line.bytes
      lines[index].bytes = []
      if out.count >= 1 << 20 || index == lines.count - 1 {
        try io(files.writeAll(out, to: file, path))
        size += out.count
        out.removeAll(keepingCapacity: true)
      }
    }
    runs.append(Run(at: start, end: size))
    lines.removeAll(keepingCapacity: true)
    held = 0
  }

  private mutating func openFile() throws(LogError) -> Int32 {
    if let file { return file }
    try ifPresent(files.remove(path))
    let opened = try io(files.open(path, .createNew))
    file = opened
    try io(files.remove(path))
    return opened
  }

  private mutating func readHead(of run: Int) throws(LogError) {
    guard runs[run].at < runs[run].end || runs[run].taken < runs[run].buffer.count else {
      runs[run].buffer = []
      return
    }
    let bytes = try take(Self.headerLength, of: run)
    let numbers = (0..<7).map { index in
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) }
    }
    let line = Line(
      key: Timestamp(milliseconds: Int64(bitPattern: numbers[0])),
      time: Timestamp(milliseconds: Int64(bitPattern: numbers[1])),
      id: EventID(high: numbers[2], low: numbers[3]), number: Int(numbers[4]),
      offset: Int(numbers[5]), bytes: [])
    let place = heads.lowerBound { Self.comes(line, before: $0.line) }
    heads.insert(Head(line: line, length: Int(numbers[6]), run: run), at: place)
  }

  /// Returns the next bytes of a run, and reads more of it if needed.
  private mutating func take(_ count: Int, of run: Int) throws(LogError) -> [UInt8] {
    var found: [UInt8] = []
    found.reserveCapacity(count)
    while found.count < count {
      if runs[run].taken == runs[run].buffer.count { try fill(run) }
      let from = runs[run].taken
      let to = min(runs[run].buffer.count, from + count - found.count)
      found += runs[run].buffer[from..<to]
      runs[run].taken = to
    }
    return found
  }

  private mutating func fill(_ run: Int) throws(LogError) {
    let share = min(max(memory / runs.count, 4 << 10), 1 << 20)
    let wanted = min(share, runs[run].end - runs[run].at)
    let range = runs[run].at..<runs[run].at + wanted
    runs[run].buffer = try io(files.bytes(file ?? -1, range, path))
    let got = runs[run].buffer.count
    // The file ends early because another process truncated it.
    guard got > 0 else { throw .file(.stale("read", path)) }
    runs[run].taken = 0
    runs[run].at += got
  }
}
