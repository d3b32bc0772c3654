import FaultTesting
import Foundation
import Testing

/// The same answers from SQL over the lines, written separately
/// (`Tests/Independent/projections.sql`).
@Suite struct SQLTests {
  private let script = Shell.repository.appending(path: "Tests/Independent/sql.py").path

  @Test(
    "Counts, friends, chups and leaderboard of the stories equal those of SQL",
    arguments: ["demo", "climb", "erg", "ride"])
  func stories(_ name: String) throws {
    let shell = try Shell()
    defer { shell.remove() }
    for revision in ["", "10", "20"] {
      let result = try shell.run("python3 '\(script)' eventlog eventlogs/\(name) \(revision)")
      #expect(result.code == 0, "\(result.output)\(result.error)")
      #expect(result.output.contains("numbers agree"))
    }
  }

  @Test("Counts of a generated history equal those of SQL, at the end and at earlier revisions")
  func generated() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let isShort = Sweep.chosen == .short
    try (isShort ? GeneratedLog.small : .medium).copy(to: "g.log", in: shell)
    for revision in isShort ? ["", "1234", "2987"] : ["", "1234", "9876", "15000"] {
      let result = try shell.run("python3 '\(script)' eventlog g.log \(revision)")
      #expect(result.code == 0, "\(result.output)\(result.error)")
    }
  }
}
