import Projections

extension Why {
  /// The events with certain roles, or all if none is given: the last ones, which are nearest to
  /// the present.
  func rows(_ roles: [Role] = [], limit: Int?) -> Rows {
    var rows = Rows(
      [.init(name: "role", title: "ROLE")] + Timeline.Cause.columns + [
        .init(name: "change", title: "CHANGE"),
        .init(name: "undoneBy", title: "UNDONE BY", alignment: .right),
        .init(name: "cause", title: "CAUSE"),
      ])
    let shown = reasons.filter { roles.isEmpty || roles.contains($0.role) }
    for reason in shown.suffix(limit ?? .max) {
      rows.add(
        [.text(reason.role.rawValue)] + reason.event.cells + [
          .text(reason.what.isEmpty ? reason.event.names.joined(separator: " ") : reason.what),
          reason.undoneBy.map { .int(Int($0)) } ?? .null,
          reason.causedBy.map { .int(Int($0)) }
            ?? reason.event.cause.map { .text("\($0)") } ?? .null,
        ])
    }
    return rows
  }

  /// The value, and the number of events with each role.
  func footer(_ revision: UInt64) -> String {
    let counts = Role.allCases.compactMap { role -> String? in
      let count = reasons.count { $0.role == role }
      return count == 0 ? nil : "\(grouped(count)) \(role.rawValue)"
    }
    let value = value.map { $0.words } ?? "none"
    return "\(path.text) is \(truncated(sanitized(value), to: 60)) as of revision \(revision): "
      + counts.joined(separator: ", ")
  }
}
