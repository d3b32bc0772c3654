extension Subcommand {
  static let repair = Subcommand(
    name: "repair", summary: "Copy the intact events of a damaged log to a new log",
    arguments: "NEW", positionals: 1...1,
    discussion: """
      Writes a new log to the folder NEW and leaves the damaged one unchanged. A line is kept if \
      its checksum is right given the line before it, wherever the two stand, or if the next line \
      confirms it. All other bytes are kept in NEW/recovered, and each line left out is listed. \
      Nothing is corrected within a line, and nothing is guessed: if two different lines of one \
      position both have a right checksum, exit 65. A log without damage is not copied.

      With --times-after T, events later than T get the time of the last event that is not. Use it \
      after a wrong clock, since a log's times never go back. Ids and order stay.
      """,
    options: [
      .log, .value("--times-after", "T", "Correct the times that are later than T."), .format,
    ],
    examples: [
      "eventlog repair mended.log --log broken.log":
        "Copy the intact events; then verify the new log.",
      "eventlog repair right.log --times-after 2026-11-29T12:00:00Z --log my.log":
        "Correct the times that a wrong clock recorded.",
    ],
    run: { try await runRepair($0) })
}

private func runRepair(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let target = invocation.positionals[0]
  let path = invocation.readPath
  guard path != "-" else { throw Failure.usage("a log in a folder can be repaired, not a pipe") }
  let latest = try invocation.value("--times-after").map { (text) throws(Failure) in
    guard let time = DateTime(text)?.instant else {
      throw .usage(
        "--times-after takes a time such as 2026-01-31T12:00:00.000Z, not \(quoted(text))")
    }
    return time
  }
  try checkNew(target)
  let rules = try RecordedRules(folder: path)
  let repair: Repair
  let bar = Progress(label: "repairing", total: 0, unit: "bytes")
  defer { bar.finish() }
  do throws(LogError) {
    repair = try await Repair(of: path, into: target, timesAfter: latest) { bar.update($0, of: $1) }
  } catch {
    if case .notALog = error { throw Failure(.data, "\(error)") }
    throw error
  }
  bar.finish()
  if repair.isWhole {
    if format == .table {
      Output.line("nothing is wrong with \(sanitized(path)); no new log was written")
    }
    return
  }
  try rules.copy(to: target, position: repair.position)
  var rows = Rows([
    .text("file"), .number("line"), .number("offset"), .number("seq", "EVENT"), .number("bytes"),
    .text("reason", "LEFT OUT BECAUSE"), .text("keptIn", "KEPT IN"),
  ])
  for left in repair.leftOut {
    rows.add([
      .text(left.file), .int(left.line), .int(left.offset), .optional(left.seq), .int(left.count),
      .text(left.reason), .text(left.keptIn),
    ])
  }
  rows.write(format)
  for range in repair.missing {
    Output.remark("note: the new log lacks \(events(range)) of the damaged one")
  }
  for seq in repair.resealed {
    Output.remark("note: event \(seq) is kept: only its checksum was wrong, as the next line shows")
  }
  for seq in repair.renumbered {
    Output.remark("note: event \(seq) is kept: only its position was wrong, as its checksum shows")
  }
  for range in repair.wrongEnds {
    Output.remark(
      "note: \(events(range)) \(range.count == 1 ? "is" : "are") kept: only the line feed after "
        + "\(range.count == 1 ? "its line" : "each line") was wrong or missing")
  }
  for seq in repair.unproven {
    Output.remark(
      "note: event \(seq) is kept, but its checksum cannot be checked, because the line before it "
        + "is lost")
  }
  if repair.retimed > 0 {
    Output.remark("\(counted(repair.retimed, "event")) got an earlier time")
  }
  Output.remark("\(counted(repair.kept, "event")) in \(target)")
}

private func events(_ range: ClosedRange<UInt64>) -> String {
  range.count == 1
    ? "event \(range.lowerBound)" : "events \(range.lowerBound) to \(range.upperBound)"
}
