import Events

/// A writer of an erased log's new segments, beside the old ones.
///
/// It leaves the segments before the first changed line as they are. In that line's segment, it
/// copies the earlier lines. Each new segment begins with the same event as the old one.
struct ErasedLogWriter: ~Copyable {
  private let view: LogView
  private let plan: ForgettingPlan
  private var eraser: EventEraser
  private var files: ReplacementSegmentWriter
  private var seq: UInt64
  /// The checksum of the line that was written last.
  private(set) var sum: UInt64 = 0
  /// The number of lines in `plan.touched` that were written so far.
  private var passed = 0
  private var written = 0
  private var events = 0
  /// The new checksums of bookmarked events, by position.
  private(set) var sums: [UInt64: UInt64] = [:]
  /// The new checksum of the event that was the old log's last one.
  private(set) var sumAtHead: UInt64 = 0

  init(_ view: LogView, _ plan: ForgettingPlan, _ files: FileSystem) throws(LogError) {
    (self.view, self.plan) = (view, plan)
    self.files = ReplacementSegmentWriter(view, files)
    eraser = plan.eraser.again()
    seq = (plan.first ?? 1) - 1
    for bookmark in try Bookmarks(view)?.all() ?? [] where bookmark.seq > seq {
      sums[bookmark.seq] = bookmark.sum
    }
  }

  mutating func write(
    _ pending: inout PendingRewriting, _ progress: (Int) -> Void
  ) throws(LogError) {
    let begun = try files.begin(at: seq + 1, &pending)
    var segment = begun.segment
    sum = begun.sum
    for chunk in try view.chunks(after: seq, until: .max) {
      if chunk.segment != segment {
        segment = chunk.segment
        try files.begin(segment, &pending)
      }
      let block = try view.read(chunk)
      try block.withBytes { (bytes) throws(LogError) in try lines(bytes) }
      try files.flushIfFull()
      written += block.byteCount
      progress(written)
    }
    sumAtHead = sum
    // If the last segment is empty, it begins with the first added event.
    if !plan.added.isEmpty, segment != view.segments.count - 1 {
      try files.begin(view.segments.count - 1, &pending)
    }
    for event in plan.added { try add(event) }
    try files.end()
    // An incomplete set of changes must never replace the log.
    guard passed == plan.touched.count - plan.added.count, events == plan.events else {
      throw .closed(reason: "\(events) of \(plan.events) events were rewritten, which is a bug")
    }
  }

  /// Writes lines: the changed ones with new contents, and all with new checksums.
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
      // The line without the checksum's digits, the quotation mark and the brace after them.
      files.out.append(UnsafeBufferPointer(rebasing: line[..<(line.count - 18)]))
      files.out.appendHex(sum)
      files.out.append(Envelope.end)
      files.out.append(UInt8(ascii: "\n"))
      if sums[seq] != nil { sums[seq] = sum }
    }
  }

  /// Writes a line's changed event; returns false, without writing, if the event does not change.
  private mutating func change(_ line: UnsafeBufferPointer<UInt8>) throws(LogError) -> Bool {
    guard let event = try changed(try eraser.parsed(line, view, seq: seq)) else { return false }
    sum = files.out.appendLine(event, after: sum)
    if sums[seq] != nil { sums[seq] = sum }
    return true
  }

  private mutating func add(_ event: RecordedEvent) throws(LogError) {
    let changed = try changed(try eraser.parsed(event))
    sum = files.out.appendLine(changed ?? event, after: sum)
  }

  /// Returns the event as the new log has it; nil if it is unchanged.
  private mutating func changed(_ line: EventEraser.Line) throws(LogError) -> RecordedEvent? {
    switch try eraser.rewritten(line) {
    case .contents(let event):
      events += 1
      return event
    case .references(let event): return event
    case nil: return nil
    }
  }
}
