import Events

extension Repair {
  /// Writes the events as commits, in groups.
  mutating func write(
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
        let parsed = try parser.parse(Array(bytes[line.range]), names: &names).line
        guard let recorded = RecordedEvent(parsed) else { throw parsed.missing }
        event = recorded
      } catch {
        throw .invalidEvent(error)
      }
      commit.append(NewEvent(event))
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

  mutating func keepAside(_ target: String) throws(LogError) {
    for index in leftOut.indices {
      let left = leftOut[index]
      leftOut[index].keptIn = try Recovery.keep(
        left.offset..<left.offset + left.count, of: left.file, in: target, files)
    }
  }
}
