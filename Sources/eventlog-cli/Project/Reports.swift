import Events
import Projections
import TimeMachine

extension ProjectionCommand {
  static let reports = ProjectionCommand(
    name: "reports", summary: "what users have reported, the newest first",
    run: { asked in
      let replay = try await asked.replay(Reports())
      let (reports, names) = (replay.projection, replay.names)
      var out = Rows([
        .init(name: "report", title: "REPORT", isKey: true, path: "report/{report}.id"),
        .init(name: "user", title: "BY", path: "report/{report}.user"),
        .init(name: "kind", title: "KIND", path: "report/{report}.kind"),
        .init(name: "id", title: "ID", path: "report/{report}.id"),
        .init(name: "reason", title: "REASON", path: "report/{report}.reason"),
        .init(name: "time", title: "WHEN", path: "report/{report}.time"),
        .init(name: "outcome", title: "OUTCOME", path: "report/{report}.outcome"),
      ])
      for id in reports.all.reversed().prefix(asked.limit ?? .max) {
        guard let report = reports[id] else { continue }
        out.add([
          .text(names[id]), .text(names[report.user]), .text(report.content.kind.rawValue),
          .text(names[report.content.id]), .text(report.reason),
          .time(report.time, before: replay.head.time),
          report.outcome.map { .text($0.rawValue) } ?? .null,
        ])
      }
      return asked.answer(out, replay)
    })
}
