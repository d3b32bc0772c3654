/// Prints the differences between a projection's rows and a file's rows, the cause of the first
/// difference, and the number of differences.
/// - Throws: exit 1 if anything differs.
func compare(
  _ answer: ProjectionAnswer, with file: String, of name: String, at revision: UInt64,
  in view: LogView, limit: Int?, _ invocation: Invocation
) async throws {
  let format = try invocation.format()
  let sides = try SideBySide(
    answer.rows, file: file, of: name, isPartial: invocation.flag("--partial"))
  var why: Why?
  if let path = sides.firstPath {
    let travel = try await invocation.timeTravel(view)
    why = try await travel.why(path, at: revision)
  }
  if format == .table, sides.differences.isEmpty {
    Output.line("\(counted(sides.count, "row")): nothing differs")
    return Output.line(styled(asOf(answer.head), .dim))
  }
  sides.rows(format, limit: limit, why: why).write(format, footer: asOf(answer.head))
  if format == .table, let why { writeWhy(why, revision, limit: limit) }
  if sides.differences.isEmpty { return }
  throw Failure(.refused, sides.summary(limit: limit))
}

private func writeWhy(_ why: Why, _ revision: UInt64, limit: Int?) {
  Output.line("")
  guard !why.reasons.isEmpty else {
    return Output.line("\(why.path.text): no event up to revision \(revision) affects it")
  }
  why.rows(limit: limit).write(.table, footer: why.footer(revision))
  if let limit, limit < why.reasons.count {
    Output.line("the last \(grouped(limit)) of them; for all: eventlog why '\(why.path.text)'")
  }
}

extension SideBySide {
  /// The path of the first difference that has a path.
  fileprivate var firstPath: StatePath? {
    differences.lazy.compactMap { $0.path.flatMap { try? StatePath($0) } }
      .first { $0.type != nil }
  }

  /// Returns a row for each difference. In formats for programs, each row has the difference's
  /// path, and the first row has the cause of the difference.
  fileprivate func rows(_ format: Format, limit: Int?, why: Why?) -> Rows {
    let forPrograms: [Rows.Column] = format == .table ? [] : [.text("path"), .text("why")]
    var rows = Rows(
      keys.map { .text($0.name, $0.title) }
        + [.text("member"), .number("file"), .number("log"), .text("in", "ROW IN")] + forPrograms)
    var why = why
    for difference in differences.prefix(limit ?? .max) {
      var cells =
        difference.key + [
          .optional(difference.member), difference.file, difference.log,
          .text(difference.side.rawValue),
        ]
      if format != .table {
        let isExplained = why.map { difference.path == $0.path.text } ?? false
        let events = isExplained ? why?.rows(limit: limit) : nil
        if isExplained { why = nil }
        cells += [.optional(difference.path), events.map { .json($0.json) } ?? .null]
      }
      rows.add(cells)
    }
    return rows
  }

  /// Returns a line such as `3 of 120 rows differ: 1 only in the file, 1 only in the log`.
  fileprivate func summary(limit: Int?) -> String {
    let count = differing.values.reduce(0, +)
    let parts = [(Side.file, "only in the file"), (.log, "only in the log")].compactMap {
      side, words in differing[side].map { "\(grouped($0)) \(words)" }
    }
    let listed =
      limit.map { $0 < differences.count } ?? false
      ? "; \(grouped(limit ?? 0)) of \(grouped(differences.count)) differences are listed, "
        + "--limit 0 lists all" : ""
    return "\(grouped(count)) of \(counted(self.count, "row")) differ\(self.count == 1 ? "s" : "")"
      + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")) + listed
  }
}
