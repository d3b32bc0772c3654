import FaultTesting
import Foundation
import Testing

/// The progress that long commands show on a terminal.
@Suite struct ProgressTests {
  /// Runs a script with a terminal of its own, and returns the output.
  private func onTerminal(_ script: String, in shell: Shell) async throws -> String {
    try script.write(to: shell.folder.appending(path: "try"), atomically: true, encoding: .utf8)
    return try await shell.runAside("TERM=xterm script -qec 'sh try' /dev/null </dev/null").output
  }

  @Test("After a second a bar shows the progress and the remaining time")
  func left() async throws {
    let shell = try Shell()
    defer { shell.remove() }
    let events = Sweep.size(20_000, 60_000, 60_000)
    // Stopped for longer than a second after the first output, on a machine of any speed.
    let script = """
      eventlog generate --events \(events) --users 1000 --log long &
      while ! [ -s long/0000000000000001.jsonl ]; do sleep 0.01; done
      kill -STOP $!; sleep 1.1; kill -CONT $!; wait
      """
    let shown = try await onTerminal(script, in: shell)
    #expect(
      shown.contains(/generating \[=*> *\] +[0-9]+%  [0-9,]+\/[26]0,000 events .* [0-9:]+ left/),
      "\(shown)")
    let piped = try await shell.runAside(script.replacing("long", with: "other"))
    #expect(piped.code == 0 && piped.error.split(separator: "\n").count == 1, "\(piped.error)")
  }

  @Test("shrink shows the number of remaining events, only on a terminal")
  func shrinking() async throws {
    let shell = try Shell()
    defer { shell.remove() }
    func script(_ pause: String) -> String {
      """
      eventlog shrink small\(pause) --log eventlogs/demo --quiet \
        --expect 'sleep \(pause); eventlog log --type SportSet --oneline | grep -q . && exit 3'
      """
    }
    let shown = try await onTerminal(script("0.3"), in: shell)
    #expect(
      shown.contains(/shrink: [0-9]+ of 300 events left  [0-9]+ runs  [0-9]+ runs\/s/), "\(shown)")
    #expect(shown.contains("2 events of 300 in small0.3"), "\(shown)")
    let piped = try shell.run(script("0"))
    #expect(piped.code == 0 && !piped.error.contains("left"), "\(piped.error)")
  }
}
