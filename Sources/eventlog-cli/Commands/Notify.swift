extension Subcommand {
  static let notify = Subcommand(
    name: "notify", summary: "Print the notifications that are new since the last run",
    discussion: """
      Prints a line of JSON for each new notification that its receiver may see: the event's id \
      and position, the receiver, and the notification as GetNotifications shows it. The position \
      file keeps the progress and is saved after the line is written. So each notification is \
      printed at least once, and twice only if the command was killed in between. The first run \
      starts at the end of the log. An app that sends notifications to devices itself uses \
      `Notifier` and `PushSender`.
      """,
    options: [
      .log, .position, .follow,
      .flag("--from-start", "On the first run, start with the first event."),
      .rules, .unknown, .cold,
    ],
    examples: [
      "eventlog notify --log my.log --position push.position --follow":
        "Feed a script that sends them.",
      "eventlog notify --position demo.position --from-start": "All notifications of the demo.",
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
