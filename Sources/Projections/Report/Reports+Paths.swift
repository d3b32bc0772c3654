import Events

extension StatePath.Kind {
  /// The paths `report/REPORT.MEMBER`: one for each field of a report.
  public static let report = StatePath.Kind(
    "report", ".kind and .id of the content, .user (reporter), .reason, .outcome", of: ["REPORT"],
    members: [
      "user": .id(of: .user), "kind": .text, "id": .text, "reason": .text,
      "time": .text.set(by: [.contentReported]), "outcome": .text,
    ],
    types: EventTypes.report, sources: [.report])
}

extension Reports: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.report]

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    guard let id: ReportID = names.find(path.ids[0]), let report = self[id] else {
      return Values()
    }
    return Values(
      names.path("report", id),
      [
        ("user", text(names[report.user])), ("kind", text(report.content.kind.rawValue)),
        ("id", text(names[report.content.id])), ("reason", text(report.reason)),
        ("time", text("\(report.time)")), ("outcome", text(report.outcome?.rawValue)),
      ])
  }
}
