extension Subcommand {
  static let export = Subcommand(
    name: "export", summary: "Print a log's events, as stored or as CloudEvents",
    arguments: "[A..B]", positionals: 0...1,
    discussion: """
      Prints the lines of the log byte for byte, or with --cloudevents one CloudEvents 1.0 object \
      per line. Another log can import the output: all of it into an empty log, or the output of \
      R.. into a log that ends with the same event R. Then both logs are equal, byte for byte.
      """,
    options: [
      .log, .flag("--cloudevents", "Print CloudEvents 1.0 in JSON, one per line."),
      .value("--source", "URI", "The source of the CloudEvents; /eventlog if not given."),
    ],
    examples: [
      "eventlog export > copy.jsonl": "Copy the demo's lines.",
      "eventlog export 1000.. --log a | eventlog import - --log b":
        "Bring b, a copy of a up to event 1000, up to date.",
      "eventlog export HEAD~10.. --cloudevents": "The last ten events as CloudEvents.",
    ],
    run: { invocation in
      let view = try invocation.openLog()
      let (after, until) = try invocation.range(in: view)
      let source = invocation.value("--source") ?? "/eventlog"
      if source.isEmpty { throw Failure.usage("--source takes a URI, which is not empty") }
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
