extension Subcommand {
  static let repair = Subcommand(
    name: "repair", summary: "Make a new log of what can be vouched for in a damaged one",
    arguments: "NEW", positionals: 1...1,
    discussion: """
      Writes a new log to the folder NEW and leaves the damaged one alone. A line is kept if its \
      sum vouches for it, given that of the line before, wherever they stand, or if the line after \
      it does. All else is kept aside, byte for byte, in NEW/recovered, and named line by line. \
      Nothing is mended within a line, and nothing is guessed: where two different lines of one \
      position are both vouched for, exit 65. A log with nothing wrong is not written anew.
      """,
    options: [.log, .format],
    examples: [
      "eventlog repair mended.log --log broken.log": "Then verify it."
    ],
    run: { try await runRepair($0) })
}

private func runRepair(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let target = invocation.positionals[0]
  let path = invocation.readPath
  guard path != "-" else { throw Failure.usage("a log in a folder can be repaired, not a pipe") }
  try checkNew(target)
  let repair: Repair
  let bar = Progress(label: "repairing", total: 0, unit: "bytes")
  defer { bar.finish() }
  do throws(LogError) {
    repair = try await Repair(of: path, into: target) { bar.update($0, of: $1) }
  } catch {
    if case .notALog = error { throw Failure(.data, "\(error)") }
    throw error
  }
  bar.finish()
  if repair.isWhole {
    if format == .table {
      Output.line("nothing is wrong with \(sanitized(path)); there is no new log")
    }
    return
  }
  try RecordedRules(folder: path).copy(to: target, head: UInt64(repair.kept))
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
    let many =
      range.count == 1
      ? "event \(range.lowerBound)" : "events \(range.lowerBound) to \(range.upperBound)"
    Output.remark("note: \(many) of the damaged log: not in the new one")
  }
  for seq in repair.resealed {
    Output.remark("note: event \(seq) is kept: only its sum was wrong, as the next line shows")
  }
  for seq in repair.unproven {
    Output.remark(
      "note: event \(seq) is kept, though the line before it is lost, against which its "
        + "sum would be checked")
  }
  Output.remark("\(counted(repair.kept, "event")) in \(target)")
}
