/// A checker that accepts the same lines as the strict parser. It also checks commits, and collects
/// stream revisions for a later check. For lines in the encoder's layout it is several times as
/// fast.
package struct LineChecker: ~Copyable {
  /// The facts about one chunk's lines that the caller must compare with those of other chunks.
  package struct Findings: Sendable {
    /// The stream's hash and the stream revision of each line.
    package var revisions: [StreamRevisions.Entry] = []
    /// The place of the chunk's first event in its commit; nil if its commit has one event.
    package var firstBatch: Batch?
    /// The place of the chunk's last event in its commit; nil if its commit has one event.
    package var lastBatch: Batch?

    package init() {}
  }

  private let key: UInt64
  private var parser = LineParser()
  private var names = Names()
  private var buffer = ByteBuffer()

  /// - Parameter key: The key with which `StreamRevisions.Entry` hashes the names of streams.
  package init(key: UInt64) { self.key = key }

  /// Checks the lines of a chunk that was scanned for all event types. Does not repeat the checks
  /// of the scan.
  /// - Returns: The facts to compare with other chunks; nil if a line is wrong.
  package mutating func check(_ chunk: ScannedChunk) -> Findings? {
    guard let scan = chunk.after, scan.damage == nil else { return nil }
    // The numbers of the ids are not used later. Emptying a large table keeps it small enough for
    // the CPU cache.
    if names.idCount > 8_192 { names.removeAll() }
    var found = Findings()
    found.revisions.reserveCapacity(scan.count)
    let isRight = chunk.block.withBytes { bytes in
      for (number, line) in scan.lines.enumerated() {
        let bytes = UnsafeBufferPointer(rebasing: bytes[line.start..<line.start + line.length])
        guard let (entry, batch) = place(of: line, bytes) else { return false }
        found.revisions.append(entry)
        if number == 0 {
          found.firstBatch = batch
        } else if !Batch.follows(batch, found.lastBatch) {
          return false
        }
        found.lastBatch = batch
      }
      return found.revisions.count == scan.count
    }
    return isRight ? found : nil
  }

  private mutating func place(
    of line: ScannedLine, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> (StreamRevisions.Entry, Batch?)? {
    if line.data > 1, let type = line.type,
      let place = LineParser.place(bytes, type, line.version, stream: line.stream, &names, &buffer)
    {
      return StreamRevisions.Entry(place.stream, place.rev, key: key).map { ($0, place.batch) }
    }
    guard let parsed = try? parser.parse(bytes, names: &names).line,
      var event = RecordedEvent(parsed)
    else { return nil }
    let entry = event.stream.withUTF8 { StreamRevisions.Entry($0, event.rev, key: key) }
    return entry.map { ($0, event.batch) }
  }
}

extension Batch {
  /// Returns whether an event at place `batch` in its commit may directly follow an event at place
  /// `previous` in its commit. It may not if a commit would then be incomplete. A place of nil
  /// means a commit of one event.
  package static func follows(_ batch: Batch?, _ previous: Batch?) -> Bool {
    if let previous, previous.index < previous.count {
      return batch?.index == previous.index + 1 && batch?.count == previous.count
    }
    return batch == nil || batch?.index == 1
  }
}
