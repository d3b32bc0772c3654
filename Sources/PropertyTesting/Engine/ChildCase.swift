import EventLog
import Foundation
import Testing

/// A test case that runs alone in a process of its own, because it may end the process.
///
/// The process with the tests starts another process of the same program, for one test. The folder
/// that `EVENTLOG_TEST_CASE` names has the case and receives its results:
/// - `case`: the name of the check, the tape, and a splice of the tape, a line each;
/// - `reached`: exists as soon as the check began;
/// - `values` and `log`: the drawn values and the drawn history;
/// - the journal of the run.
struct ChildCase: Sendable {
  private static let variable = "EVENTLOG_TEST_CASE"
  /// The case that this process must run; nil in a process that runs all its tests.
  static let current = ProcessInfo.processInfo.environment[variable].flatMap(ChildCase.init)

  private let folder: String
  private let name: String
  private let tape: Tape
  private let splice: Splice?

  private init?(folder: String) {
    guard let text = try? String(contentsOfFile: folder + "/case", encoding: .utf8) else {
      return nil
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 2, let tape = Tape(lines[1]) else { return nil }
    let numbers = lines[2].split(separator: " ").compactMap { Int($0) }
    (self.folder, name, self.tape) = (folder, String(lines[0]), tape)
    splice =
      numbers.count == 3 ? Splice(span: numbers[0], start: numbers[1], resume: numbers[2]) : nil
  }

  /// Runs the case if it belongs to a check. The failures that it records do not matter.
  func run(
    _ name: String, _ property: @Sendable (Trial) async throws -> Void
  ) async {
    guard name == self.name else { return }
    write("reached", "")
    let trial = Trial(tape, splice: splice, isShown: true)
    let journal = RunJournal.begin(in: folder, name: "run")
    trial.spanJournal = journal.map(SpanJournal.init)
    trial.whenShown = { [self] trial in
      write("values", ((trial.story.map { [$0] } ?? []) + trial.values).joined(separator: "\n"))
      if let log = trial.log { write("log", log) }
    }
    try? await property(trial)
    journal?.remove()
  }

  private func write(_ file: String, _ text: String) {
    try? text.write(toFile: "\(folder)/\(file)", atomically: false, encoding: .utf8)
  }

  /// The result of a case.
  enum Outcome: Sendable {
    /// The program cannot run a single test, or took longer than a minute.
    case unknown
    /// The case did not end its process.
    case survived
    case crashed(Crash)
  }

  /// The end of the process by a case.
  struct Crash: Sendable {
    var run: Shrinker.Run
    /// The signal, and the message of a trap with its place in the source.
    var reason: String
    var values: [Substring]
    var log: String?
  }

  /// Runs a case in another process.
  /// - Parameters:
  ///   - name: the name of the check.
  ///   - test: the test that calls the check.
  static func start(
    _ tape: Tape, _ splice: Splice? = nil, of name: String, in test: Test
  ) async -> Outcome {
    #if os(Linux)
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
      defer { try? FileSystem.posix.removeAll(folder) }
      do {
        try FileSystem.posix.makeDirectory(folder)
        let places = splice.map { "\($0.span) \($0.start) \($0.resume)" } ?? ""
        try "\(name)\n\(tape)\n\(places)\n".write(
          toFile: folder + "/case", atomically: false, encoding: .utf8)
        let signal = try await run(test, folder)
        let isReached = FileManager.default.fileExists(atPath: folder + "/reached")
        guard isReached, let signal else { return isReached ? .survived : .unknown }
        return crash(folder, signal)
      } catch {
        return .unknown
      }
    #else
      return .unknown
    #endif
  }

  #if os(Linux)
    /// Runs a test in another process. Returns the signal that ended the process; nil if it exited.
    private static func run(_ test: Test, _ folder: String) async throws -> Int32? {
      let process = Process()
      process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      let name = test.name.replacing(/[^A-Za-z0-9_]/) { "\\\($0.output)" }
      process.arguments = ["--testing-library", "swift-testing", "--filter", "[./]\(name)(/|$)"]
      process.environment = ProcessInfo.processInfo.environment.merging(
        [variable: folder, "SWIFT_BACKTRACE": "enable=no"]) { $1 }
      let output = folder + "/output"
      try Data().write(to: URL(filePath: output))
      let file = try FileHandle(forWritingTo: URL(filePath: output))
      (process.standardOutput, process.standardError) = (file, file)
      process.standardInput = FileHandle.nullDevice
      try process.run()
      let isLate = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          var isLate = false
          let end = ContinuousClock.now + .seconds(60)
          while process.isRunning {
            Thread.sleep(forTimeInterval: 0.01)
            if !isLate, ContinuousClock.now > end {
              isLate = true
              kill(process.processIdentifier, SIGKILL)
            }
          }
          process.waitUntilExit()
          continuation.resume(returning: isLate)
        }
      }
      let isSignal = process.terminationReason == .uncaughtSignal
      return isSignal && !isLate ? process.terminationStatus : nil
    }

    private static func crash(_ folder: String, _ signal: Int32) -> Outcome {
      func text(_ file: String) -> String? {
        try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
      }
      let lines = (text("output") ?? "").split(separator: "\n")
      let message = lines.last { $0.contains("Fatal error") || $0.contains("Precondition failed") }
      let site = message.map { " \($0.prefix { $0 != " " })" } ?? ""
      let failure = "signal \(signal)\(site)"
      guard let run = RunJournal.run(in: folder, name: "run", failure: failure) else {
        return .unknown
      }
      return .crashed(
        Crash(
          run: run, reason: "signal \(signal)" + (message.map { ": \($0)" } ?? ""),
          values: (text("values") ?? "").split(separator: "\n"), log: text("log")))
    }
  #endif
}
