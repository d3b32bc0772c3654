/// Writes the segments of a log that has forgotten somebody, beside the old ones.
///
/// The lines before the first that changes stay as they are, and so do the segments that have no
/// others; the segments begin with the same events as before.
struct NewSegments: ~Copyable {
  private static let pieceSize = 4 << 20

  private let view: LogView
  private let plan: ForgettingPlan
  private let files: FileSystem
  private var rewriter: Rewriter
  private var file: Int32?
  private var path = ""
  private var out = ByteBuffer(capacity: pieceSize + 1 << 20)
  private var seq: UInt64
  /// The sum of the line before.
  private var sum: UInt64 = 0
  /// How many of the lines that the plan touches are behind.
  private var passed = 0
  private var written = 0
  private var events = 0
  /// The new sums of the events that have bookmarks, and that of the old log's last event.
  private(set) var sums: [UInt64: UInt64] = [:]
  private(set) var sumAtHead: UInt64 = 0

  init(_ view: LogView, _ plan: ForgettingPlan, _ files: FileSystem) throws(LogError) {
    (self.view, self.plan, self.files) = (view, plan, files)
    rewriter = plan.rewriter.again()
    seq = (plan.first ?? 1) - 1
    for bookmark in try Bookmarks(view)?.all() ?? [] where bookmark.seq > seq {
      sums[bookmark.seq] = bookmark.sum
    }
  }

  deinit { if let file { try? files.close(file, path) } }

  mutating func write(
    _ pending: inout PendingRewriting, _ progress: (Int) -> Void
  ) throws(LogError) {
    let first = try view.address(of: seq + 1)
    var segment = first?.segment ?? view.segments.count - 1
    try begin(segment, &pending)
    try copy(segment, to: first?.offset ?? view.segments[segment].size)
    sum = try view.sum(segment, before: first?.offset ?? view.segments[segment].size) ?? 0
    for chunk in try view.chunks(after: seq, until: .max) {
      if chunk.segment != segment {
        try end()
        segment = chunk.segment
        try begin(segment, &pending)
      }
      let block = try view.read(chunk)
      try block.withBytes { (bytes) throws(LogError) in try lines(bytes) }
      if out.count >= Self.pieceSize { try flush() }
      written += block.byteCount
      progress(written)
    }
    sumAtHead = sum
    // An empty last segment is named after the event that comes next.
    if !plan.added.isEmpty, segment != view.segments.count - 1 {
      try end()
      try begin(view.segments.count - 1, &pending)
    }
    for event in plan.added { try add(event) }
    try end()
    // Half of it must never take the place of the log.
    guard passed == plan.touched.count - plan.added.count, events == plan.events else {
      throw .closed(reason: "\(events) of \(plan.events) events were written anew: a bug")
    }
  }

  private mutating func begin(
    _ segment: Int, _ pending: inout PendingRewriting
  ) throws(LogError) {
    let name = fileName(view.segments[segment].path)
    pending.names.append(name)
    let path = pending.newPath(name)
    file = try io { () throws(FileError) in try files.open(path, .createNew) }
    self.path = path
  }

  private mutating func flush() throws(LogError) {
    guard let file, out.count > 0 else { return }
    let path = path
    try io { () throws(FileError) in
      try out.withBytes { (bytes) throws(FileError) in
        try files.writeAll(UnsafeRawBufferPointer(bytes), to: file, path)
      }
    }
    out.truncate(to: 0)
  }

  private mutating func end() throws(LogError) {
    try flush()
    guard let file else { return }
    let path = path
    try io { () throws(FileError) in try files.sync(file, path) }
    self.file = nil
    try io { () throws(FileError) in try files.close(file, path) }
  }

  /// Copies the beginning of a segment as it is.
  private mutating func copy(_ segment: Int, to end: Int) throws(LogError) {
    for start in stride(from: 0, to: end, by: Self.pieceSize) {
      out.append(try view.bytes(segment, start..<min(end, start + Self.pieceSize)))
      try flush()
    }
  }

  /// Writes lines anew: those that change as they come to be, the others with their new sums.
  private mutating func lines(_ bytes: UnsafeBufferPointer<UInt8>) throws(LogError) {
    guard let base = bytes.baseAddress else { return }
    var at = 0
    while at < bytes.count, let feed = firstLineFeed(base + at, bytes.count - at) {
      let line = UnsafeBufferPointer(
        start: base + at, count: feed - UnsafeRawPointer(base + at))
      at += line.count + 1
      seq += 1
      if passed < plan.touched.count, plan.touched[passed] == seq {
        passed += 1
        if try change(line) { continue }
      }
      sum = XXH64.hash(base + (at - line.count - 1), line.count - sumLength, seed: sum)
      // All but the digits of the sum, a quotation mark and a brace.
      out.append(UnsafeBufferPointer(rebasing: line[..<(line.count - 18)]))
      out.appendHex(sum)
      out.append(Envelope.end)
      out.append(UInt8(ascii: "\n"))
      note()
    }
  }

  private mutating func note() {
    if sums[seq] != nil { sums[seq] = sum }
  }

  /// - Returns: whether the line comes to be another.
  private mutating func change(_ line: UnsafeBufferPointer<UInt8>) throws(LogError) -> Bool {
    let parsed = try rewriter.parsed(line, seq, view)
    guard let event = try changed(parsed) else { return false }
    sum = out.appendLine(event, after: sum)
    note()
    return true
  }

  private mutating func add(_ event: RecordedEvent) throws(LogError) {
    let changed = try changed(try rewriter.parsed(event))
    sum = out.appendLine(changed ?? event, after: sum)
  }

  /// The event as the new log has it; nil if it stays.
  private mutating func changed(_ line: Rewriter.Line) throws(LogError) -> RecordedEvent? {
    switch try rewriter.rewritten(line) {
    case .contents(let event):
      events += 1
      return event
    case .references(let event): return event
    case nil: return nil
    }
  }
}
