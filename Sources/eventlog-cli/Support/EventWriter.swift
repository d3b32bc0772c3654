/// Prints one event in its full form.
func writeEvent(_ line: SealedLine, _ format: Format, _ marks: Marks = Marks()) {
  var writer = EventWriter(format: format, isShort: false, marks)
  writer.write(line)
  writer.end()
}

/// A writer that prints events: as whole log lines for programs, as paragraphs or lines for people.
struct EventWriter {
  private let format: Format
  private let isShort: Bool
  /// The marks on events. Only the forms for people have them.
  private let marks: Marks
  private var count = 0

  /// Creates a writer, and prints the format's heading or opening bracket.
  init(format: Format, isShort: Bool, _ marks: Marks) {
    (self.format, self.isShort, self.marks) = (format, isShort, marks)
    if format == .json { Output.write("[") }
    if format == .csv {
      Output.write("seq,time,type,v,stream,rev,actor,id,cause,batch,data,correlation\n")
    }
  }

  mutating func write(_ line: SealedLine) {
    let event = line.event
    switch format {
    case .json:
      Output.write(count == 0 ? "\n" : ",\n")
      Output.data(bytes: line.bytes)
    case .jsonl:
      Output.data(bytes: line.bytes)
      Output.write("\n")
    case .csv:
      Output.data(
        CSV.row([
          "\(event.seq)", "\(event.time)", event.type, "\(event.version)", event.stream,
          "\(event.rev)", event.actor, "\(event.id)", event.cause.map { "\($0)" } ?? "",
          event.batch.map { "\($0.index)/\($0.count)" } ?? "",
          escaped(String(decoding: event.data, as: UTF8.self)),
          event.correlation?.text ?? "",
        ]))
    case .table: isShort ? writeShort(event) : writeLong(event)
    }
    count += 1
  }

  func end() {
    if format == .json { Output.write(count == 0 ? "]\n" : "\n]\n") }
  }

  private func writeShort(_ event: RecordedEvent) {
    let members = String(decoding: event.data, as: UTF8.self)
    let text =
      "\(event.time) \(sanitized(event.actor)) \(sanitized(event.type)) \(sanitized(members))"
      + (marks.texts[event.seq].map { "   // \(sanitized($0))" } ?? "")
    let seq = "\(event.seq)"
    let room = Terminal.isOutputTTY ? max(20, Terminal.width - seq.count - 1) : Int.max
    Output.line(styled(seq, .yellow) + " " + (room == .max ? text : truncated(text, to: room)))
  }

  private func writeLong(_ event: RecordedEvent) {
    Output.line(
      styled("event \(event.seq)", .yellow) + "  " + styled(sanitized(event.type), .bold)
        + (event.version == 1 ? "" : " v\(event.version)"))
    Output.line("Time:    \(event.time)")
    Output.line("Actor:   \(sanitized(event.actor))")
    Output.line("Stream:  \(sanitized(event.stream)) @ \(event.rev)")
    Output.line("Id:      \(event.id)")
    if let cause = event.cause { Output.line("Cause:   \(cause)") }
    if let correlation = event.correlation { Output.line("Request: \(correlation)") }
    if let mark = marks.texts[event.seq] { Output.line("Mark:    \(sanitized(mark))") }
    if let batch = event.batch { Output.line("Batch:   \(batch.index) of \(batch.count)") }
    for (name, value) in members(of: event.data) {
      Output.line("    \(sanitized(name)): \(sanitized(value))")
    }
    if !event.extra.isEmpty {
      Output.line(
        "    (kept) \(sanitized(String(decoding: event.extra.dropFirst(), as: UTF8.self)))")
    }
    Output.line("")
  }

  /// Returns the fields of a canonical JSON object as texts. Values that are texts have no quotes.
  private func members(of data: [UInt8]) -> [(String, String)] {
    guard case .object(let members)? = try? JSONValue(object: data) else {
      return [("data", String(decoding: data, as: UTF8.self))]
    }
    return members.map { member in
      if case .string(let text) = member.value { return (member.name, text) }
      return (member.name, member.value.text)
    }
  }
}
