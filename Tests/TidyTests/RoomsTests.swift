import Foundation
import Testing

/// Each file has one command, one use case, or the commands of a noun, and is named for it.
@Suite struct RoomsTests {
  /// The names that `pattern` captures in a source.
  static func names(
    in source: TidyTests.Source, _ pattern: Regex<(Substring, Substring)>
  ) -> [String] {
    source.lines.joined(separator: "\n").matches(of: pattern).map { String($0.output.1) }
  }

  static func fileName(_ source: TidyTests.Source) -> String {
    String(source.path.split(separator: "/").last?.dropLast(".swift".count) ?? "")
  }

  @Test("Each file of Commands declares one command and is named like it")
  func commands() {
    let files = TidyTests.swiftFiles(under: "Sources/eventlog-cli/Commands")
    #expect(files.count > 20)
    for source in files {
      let declared = Self.names(in: source, #/static let `?\w+`? = Subcommand\(\s*name: "([^"]+)"/#)
      let words = declared.map { $0.replacing("-", with: "") }
      #expect(
        words == [Self.fileName(source).lowercased()], "\(source.path) declares \(declared)")
    }
  }

  @Test("A file declares one use case and is named like it, or has the commands of a noun")
  func useCases() {
    var count = 0
    for source in TidyTests.swiftFiles(under: "Sources/UseCases") {
      let pattern = #/public struct (\w+): (?:Query|Command|SilentCommand|PhotoUseCase) \{/#
      let declared = Self.names(in: source, pattern)
      count += declared.count
      let name = Self.fileName(source)
      let areCommands = !declared.contains { $0.hasPrefix("Get") || $0.hasPrefix("Is") }
      #expect(
        declared.isEmpty || declared == [name]
          || name.hasSuffix("Commands") && declared.count > 1 && areCommands,
        "\(source.path) declares \(declared)")
    }
    #expect(count > 80)
  }

  @Test(
    "Few files know an event type or a projection, so that a new one touches few",
    arguments: [("commentHearted", 8), ("Leaderboard", 8)])
  func known(word: String, most: Int) {
    let files = TidyTests.swiftFiles(under: "Sources").filter { source in
      source.lines.contains { line in
        line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains { $0 == word }
      }
    }
    #expect((1...most).contains(files.count), "\(word) is in \(files.map(\.path))")
  }

  @Test("Each file that docs/architecture.md links to exists")
  func places() throws {
    let table = try Self.architecture("## Where is")
    let named = table.matches(of: #/`([\w+\/-]+\.swift)`/#).map { "Sources/\($0.output.1)" }
    #expect((1...12).contains(named.count))
    let there = Set(TidyTests.sources.map(\.path))
    for path in named { #expect(there.contains(path), "\(path) is not there") }
  }

  /// Returns a section of docs/architecture.md.
  private static func architecture(_ heading: String) throws -> String {
    let page = try String(
      contentsOf: TidyTests.repository.appending(path: "docs/architecture.md"), encoding: .utf8)
    return try #require(page.components(separatedBy: heading).dropFirst().first)
      .components(separatedBy: "\n## ")[0]
  }

  @Test("The four walks in docs/architecture.md list existing files and count them")
  func walks() throws {
    let walks = try Self.architecture("## Four walks").components(separatedBy: "\n### ").dropFirst()
    #expect(walks.count == 4)
    let existing = Set(TidyTests.sources.map(\.path))
    for walk in walks {
      let files = walk.matches(of: #/\n\d+\. `([\w+\/-]+\.swift)`/#).map {
        "Sources/\($0.output.1)"
      }
      for path in files { #expect(existing.contains(path), "\(path) does not exist") }
      #expect(
        Set(files).count == files.count && walk.contains("\n\(files.count) files."), "\(walk)")
    }
  }
}
