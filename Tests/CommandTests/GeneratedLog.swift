import FaultTesting
import Foundation

/// A generated log that tests copy. Each is generated once in a process, by the first test that
/// needs it.
struct GeneratedLog: Sendable {
  static let tiny = GeneratedLog(events: 900, users: 30, seed: 4)
  static let small = GeneratedLog(events: 4_000, users: 200, seed: 3)
  /// Enough events for a checkpoint of the index of events.
  static let medium = GeneratedLog(events: 30_000, users: 2_000, seed: 3)
  static let large = GeneratedLog(
    events: Sweep.size(80_000, 120_000, 120_000), users: 5_000, seed: 5)

  let events: Int
  private let folder: Result<URL, any Error>

  private struct NotGenerated: Error { let error: String }

  private init(events: Int, users: Int, seed: Int) {
    self.events = events
    folder = Result {
      let shell = try Shell.shared.get()
      let made = try shell.run(
        "eventlog generate --events \(events) --users \(users) --seed \(seed) --log \(events)")
      guard made.code == 0 else { throw NotGenerated(error: made.error) }
      return shell.folder.appending(path: "\(events)")
    }
  }

  /// Copies the log to a folder of this name in the shell's folder.
  func copy(to name: String, in shell: Shell) throws {
    try FileManager.default.copyItem(
      at: try folder.get(), to: shell.folder.appending(path: name))
  }
}
