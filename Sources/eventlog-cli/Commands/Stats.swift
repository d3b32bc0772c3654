import Events
import TimeMachine

extension Subcommand {
  static let stats = Subcommand(
    name: "stats", summary: "Count what is in a log: events by type, bytes, segments, times",
    arguments: "", positionals: 0...0,
    discussion:
      "Counts the events of each type and prints sizes and times. Verifies the sums on the way.",
    options: [.log, .format],
    examples: [Example(command: "eventlog stats --format json", help: "For a program.")],
    run: { try runStats($0) })
}

private func runStats(_ invocation: Invocation) throws {
  let format = try invocation.format()
  let view = try invocation.openLog()
  let bar = Progress(label: "counting", total: view.size, unit: "bytes")
  let stats = try failing { () throws(LogError) in
    try view.statistics { done, _ in bar.update(done) }
  }
  bar.finish()
  var rows = Rows([
    .init(name: "type", title: "TYPE"), .init(name: "version", title: "V", alignment: .right),
    .init(name: "events", title: "EVENTS", alignment: .right),
    .init(name: "percent", title: "%", alignment: .right),
  ])
  for (type, count) in stats.ranking {
    let share = Double(count) * 100 / Double(max(stats.events, 1))
    rows.add([.text(type.name), .int(type.version), .int(count), .json(fixed(share, 1))])
  }
  if format == .table {
    let average = stats.events == 0 ? 0 : stats.bytes / stats.events
    Output.line(
      styled(sanitized(view.path), .bold)
        + "  \(counted(stats.events, "event")), \(byteSize(stats.bytes)) in "
        + "\(counted(stats.segments, "segment")), \(grouped(average)) bytes an event")
    if let first = stats.first, let last = stats.last { Output.line("\(first) … \(last)") }
    Output.line("")
  }
  rows.write(format)
  noteTail(of: view)
}
