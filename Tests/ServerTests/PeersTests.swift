#if Server
  import FaultTesting
  import Foundation
  import Testing

  /// The simulator of servers on one shared log; Tests/Peers/run runs more seeds and all planted
  /// bugs.
  @Suite struct PeersTests {
    /// Runs the simulator.
    private static func run(_ arguments: String...) async throws -> (code: Int32, text: String) {
      try await runProduct("peers", arguments)
    }

    @Test("Servers of one log keep all promises, and one seed gives one log")
    func promises() async throws {
      let seeds = "\(Sweep.size(3, 3, 1_000))"
      let (code, text) = try await Self.run("--seeds", seeds, "--steps", "100")
      #expect(code == 0, "\(text)")
      let first = try await Self.run("--seeds", "1", "--steps", "100").text
      let second = try await Self.run("--seeds", "1", "--steps", "100").text
      #expect(first.split(separator: "\n").last == second.split(separator: "\n").last)
      #expect(first.contains("; hash "))
    }

    @Test("A planted bug is found, and its seed shrinks to a script that breaks the same promise")
    func planted() async throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("peers-unfenced")
      defer { try? FileManager.default.removeItem(at: folder) }
      let (code, text) = try await Self.run(
        "--bug", "appendsUnfenced", "--seeds", "100", "--out", folder.path)
      #expect(code == 1, "\(text)")
      let script = folder.appendingPathComponent("script.jsonl").path
      let steps = try String(contentsOfFile: script, encoding: .utf8).split(separator: "\n").count
      #expect(steps < 40, "\(text)")
      let again = try await Self.run(
        "--bug", "appendsUnfenced", "--script", script, "--no-shrinking")
      #expect(again.code == 1, "\(again.text)")
      #expect(try await Self.run("--script", script).code == 0)
    }

    @Test("Wrong usage exits with 64 and names the problem")
    func usage() async throws {
      for (arguments, problem) in [
        (["--servers", "10"], "at most 9 servers"), (["--seed", "x"], "--seed needs a number"),
        (["--bug", "none"], "there is no bug none"), (["--fast"], "there is no option --fast"),
        (["--script", "/nowhere"], "/nowhere is not a script"),
      ] {
        let (code, text) = try await Self.run(arguments[0], arguments.count > 1 ? arguments[1] : "")
        #expect(code == 64)
        #expect(text.contains("peers: \(problem)"), "\(text)")
      }
    }
  }
#endif
