import FaultTesting
import Foundation
import PropertyTesting
import Testing
import UseCases

/// The walk-through of docs/property-testing.md: a planted mistake, and the way to find it.
@Suite struct ContactSyncTests {
  private static func text(_ path: String) throws -> String {
    try String(contentsOf: repository.appending(path: path), encoding: .utf8)
  }

  @Test(
    "The document's mistake is found, shrunk to the log that it shows, and reported as it shows")
  func walkThrough() async throws {
    let found = try await issues {
      try await check(runs: 500, seed: 20_260_119_000_000, file: nowhere) { t in
        let log = try await t.draw(.history(max: 40), "history").log()
        let sync = ContactSync(core: try await Core(log), log: log)
        let user = t.draw(.element(of: Self.users), "user")
        let contact = t.draw(.element(of: Self.users), "contact")
        try await sync.add(contact, to: user)
        try await t.keep(log)
        #expect(try Check(log.view()).findings == [])
      }
    }
    #expect(found.count == 1)
    let document = try Self.text("docs/property-testing.md")
    // The report, without the places of files.
    let report = found[0].text.split(separator: "\n").filter {
      !$0.contains("as a log: ") && !$0.contains("as a page: ")
    }
    #expect(report.filter { !document.contains($0) } == [])
    // The log, without the time of its last line.
    let place = try #require(found[0].text.firstMatch(of: /as a log: (.*)/)).output.1
    let log = try String(contentsOfFile: String(place), encoding: .utf8)
    let shipped = try Self.text("eventlogs/mysteries/contact-sync.jsonl")
    func events(_ log: String) -> [Substring] {
      log.split(separator: "\n").map { $0.drop { $0 != "t" }.dropFirst(37) }
    }
    #expect(events(log) == events(shipped), "\(log)")
    // The beginning of its listing, with the marks.
    let arguments = ["log", "--oneline", "--reverse", "-n", "2", "--log", String(place)]
    let listing = try await runProduct("eventlog", arguments).text
    let isShown = document.contains(listing)
    #expect(isShown, "\(listing)")
  }

  @Test("The document shows the code that is tested here, word for word")
  func code() throws {
    let document = try Self.text("docs/property-testing.md")
    for name in ["ContactSync", "Follows", "SmallCache"] {
      let source = try Self.text("Tests/PropertyTestingTests/\(name).swift")
      #expect(document.contains(source), "\(name)")
    }
  }

  private static let users = ["u1", "u2", "u3", "u4", "u5"]
}
