import Columns

extension Subcommand {
  static let scan = Subcommand(
    name: "scan", summary: "Print events as rows of typed columns, all or a piece of a log",
    arguments: "[A..B]", positionals: 0...1,
    discussion: """
      Checks the checksum, position and time of each line, and prints the selected events as an \
      Arrow IPC stream, for Spark, DuckDB or Polars. A damaged line ends the command with exit 65, \
      after the rows before it.

      With --bytes A-B it reads a piece: the lines that start at an offset from A to before B. \
      Offsets count through all segments of a folder, or within one segment file. The line before \
      the piece gives the checksum with which the first line is checked; --after states it, if it \
      is in another file or comes from --plan. Pieces that touch have each line exactly once, so \
      several machines verify a log together.

      Standard input must be sealed lines, as 'export' prints them.
      """,
    options: [
      .log,
      .value("--bytes", "A-B", "Only lines that start at these offsets; A- reads to the end."),
      .value(
        "--after", "SEQ:SUM", "The position and checksum of the event before the first line."),
      .value("--columns", "NAMES", "The columns, separated by commas; all if not given."),
      .value("--type", "TYPE", "Only events of this type.", repeats: true),
      .value("--since", "TIME", "Only events at or after this time."),
      .value("--until", "TIME", "Only events at or before this time."),
      .value("--format", "arrow|jsonl", "The output format; arrow if not given."), .jobs,
      .flag("--schema", "Print the columns and their types as JSON, and stop."),
      .value("--plan", "BYTES", "Print pieces of about this size as JSON, and stop."),
    ],
    examples: [
      "eventlog scan --columns seq,type,user --format jsonl": "Three columns as JSON.",
      "eventlog scan --type UserFollowed --log my.log > follows.arrow": "The follows, for DuckDB.",
      "eventlog scan --plan 134217728 --log my.log": "Divide a log into pieces of 128 MiB.",
    ],
    run: { invocation in
      if invocation.flag("--schema") { return printSchema() }
      if let size = invocation.value("--plan") { return try printPlan(invocation, size) }
      let format = try invocation.rowFormat()
      if format == .arrow, Terminal.isOutputTTY {
        throw Failure.usage("arrow is not text: redirect the output, or add --format jsonl")
      }
      let scan = ColumnScan(
        try invocation.columns(), try invocation.selection(), jobs: try invocation.jobs())
      Output.write(bytes: format.beginning(scan.columns))
      try await invocation.run(scan, format)
      Output.write(bytes: format.ending)
    })
}

private func printSchema() {
  for column in EventColumn.all {
    let row = JSONValue.object([
      .init("name", .string(column.name)),
      .init("type", .string(column.kind.rawValue)),
      .init("required", .bool(column.isRequired)),
    ])
    Output.data(row.text + "\n")
  }
}

private func printPlan(_ invocation: Invocation, _ text: String) throws {
  guard let size = Int(text), size > 0 else {
    throw Failure.usage("--plan takes a number of bytes from 1, not \(quoted(text))")
  }
  if invocation.readPath == "-" { throw Failure.usage("--plan needs a folder or a segment file") }
  let (view, damage) = try invocation.openPieces()
  if let damage { throw damage }
  for piece in try view.pieces(of: size) {
    let row = JSONValue.object([
      .init("file", .string(piece.file)),
      .init("from", .int(piece.bytes.lowerBound)),
      .init("to", .int(piece.bytes.upperBound)),
      .init("seq", .int(piece.before.seq)),
      .init("sum", .string(piece.before.sum.padded(to: 16, radix: 16))),
      .init("time", .string("\(piece.before.time)")),
    ])
    Output.data(row.text + "\n")
  }
  noteTail(of: view)
}

extension Invocation {
  /// Reads the log, or the piece of it, that the options name.
  fileprivate func run(_ scan: ColumnScan, _ format: RowFormat) async throws {
    let before = try eventBefore()
    let encode: @Sendable (RowBatch) -> [UInt8] = { format.encode($0) }
    if readPath == "-" {
      if value("--bytes") != nil {
        throw Failure.usage("standard input has no --bytes; give a piece's lines and --after")
      }
      var scan = scan
      scan.selection.positions = try numbers()
      let head = before ?? LogHead()
      try await scan.run(SealedStream(after: head), after: head, encode: encode, write: writeRows)
      return
    }
    let (view, damage) = try openPieces()
    do {
      try await run(scan, view, after: before, encode)
    } catch {
      // The rows that the range or the piece asks for may be after the damaged line.
      throw damage ?? error
    }
    if let damage { throw damage }
    noteTail(of: view)
  }

  /// Reads the piece of a view that the options name.
  private func run(
    _ scan: ColumnScan, _ view: LogView, after before: LogHead?,
    _ encode: @escaping @Sendable (RowBatch) -> [UInt8]
  ) async throws {
    var (scan, bytes) = (scan, try byteRange(in: view))
    if positionals.first != nil {
      if before != nil || view.isSegment {
        scan.selection.positions = try numbers()
      } else {
        let (after, until) = try range(in: view)
        scan.selection.positions = after &+ 1...max(after &+ 1, until)
        if until <= after { throw Failure.usage("the range is empty: \(after) is after \(until)") }
        bytes = bytes.clamped(to: try view.bytes(after: after, until: until))
      }
    }
    try await scan.run(view, bytes: bytes, after: before, encode: encode, write: writeRows)
  }

  /// Opens a folder, a segment file, or a file of other lines, which is read into memory up to the
  /// first damaged line.
  fileprivate func openPieces() throws -> (view: LogView, damage: Failure?) {
    do throws(LogError) {
      return (try LogView(segment: readPath, after: try? eventBefore()), nil)
    } catch {
      if case .notALog = error { return try openReadable() }
      if case .noSuchLog = error { return try openReadable() }
      throw error
    }
  }

  /// Returns the event in `--after`; nil if the option is not given.
  private func eventBefore() throws(Failure) -> LogHead? {
    guard let text = value("--after") else { return nil }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let seq = UInt64(parts[0]), seq <= Int64.max, parts[1].utf8.count == 16,
      let sum = UInt64(parts[1], radix: 16)
    else {
      throw .usage("--after takes a position and a checksum, such as 42:8f0c3a5d9be17264")
    }
    return LogHead(seq: seq, sum: sum)
  }

  /// Returns the range of offsets in `--bytes`; all of the log if the option is not given.
  private func byteRange(in view: LogView) throws(Failure) -> Range<Int> {
    guard let text = value("--bytes") else { return 0..<view.size }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let from = Int(parts[0]),
      let to = parts[1].isEmpty ? view.size : Int(parts[1]), from <= to
    else { throw .usage("--bytes takes offsets A-B with A up to B, not \(quoted(text))") }
    if to > view.size {
      throw Failure(
        .data, "\(view.path): the piece \(text) ends after the log, which has \(view.size) bytes")
    }
    return from..<to
  }

  /// Returns the positions of the range A..B, whose ends must be numbers.
  private func numbers() throws(Failure) -> ClosedRange<UInt64> {
    guard let text = positionals.first else { return 1...UInt64.max }
    guard let dots = text.firstRange(of: ".."),
      case (let from, let to) = (text[..<dots.lowerBound], text[dots.upperBound...]),
      let after = from.isEmpty ? 0 : UInt64(from), let until = to.isEmpty ? .max : UInt64(to),
      after < until
    else { throw .usage("a piece takes a range of positions such as 100..200") }
    return after + 1...until
  }

  fileprivate func rowFormat() throws(Failure) -> RowFormat {
    guard let text = value("--format") else { return .arrow }
    guard let format = RowFormat(rawValue: text) else {
      throw .usage(
        "--format takes arrow or jsonl, not \(quoted(text))"
          + didYouMean(text, RowFormat.allCases.map(\.rawValue), inSentence: true))
    }
    return format
  }

  fileprivate func columns() throws(Failure) -> [EventColumn] {
    guard let text = value("--columns") else { return EventColumn.all }
    let names = EventColumn.all.map(\.name)
    var columns: [EventColumn] = []
    for name in text.split(separator: ",").map(String.init) {
      guard let index = names.firstIndex(of: name) else {
        throw .usage("there is no column \(quoted(name)).\(didYouMean(name, names))")
      }
      if columns.contains(EventColumn.all[index]) {
        throw .usage("--columns names \(quoted(name)) twice")
      }
      columns.append(EventColumn.all[index])
    }
    if columns.isEmpty { throw .usage("--columns needs a name; see 'eventlog scan --schema'") }
    return columns
  }

  fileprivate func selection() throws(Failure) -> ColumnReader.Selection {
    var selection = ColumnReader.Selection()
    let names = Set(values("--type"))
    if !names.isEmpty {
      let types = EventType.allCases.filter { names.contains($0.name) }
      selection.types = EventTypes(types)
      // Also for events of a known type whose version is unknown.
      selection.otherTypes = names
      try checkTypes(names)
    }
    let since = try time("--since") ?? .earliest
    let until = try time("--until") ?? .latest
    guard since <= until else { throw .usage("no time is from --since to --until") }
    selection.times = since...until
    return selection
  }
}

/// Writes a batch of rows to standard output. A failed write ends the scan.
private func writeRows(_ bytes: [UInt8]) throws(LogError) {
  Output.write(bytes: bytes)
  if Output.isBroken {
    throw .file(FileError(call: "write", path: "standard output", code: EIO))
  }
}
