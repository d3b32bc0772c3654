import FaultTesting
import Foundation

#if FUZZING
  // In process, because the code that runs there guides the fuzzer.
  @testable import eventlog_cli
#endif

/// The commands that only read, and end by themselves.
private let reading: Set<String> = [
  "log", "show", "project", "replay", "stats", "verify", "check", "diff", "history", "blame", "why",
  "watch", "bisect", "paths", "what-if", "gen-test", "export", "scan", "completions", "help",
  "--help",
]

/// Runs a command with one word a line on the demo log; the exit code must be a documented one.
func fuzzArguments(_ bytes: [UInt8]) async {
  var words = lines(bytes).prefix(16).map { String(decoding: $0, as: UTF8.self) }
  guard let command = words.first, reading.contains(command) else { return }
  // Words that start programs, wait for events or read anything but the log.
  words.removeAll { $0 == "--follow" || $0 == "run" || $0.hasPrefix("--log") || $0.contains("/") }
  let arguments = words + ["--log", "eventlogs/demo"]
  let code = await exitCode(arguments)
  let known: Set<Int32> = [0, 1, 64, 65, 66, 73, 74]
  demand(known.contains(code), "exit \(code) of \(arguments)")
}

#if FUZZING
  private func exitCode(_ arguments: [String]) async -> Int32 {
    await Main.program.main(arguments)
  }
#else
  /// Runs the built command, which prints nothing into the tests' output.
  private func exitCode(_ arguments: [String]) async -> Int32 {
    let process = Process()
    process.executableURL = products.appending(path: "eventlog")
    // A process cannot get NUL bytes.
    process.arguments = arguments.map { $0.replacingOccurrences(of: "\0", with: "") }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { fatalError("the command does not start") }
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -1
  }
#endif
