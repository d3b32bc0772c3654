import FaultTesting
import Foundation
import Testing

/// The Swift in README, documents and doc comments is compiled against the modules just built, and
/// run.
@Suite struct SnippetTests {
  /// The documents that show Swift.
  static let documents = TranscriptTests.documents.filter { name in
    (try? !blocks(in: name).isEmpty) ?? true
  }

  /// The Swift blocks of a file, in which each line may begin with `///`.
  private static func blocks(in name: String) throws -> [String] {
    let text = try String(contentsOf: Shell.repository.appending(path: name), encoding: .utf8)
    var blocks: [String] = []
    var block: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var line = line
      if name.hasSuffix(".swift") {
        line = line.drop { $0 == " " }
        guard line.hasPrefix("///") else { continue }
        line = line.dropFirst(line.hasPrefix("/// ") ? 4 : 3)
      }
      if line.hasPrefix("```") {
        if let lines = block { blocks.append(lines.joined(separator: "\n")) }
        block = block == nil && line == "```swift" ? [] : nil
      } else {
        block?.append(line)
      }
    }
    return blocks
  }

  /// Runs the tests of a program that has some, as the package manager does for a test target.
  private static let runner = """
    @main struct Runner {
      static func main() async { await Testing.__swiftPMEntryPoint() as Never }
    }
    """

  @Test(
    "The Swift of a document, as one program, compiles without warnings and runs",
    arguments: documents)
  func documentsRun(_ name: String) throws {
    let program = try Self.blocks(in: name).joined(separator: "\n")
    let hasTests = program.contains("import Testing")
    let shell = try Shell()
    defer { shell.remove() }
    let files = hasTests ? ["code.swift": program + "\n" + Self.runner] : ["main.swift": program]
    let result = try SwiftProgram(files: files).run(in: shell)
    #expect(result.code == 0, "\(name):\n\(result.output)")
    if hasTests {
      #expect(result.output.contains(/with [1-9]\d* tests? .*passed/), "\(result.output)")
    }
  }

  @Test("The Swift of every doc comment runs and has the values that its comments state")
  func commentsRun() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let fixture = Shell.repository.appending(path: "Tests/CommandTests/Snippets/Fixture.swift")
    var files = ["Fixture.swift": try String(contentsOf: fixture, encoding: .utf8)]
    var calls: [String] = []
    for name in try sources() {
      for block in try Self.blocks(in: name) {
        let number = calls.count
        files["snippet\(number).swift"] = Self.function("snippet\(number)", of: block)
        calls.append("try await run(\"\(name)\", snippet\(number))")
      }
    }
    #expect(calls.count > 50)
    files["all.swift"] = """
      import Testing

      @Test func comments() async throws {
        \(calls.joined(separator: "\n  "))
      }

      \(Self.runner)
      """
    // The compiler warns about a line that is only a value.
    let result = try SwiftProgram(files: files, isStrict: false).run(in: shell)
    #expect(result.code == 0, "\(result.output)")
  }

  @Test("The program of README is the one that the consumer of Tests/Consumer builds")
  func readme() throws {
    let program = try #require(try Self.blocks(in: "README.md").first)
    let main = Shell.repository.appending(path: "Tests/Consumer/Sources/Readme/main.swift")
    #expect(try String(contentsOf: main, encoding: .utf8) == program + "\n")
  }

  @Test(
    "Every natural way to catch what a use case throws compiles and runs",
    arguments: Sweep.chosen == .short ? [false] : [false, true])
  func catching(optimized: Bool) throws {
    let main = Shell.repository.appending(path: "Tests/Consumer/Sources/Catching/main.swift")
    let shell = try Shell()
    defer { shell.remove() }
    var program = SwiftProgram(files: ["main.swift": try String(contentsOf: main, encoding: .utf8)])
    program.isOptimized = optimized
    let result = try program.run(in: shell)
    #expect(result.code == 0, "\(result.output)")
    let lines = result.output.split(separator: "\n").filter { $0.first?.isNumber == true }
    let numbers = lines.compactMap { Int($0.prefix { $0.isNumber }) }
    #expect(numbers == Array(1...16), "\(result.output)")
  }

  private func sources() throws -> [String] {
    let folder = Shell.repository.appending(path: "Sources")
    return SwiftProgram.libraries.flatMap { library in
      let names = FileManager.default.enumerator(atPath: folder.appending(path: library).path)
      return (names?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }
        .sorted().map { "Sources/\(library)/\($0)" }
    }
  }

  /// A comment's code as a function with access to the fixture's values, with its types and
  /// extensions before it. A line such as `expr  // value` is checked for its value.
  private static func function(_ name: String, of block: String) -> String {
    let imports = SwiftProgram.libraries.map { "@testable import \($0)" }.joined(separator: "\n")
    let header = imports + "\nimport Testing\n\n"
    let declares = ["extension ", "struct ", "/// ", "@Test "].contains { block.hasPrefix($0) }
    if declares { return header + block + "\nfunc \(name)(_ fixture: Fixture) async throws {}\n" }
    let value =
      #/
      (\S.*?)\s{2,}//\ (
        true | false | nil | -?\d[\d_]* | 0x[0-9a-f]+ | "[^"]*" | \[[\w",\ .]*\] | \.\w+
      )(?:[:,;.\ ].*)?
      /#
    let body = block.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard let match = line.wholeMatch(of: value), !match.1.hasPrefix("let "),
        !match.1.hasPrefix("var ")
      else { return String(line) }
      return "do { let found = \(match.1); expect(found, \(match.2)) }"
    }
    return header + """
      func \(name)(_ fixture: Fixture) async throws {
        \(prelude)
        do {
      \(body.joined(separator: "\n"))
        }
      }

      """
  }

  /// Every member of the fixture as a variable.
  private static let prelude = {
    let path = Shell.repository.appending(path: "Tests/CommandTests/Snippets/Fixture.swift")
    let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    return text.prefix(upTo: text.firstRange(of: "init()")?.lowerBound ?? text.endIndex).matches(
      of: /\n  (?:var|let) (\w+)/
    ).map { "var \($0.1) = fixture.\($0.1)" }
      .joined(separator: "; ")
  }()
}
