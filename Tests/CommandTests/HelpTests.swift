import Foundation
import Projections
import Replaying
import Testing

/// The files and examples in `--help` exist and work.
@Suite struct HelpTests {
  /// The help of each command, by its name.
  private func helps(_ shell: Shell) throws -> [(name: String, text: String)] {
    let names = try shell.run("eventlog --help").output
      .matches(of: #/\n  ([a-z-]+)  /#).map { String($0.output.1) }
    #expect(names.count > 25)
    return try names.map { ($0, try shell.run("eventlog \($0) --help").output) }
  }

  /// The commands that help proposes.
  private func examples(_ help: String) -> [String] {
    guard let all = help.range(of: "Examples:\n")?.upperBound else { return [] }
    return help[all...].split(separator: "\n").filter { !$0.hasPrefix("      ") }
      .map { String($0.dropFirst(2)) }
  }

  @Test("A file named in help is in the repository")
  func files() throws {
    let shell = try Shell()
    defer { shell.remove() }
    var found = 0
    for (name, text) in try helps(shell) {
      // A file that a command writes need not exist.
      for match in text.matches(of: #/(?:> )?(?:eventlogs|docs|Tests|Sources)(?:/[\w.-]+)+/#) {
        if match.output.hasPrefix(">") { continue }
        let path = Shell.repository.appending(path: String(match.output)).path
        #expect(FileManager.default.fileExists(atPath: path), "\(name): \(match.output)")
        found += 1
      }
    }
    #expect(found > 0)
  }

  @Test("The examples that query the demo have an answer")
  func examplesWork() throws {
    let shell = try Shell()
    defer { shell.remove() }
    // Examples that wait, write, run too long for a test, or need the reader's own files.
    let others = [
      "my.log", "big.log", "swift test", "> ", "-- run", "before-the-fix", "mended", "--log a",
      ".csv", "--log team", "postgresql://",
    ]
    var tried = 0
    for (name, text) in try helps(shell) where !["generate", "completions"].contains(name) {
      for example in examples(text) where !others.contains(where: example.contains) {
        let result = try shell.run(example)
        #expect(result.code == 0, "\(example): \(result.error)")
        tried += 1
      }
    }
    #expect(tried > 30, "\(tried)")
  }

  @Test("The help of a command with a PATH lists its kinds; with an EXPR it explains the syntax")
  func kinds() throws {
    let shell = try Shell()
    defer { shell.remove() }
    for (name, text) in try helps(shell) {
      let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      let usage = text.split(separator: "\n").first { $0.hasPrefix("Usage:") } ?? ""
      if usage.contains("PATH"), name != "init" {
        for kind in Catalogue.standard.kinds {
          #expect(words.contains("\(kind.name)/"), "\(name): \(kind)")
        }
      }
      if words.contains("EXPR") {
        #expect(words.contains("followers/lena.count > 5 and profile/lena.isPublic"), "\(name)")
      }
    }
    for name in ["watch", "bisect", "debug"] {
      #expect(try shell.run("eventlog \(name) --help").output.contains("An EXPR is a condition"))
    }
    for name in ["show", "paths", "diff", "history", "blame", "why", "what-if", "debug"] {
      #expect(try shell.run("eventlog \(name) --help").output.contains("leaderboard/"), "\(name)")
    }
  }
}
