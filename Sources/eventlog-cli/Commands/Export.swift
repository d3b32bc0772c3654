import Events

extension Subcommand {
  static let export = Subcommand(
    name: "export", summary: "Write the events out, as they are or as CloudEvents",
    arguments: "[A..B]", positionals: 0...1,
    discussion: """
      Prints the lines of the log, byte for byte, or with --cloudevents one CloudEvents 1.0 object \
      a line. What is exported can be imported elsewhere: all of it into an empty log, or R.. into \
      a log that ends with the same event R. Then both logs are the same, byte for byte.
      """,
    options: [
      .log, .flag("--cloudevents", "CloudEvents 1.0 in JSON, one a line."),
      .value("--source", "URI", "The source of the CloudEvents; /eventlog if not given."),
    ],
    examples: [
      Example(command: "eventlog export > copy.jsonl", help: "The demo's lines."),
      Example(
        command: "eventlog export 1000.. --log a | eventlog import - --log b",
        help: "What b, a copy of a up to event 1000, lacks."),
      Example(
        command: "eventlog export HEAD~10.. --cloudevents", help: "The last ten, as CloudEvents."),
    ],
    run: { try runExport($0) })
}

private func runExport(_ invocation: Invocation) throws {
  let view = try invocation.openLog()
  let (after, until) = try invocation.range(in: view)
  let source = invocation.value("--source") ?? "/eventlog"
  let asCloudEvents = invocation.flag("--cloudevents")
  let bar = Progress(label: "exporting", total: Int(until - min(after, until)), unit: "events")
  try failing { () throws(LogError) in
    try view.forEachLine(after: after, until: until) { line in
      if line.event.seq > until { return false }
      if asCloudEvents {
        Output.data(bytes: line.event.cloudEvent(source: source))
      } else {
        Output.data(bytes: line.bytes)
      }
      Output.write("\n")
      bar.update(Int(line.event.seq - after))
      return !Output.isBroken
    }
  }
  bar.finish()
  noteTail(of: view)
}
