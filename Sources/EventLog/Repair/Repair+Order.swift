import Events

extension Repair {
  /// The lines to keep, in the order of their positions.
  mutating func order(_ path: String) throws(LogError) -> [Int] {
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
        let id: EventID
        do throws(LineFault) {
          let parsed = try parser.parse(Array(bytes[line.range]), names: &names).line
          guard let event = RecordedEvent(parsed) else { throw parsed.missing }
          batches[index] = parsed.batch
          lines[index].time = event.time
          id = event.id
        } catch {
          lines[index].reason = "\(error)"
          continue
        }
        if let other = ids.updateValue(seq, forKey: id), other != seq {
          throw Self.undecided(path, "the lines of seq \(other) and \(seq), with one id,")
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
      reason: "\(lines) are both vouched for; which is right is not for a repair to say")
  }

  /// A commit is whole or absent.
  private mutating func dropBrokenCommits(_ order: inout [Int], _ batches: [Int: Batch]) {
    var kept: [Int] = []
    var at = 0
    while at < order.count {
      guard let batch = batches[order[at]] else {
        kept.append(order[at])
        at += 1
        continue
      }
      let end = min(order.count, at + batch.count)
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

  mutating func findMissing(_ order: [Int]) {
    let positions = order.compactMap { lines[$0].seq }
    var next: UInt64 = 1
    for seq in positions {
      if seq > next { missing.append(next...(seq - 1)) }
      next = seq + 1
    }
    let last = lines.compactMap { $0.reason == nil ? $0.seq : nil }.max() ?? 0
    let lost = lines.compactMap { line in line.reason == nil ? nil : line.seq }.filter {
      $0 >= next
    }
    if let end = lost.max(), end > last, end - next < UInt64(lines.count) {
      missing.append(next...end)
    }
    unproven = order.compactMap { index in
      lines[index].seed == nil && lines[index].own.isEmpty ? lines[index].seq : nil
    }
    isOutOfOrder = zip(order, order.dropFirst()).contains { $0 > $1 }
    for line in lines where line.reason != nil {
      leftOut.append(
        LeftOut(
          file: paths[line.segment], line: line.number, offset: line.range.lowerBound,
          count: line.range.count, seq: line.seq, reason: line.reason ?? ""))
    }
  }
}
