import Foundation
import Testing

/// Runs every console block of the documents, and every transcript beside this file, and compares
/// them byte for byte. `EVENTLOG_UPDATE_TRANSCRIPTS=1 swift test --filter Transcript` rewrites
/// them: read the difference before you commit it.
///
/// A document with a line such as `<!-- needs sqlite3 -->` is run only if that command is
/// installed.
@Suite struct TranscriptTests {
  static let documents: [String] = {
    let fixed = ["README.md"]
    let folders = ["docs", "docs/apps", "docs/decisions", "Tests/CommandTests/Transcripts"]
    return fixed
      + folders.flatMap { folder in
        let names = try? FileManager.default.contentsOfDirectory(
          atPath: Shell.repository.appending(path: folder).path)
        return (names ?? []).filter { $0.hasSuffix(".md") }.sorted().map { folder + "/" + $0 }
      }
  }()

  /// The other command that a document needs, by the document's name.
  private static let needing = Dictionary(
    uniqueKeysWithValues: documents.compactMap { name in
      let file = Shell.repository.appending(path: name)
      let text = try? String(contentsOf: file, encoding: .utf8)
      return text?.firstMatch(of: /<!-- needs (\w+) -->/).map { (name, String($0.output.1)) }
    })

  private static func isThere(_ command: String) -> Bool {
    (try? Shell().run("command -v \(command)").code) == 0
  }

  @Test(
    "The documents show the command's real output",
    arguments: documents.filter { needing[$0] == nil })
  func documentsAreTrue(_ name: String) throws { try check(name) }

  @Test(
    "Documents that need other commands show the real output, if those are installed",
    arguments: needing.filter { isThere($0.value) }.keys.sorted())
  func needingOthers(_ name: String) throws { try check(name) }

  private func check(_ name: String) throws {
    let file = Shell.repository.appending(path: name)
    let text = try String(contentsOf: file, encoding: .utf8)
    let updated = try Transcript.rerun(text)
    if ProcessInfo.processInfo.environment["EVENTLOG_UPDATE_TRANSCRIPTS"] == "1" {
      try updated.write(to: file, atomically: true, encoding: .utf8)
      return
    }
    for (was, line) in zip(
      text.components(separatedBy: "\n"), updated.components(separatedBy: "\n"))
    where was != line {
      Issue.record("\(name) shows\n  \(was)\nbut the command prints\n  \(line)")
      return
    }
    #expect(text == updated, "\(name) is not as long as what the commands print")
  }

  @Test("There are transcripts to check")
  func thereAreTranscripts() {
    #expect(Self.documents.count >= 5)
    #expect(
      Self.needing == [
        "docs/migrating.md": "sqlite3", "docs/apps/erg.md": "python3",
        "docs/apps/ride.md": "python3",
      ])
  }
}

/// A document with console blocks, in which the output follows each line that begins with `$ `.
enum Transcript {
  static func rerun(_ text: String) throws -> String {
    let shell = try Shell()
    defer { shell.remove() }
    var result: [String] = []
    var isInside = false
    var isSkipping = false
    // An exported variable stays set for the following commands.
    var exports = ""
    for line in text.components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        isInside = line == "```console"
        isSkipping = false
        result.append(line)
      } else if isInside, line.hasPrefix("$ ") {
        result.append(line)
        isSkipping = true
        if line.hasPrefix("$ export ") { exports += line.dropFirst(2) + "; " }
        let printed = try shell.run(exports + command(line) + " 2>&1").output
        if !printed.isEmpty {
          result += printed.dropLast(printed.hasSuffix("\n") ? 1 : 0)
            .components(separatedBy: "\n")
        }
      } else if !isInside || !isSkipping {
        result.append(line)
      }
    }
    return result.joined(separator: "\n")
  }

  /// The README starts with `swift run`; here the command is already built.
  private static func command(_ line: String) -> String {
    let text = String(line.dropFirst(2))
      .replacingOccurrences(of: "swift run eventlog", with: "eventlog")
    return "{ \(text); }"
  }
}
