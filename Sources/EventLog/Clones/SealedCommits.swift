import Events

/// Lines of a log, parsed and grouped into commits.
struct SealedCommits {
  var commits: [SealedCommit] = []

  /// Parses lines, each with its line feed. Leaves out the last commit if it is incomplete.
  /// - Throws: `RemoteFault.damaged` for an invalid line.
  init(_ bytes: [UInt8], after position: UInt64, from name: String) throws(LogError) {
    var parser = LineParser()
    var names = Names()
    var open = SealedCommit()
    var seq = position
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      seq += 1
      do throws(LineFault) {
        open.events.append(try parser.parseSealed(line, names: &names).recorded)
      } catch {
        throw .remote(.damaged(name, seq: seq, error))
      }
      open.lines.append(Array(line))
      if let batch = open.events.last?.batch, batch.index < batch.count { continue }
      commits.append(open)
      open = SealedCommit()
    }
  }
}

extension RemoteBatch {
  init(after head: LogHead, _ commits: [SealedCommit]) {
    self.init(after: head.seq, head.sum, Self.lines(of: commits))
  }

  /// Parses consecutive lines of a shared log. Leaves out the last commit if it is incomplete.
  /// - Parameters:
  ///   - bytes: the lines, each with its line feed.
  ///   - position: the position of the event before the first line.
  ///   - name: the shared log's name, for errors.
  /// - Throws: `RemoteFault.damaged` for an invalid line.
  package static func lines(
    in bytes: [UInt8], after position: UInt64, of name: String
  ) throws(LogError) -> [Line] {
    lines(of: try SealedCommits(bytes, after: position, from: name).commits)
  }

  private static func lines(of commits: [SealedCommit]) -> [Line] {
    commits.flatMap { commit in
      zip(commit.events, commit.lines).map { event, line in
        Line(
          bytes: line, stream: event.stream, revision: event.rev, id: event.id, sum: event.sum)
      }
    }
  }
}

extension LogView {
  /// Returns whole lines after a position, all of one segment, each with its line feed.
  /// - Parameter limit: the approximate maximum in bytes. At least one line is returned if there is
  ///   one.
  package func lines(after position: UInt64, limit: Int) throws(LogError) -> [UInt8] {
    guard let place = try address(of: position + 1) else { return [] }
    let size = segments[place.segment].size
    var end = min(size, place.offset + max(limit, 1))
    if end < size {
      let start = try lineStart(place.segment, before: end)
      end = start > place.offset ? start : try lineEnd(place.segment, from: end) + 1
    }
    var bytes = try bytes(place.segment, place.offset..<min(end, size))
    if bytes.last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
    return bytes
  }
}
