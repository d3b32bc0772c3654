import EventLog
import Events
import FaultTesting
import Foundation
import TimeMachine

/// Runs a script. Returns its figures, or the promise that was not kept, with the log at the end.
@MainActor func outcome(
  of script: Script
) async throws -> (figures: Figures, violation: Violation?, log: [UInt8]) {
  let simulation = try await Simulation(script)
  do {
    try await simulation.run()
    return (simulation.figures, nil, [])
  } catch let violation as Violation {
    return (simulation.figures, violation, simulation.logBytes)
  } catch {
    let violation = Violation("server or phone cannot go on", "\(error)")
    return (simulation.figures, violation, simulation.logBytes)
  }
}

/// Returns a script with few steps that breaks the same promise.
@MainActor func shrunk(_ script: Script, _ violation: Violation) async throws -> Script {
  var small = script
  small.steps = try await shrunk(script.steps) { steps in
    var shorter = script
    shorter.steps = steps
    return try await outcome(of: shorter).violation?.invariant == violation.invariant
  }
  return small
}

/// Writes a script, the log at its end, and a page with the log, into a folder. Returns the paths.
@MainActor func keep(_ script: Script, _ log: [UInt8], in folder: String) throws -> [String] {
  let url = URL(fileURLWithPath: folder)
  let logURL = url.appendingPathComponent("log")
  try? FileManager.default.removeItem(at: url)
  try FileManager.default.createDirectory(at: logURL, withIntermediateDirectories: true)
  let paths = ["script.jsonl", "log/0000000000000001.jsonl", "page.html"]
  let page = LogPage(name: url.lastPathComponent).html(lines: log)
  for (path, bytes) in zip(paths, [Array(script.text.utf8), log, page]) {
    try Data(bytes).write(to: url.appendingPathComponent(path))
  }
  return paths.map { "\(folder)/\($0)" }
}
