import Events

extension StatePath.Kind {
  /// `report/REPORT.MEMBER`.
  public static let report = StatePath.Kind(
    "report", ".kind and .id of what, .user by whom, .reason, .outcome", of: ["REPORT"],
    members: [
      "user": .id(of: .user), "kind": .text, "id": .text, "reason": .text,
      "time": .text.set(by: [.contentReported]), "outcome": .text,
    ],
    types: EventTypes.report, sources: [.report])
}

extension Reports: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.report]

  public static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    switch event {
    case .report(let event):
      Event.report(event).ids.only(ReportID.self).map { .path(.report, $0, names) }
    default: []
    }
  }

  public func facts(_ names: Names) -> [Fact] {
    names.all(ReportID.self).flatMap { facts(about: $0, names) }
  }

  private func facts(about id: ReportID, _ names: Names) -> [Fact] {
    guard let report = self[id] else { return [] }
    return Projections.facts(
      names.path("report", id),
      [
        ("user", text(names[report.user])), ("kind", text(report.content.kind.rawValue)),
        ("id", text(names[report.content.id])), ("reason", text(report.reason)),
        ("time", text("\(report.time)")), ("outcome", text(report.outcome?.rawValue)),
      ])
  }

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    let id: ReportID? = names.find(path.ids[0])
    return Values(id.map { facts(about: $0, names) } ?? [])
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] { [] }
}
