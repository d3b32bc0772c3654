import Foundation
import Testing

/// The same noun names a file or folder in each module of the domain.
@Suite struct NounTests {
  private static let nouns = [
    "Block", "Chup", "Comment", "Conversation", "Follow", "Friendship", "Group", "Profile",
    "Reaction", "Report", "Workout",
  ]

  /// Families of events that belong to the noun of another.
  private static let parts = [
    "accountDeleted": "Profile", "heart": "Comment", "member": "Group",
    "notification": "Notification",
  ]

  private static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(
      atPath: TidyTests.repository.appending(path: "Sources/\(path)").path)
  }

  @Test("A noun has its file in Events and Aggregates, its folder in Projections and UseCases")
  func places() {
    let places = ["Events/EventTypes/?.swift", "Aggregates/?.swift", "Projections/?", "UseCases/?"]
    for noun in Self.nouns {
      for place in places.map({ $0.replacing("?", with: noun) }) {
        #expect(Self.exists(place), "Sources/\(place) does not exist")
      }
    }
  }

  @Test("Each family of events has a noun, or belongs to the noun of another")
  func families() throws {
    let source = try #require(
      TidyTests.sources.first { $0.path == "Sources/Events/EventTypes/Event.swift" })
    let body = source.lines.drop { !$0.hasPrefix("public enum Event") }.prefix { $0 != "}" }
    let families = body.compactMap { line in
      line.firstMatch(of: #/^  case (\w+)\(\w+\)$/#).map { String($0.output.1) }
    }.filter { $0 != "app" }
    #expect(families.count > 12)
    for family in families {
      let isKnown =
        if let noun = Self.parts[family] {
          Self.exists("UseCases/\(noun)") && Self.exists("Projections/\(noun)")
        } else {
          Self.nouns.contains(family.prefix(1).uppercased() + family.dropFirst())
        }
      #expect(isKnown, "the family \(family) has no folder")
    }
  }

  @Test("Only three files distinguish Embedded Swift, which the page uses")
  func embedded() {
    let files = TidyTests.sources.filter { source in
      source.lines.contains { $0.contains("hasFeature(Embedded)") }
    }
    #expect(
      files.map(\.path) == [
        "Sources/Events/Embedded.swift", "Sources/Projections/Embedded.swift",
        "Sources/UseCases/Core/UseCase.swift",
      ])
  }
}
