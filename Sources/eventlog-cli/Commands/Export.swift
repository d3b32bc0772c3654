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
      "eventlog export > copy.jsonl": "The demo's lines.",
      "eventlog export 1000.. --log a | eventlog import - --log b":
        "What b, a copy of a up to event 1000, lacks.",
      "eventlog export HEAD~10.. --cloudevents": "The last ten, as CloudEvents.",
    ],
    run: { invocation in
      let view = try invocation.openLog()
      let (after, until) = try invocation.range(in: view)
      let source = invocation.value("--source") ?? "/eventlog"
      let asCloudEvents = invocation.flag("--cloudevents")
      let bar = Progress(label: "exporting", total: Int(until - min(after, until)), unit: "events")
      try view.forEachLine(after: after, until: until) { line in
        if line.event.seq > until { return false }
        Output.data(bytes: asCloudEvents ? line.event.cloudEvent(source: source) : line.bytes)
        Output.write("\n")
        bar.update(Int(line.event.seq - after))
        return !Output.isBroken
      }
      bar.finish()
      noteTail(of: view)
    })
}
