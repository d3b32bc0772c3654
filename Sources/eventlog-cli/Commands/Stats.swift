extension Subcommand {
  static let stats = Subcommand(
    name: "stats", summary: "Count a log's events by type, its bytes and segments",
    discussion:
      "Counts the events of each type, prints sizes and times, and verifies the checksums.",
    options: [.log, .format],
    examples: ["eventlog stats --format json": "Print JSON, for a program."],
    run: { invocation in
      let format = try invocation.format()
      let view = try invocation.openLog()
      let bar = Progress(label: "counting", total: view.size, unit: "bytes")
      let stats = try view.statistics { done, _ in bar.update(done) }
      bar.finish()
      var rows = Rows([
        .text("type"), .number("version", "V"), .number("events"), .number("percent", "%"),
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
    })
}
