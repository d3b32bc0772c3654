import Events
import Foundation
import Testing

/// `docs/events.md` must match the code. `EVENTLOG_UPDATE_GOLDEN=1` rewrites it; review the diff,
/// because recorded events never change.
@Suite struct CatalogueDocumentTests {
  private let file = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "docs/events.md")

  private func table(_ schema: Schema) -> String {
    let rows = schema.members.map { member in
      let presence =
        switch member.presence {
        case .required: "always"
        case .optional: "may be absent"
        case .patch: "absent, null (cleared) or a value"
        }
      return "| `\(member.name)` | \(member.type) | \(presence) |\n"
    }
    return "| member | type | presence |\n|---|---|---|\n" + rows.joined()
  }

  private func document() throws -> String {
    var names = Names()
    _ = try names.user("USER")
    var text = """
      # The events

      This page lists every event type, its version and its members, in the order in which a line
      of the log has them. A test generates the page from `EventType` and `Schema`.

      A line states its version as `v`. A line without `v` in an import has the version on this
      page; [log-format.md](log-format.md) lists what earlier versions had.

      """
    for type in EventType.allCases {
      text += "\n## \(type.wireName)\n\nVersion \(type.version).\n\n" + table(Schema(type))
      if type == .workoutDetailAttached {
        text += "\nAn interval:\n\n" + table(.interval)
      }
    }
    return text
  }

  @Test("docs/events.md matches the event catalogue")
  func isCurrent() throws {
    let document = try document()
    if ProcessInfo.processInfo.environment["EVENTLOG_UPDATE_GOLDEN"] == "1" {
      try document.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == document)
  }
}
