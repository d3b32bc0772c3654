import FaultTesting
import Foundation
import Testing

/// The Swift in README and documents compiles: the blocks of a page, one after the other, as one
/// program against the modules that were just built.
@Suite struct SnippetTests {
  private func swift(in name: String) throws -> String {
    let text = try String(contentsOf: Shell.repository.appending(path: name), encoding: .utf8)
    var isInside = false
    var program: [String] = []
    for line in text.components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        isInside = line == "```swift"
      } else if isInside {
        program.append(line)
      }
    }
    return program.joined(separator: "\n")
  }

  @Test("The Swift that the documents show compiles", arguments: TranscriptTests.documents)
  func compiles(_ name: String) throws {
    let program = try swift(in: name)
    guard !program.isEmpty else { return }
    let shell = try Shell()
    defer { shell.remove() }
    try program.write(
      to: shell.folder.appending(path: "main.swift"), atomically: true, encoding: .utf8)
    let modules = products.appending(path: "Modules").path
    let result = try shell.run(
      "swiftc -typecheck -swift-version 6 -I '\(modules)' main.swift 2>&1")
    #expect(result.code == 0, "\(name):\n\(result.output)")
  }

  @Test("The README has Swift to compile")
  func thereIsSwift() throws {
    #expect(try swift(in: "README.md").contains("import UseCases"))
  }
}
