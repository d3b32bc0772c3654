import FaultTesting
import Foundation
import Testing

/// The simulator of phones; Tests/Phones/run runs more seeds and all planted bugs.
@Suite struct PhonesTests {
  private static func run(_ arguments: String...) async throws -> (code: Int32, text: String) {
    try await runProduct("phones", arguments)
  }

  @Test("Phones, a server and their disks keep all promises, and one seed gives one log")
  func promises() async throws {
    let (code, text) = try await Self.run("--seeds", "\(Sweep.size(3, 10, 1_000))")
    #expect(code == 0, "\(text)")
    let first = Sweep.chosen == .short ? text : try await Self.run("--seeds", "3").text
    let second = try await Self.run("--seeds", "3").text
    #expect(first.split(separator: "\n").last == second.split(separator: "\n").last)
    #expect(first.contains("; hash "))
  }

  @Test(
    "A planted bug is found, and its seed shrinks to a script that breaks the same promise",
    arguments: ["acknowledgesBeforeSync", "sendsBackwards", "showsPrivateWorkouts"]
      .prefix(Sweep.size(1, 3, 3)))
  func planted(bug: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("phones-\(bug)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (code, text) = try await Self.run(
      "--bug", bug, "--seeds", "50", "--steps", "150", "--out", folder.path)
    #expect(code == 1, "\(text)")
    let script = folder.appendingPathComponent("script.jsonl").path
    let steps = try String(contentsOfFile: script, encoding: .utf8).split(separator: "\n").count - 1
    #expect(steps < 60, "\(text)")
    let page = folder.appendingPathComponent("page.html")
    #expect(try String(contentsOf: page, encoding: .utf8).contains("<html"))
    let again = folder.path + "-again"
    defer { try? FileManager.default.removeItem(atPath: again) }
    #expect(
      try await Self.run("--bug", bug, "--script", script, "--out", again, "--no-shrinking").code
        == 1)
    #expect(try await Self.run("--script", script).code == 0)
  }

  @Test("Wrong usage exits with 64 and names the problem")
  func usage() async throws {
    for (arguments, problem) in [
      (["--phones", "0"], "1 to 20 phones"), (["--seed", "x"], "--seed needs a number"),
      (["--bug", "none"], "there is no bug none"), (["--fast"], "there is no option --fast"),
      (["--script", "/nowhere"], "/nowhere is not a script"),
    ] {
      let (code, text) = try await Self.run(arguments[0], arguments.count > 1 ? arguments[1] : "")
      #expect(code == 64)
      #expect(text.contains("phones: \(problem)"), "\(text)")
    }
    let (code, text) = try await Self.run("--list-bugs")
    #expect(code == 0)
    #expect(text.split(separator: "\n").count >= 30)
  }
}
