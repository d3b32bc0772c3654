extension ProjectionCommand {
  static let reports = ProjectionCommand(
    name: "reports", summary: "the reports by users, newest first",
    run: { asked in
      try await asked.ask(Reports(), ofAll: true) { state in
        let (reports, names) = (state.views.all.reports, state.names)
        var out = Rows([
          .text("report", isKey: true, path: "report/{report}.id"),
          .text("user", "BY", path: "report/{report}.user"),
          .text("kind", path: "report/{report}.kind"), .text("id", path: "report/{report}.id"),
          .text("reason", path: "report/{report}.reason"),
          .text("time", "WHEN", path: "report/{report}.time"),
          .text("outcome", path: "report/{report}.outcome"),
        ])
        for id in reports.all.reversed().prefix(asked.most) {
          guard let report = reports[id] else { continue }
          out.add([
            .text(names[id]), .text(names[report.user]), .text(report.content.kind.rawValue),
            .text(names[report.content.id]), .text(report.reason), state.time(report.time),
            .optional(report.outcome?.rawValue),
          ])
        }
        return out
      }
    })
}
