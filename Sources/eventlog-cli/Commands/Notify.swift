extension Subcommand {
  static let notify = Subcommand(
    name: "notify", summary: "Print what users are to be told of since the last time",
    discussion: """
      Prints a line of JSON for each new notification that its receiver may see: the event's id \
      and position, the receiver, and the notification as GetNotifications shows it. How far it \
      has come is kept in a file, which is saved after the line is written: so each is printed at \
      least once, and twice only if the command was killed in between. The first time it begins \
      at the end of the log. An app sends them to devices itself (`Notifier`, `PushSender`).
      """,
    options: [
      .log, .position, .follow,
      .flag("--from-start", "The first time, begin with the first event."),
      .rules, .unknown, .cold,
    ],
    examples: [
      "eventlog notify --log my.log --position push.position --follow":
        "For a script that sends them on.",
      "eventlog notify --position demo.position --from-start": "All that stands in the demo.",
    ],
    run: { invocation in
      let position = try invocation.positionFile()
      let core = try await invocation.openCoreForReading(follows: invocation.flag("--follow"))
      let lines = PushLines {
        Output.line($0)
        try Output.flush()
      }
      let notifier = Notifier(
        core, lines, from: position, fromStart: invocation.flag("--from-start"))
      if invocation.flag("--follow") { try await notifier.follow() }
      let sent = try await notifier.run()
      Output.remark(sent == 0 ? "nothing new" : "\(grouped(sent)) new")
    })
}
