#if os(Linux)
  import FaultTesting
  import Foundation
  import Synchronization
  import Testing

  @testable import PropertyTesting

  /// Properties that end the process.
  @Suite struct CrashTests {
    /// The folder of the trapping test's source file; nil unless another test has started this one.
    static let folder = ProcessInfo.processInfo.environment["EVENTLOG_TEST_TRAP"]
    static let isCorrected = ProcessInfo.processInfo.environment["EVENTLOG_TEST_CORRECTED"] != nil

    @Test("A list is read beyond its end", .enabled(if: folder != nil))
    func trapping() async throws {
      let file = (Self.folder ?? "") + "/Trapping.swift"
      try await check(runs: 500, seed: 1, file: file) { t in
        let list = t.draw(.array(of: .int(0...9), 0...20), "list")
        let index = t.draw(.int(0...99), "index")
        _ = t.draw(.text(0...9))
        let isBad = index >= list.count && index > 20 && list.count > 1
        if isBad, !Self.isCorrected { _ = list[index] }
      }
    }

    /// Measures the journal's cost with `EVENTLOG_TEST_COST` rounds. Each round performs the same
    /// 400 runs with and without a journal. Adds up the shortest times of each run.
    @Test("A journal has the choices of the last run, and its cost is measured on request")
    func cost() async throws {
      let rounds = ProcessInfo.processInfo.environment["EVENTLOG_TEST_COST"].flatMap { Int($0) }
      let properties: [(name: String, draw: (Trial) -> Void)] = [
        ("an array of numbers", { _ = $0.draw(.array(of: .int(0...999))) }),
        ("a text", { _ = $0.draw(.text(0...100)) }),
        ("a history", { _ = $0.draw(.history(max: 50)) }),
      ]
      try await withFolder { folder in
        var journal = RunJournal.begin(in: folder.path, name: "cost")
        var last = Tape([])
        #expect(journal != nil)
        for (name, draw) in properties {
          let runs = rounds == nil ? 4 : 400
          var (without, with) = ([Double](), [Double]())
          var choices = 0
          for _ in 0..<max(1, rounds ?? 0) {
            without = Self.least(without, await Self.run(runs, nil, draw).seconds)
            let result = await Self.run(runs, journal, draw)
            with = Self.least(with, result.seconds)
            (choices, last) = (result.choices, result.last)
          }
          guard rounds != nil else { continue }
          let (base, more) = (without.reduce(0, +), with.reduce(0, +) - without.reduce(0, +))
          let share = (more / base * 10_000).rounded() / 100
          let cost = (more / Double(choices) * 1e10).rounded() / 10
          let whole = (base / Double(choices) * 1e9).rounded()
          print("\(name): \(share) %, \(cost) ns of \(whole) ns a choice")
        }
        journal = nil
        #expect(RunJournal.tapes(in: folder.path, name: "cost") == [last])
      }
    }

    @Test("The journal of a guided run also has the choices of the candidate that was taken over")
    func guided() async throws {
      try await withFolder { folder in
        for runs in 20..<24 {
          var journal = RunJournal.begin(in: folder.path, name: "guided")
          let draw: (Trial) -> Void = { trial in
            _ = trial.draw(.int(0...9))
            _ = trial.draw(.history(max: 20))
          }
          let last = await Self.run(runs, journal, isGuided: true, draw).last
          journal = nil
          #expect(RunJournal.tapes(in: folder.path, name: "guided") == [last])
        }
      }
    }

    /// Returns the smaller number of each pair.
    private static func least(_ some: [Double], _ others: [Double]) -> [Double] {
      some.isEmpty ? others : zip(some, others).map { min($0, $1) }
    }

    /// Runs a property with random choices. Returns the processor time of each run, the number of
    /// choices, and the last run's tape.
    private static func run(
      _ runs: Int, _ journal: RunJournal.File?, isGuided: Bool = false,
      _ draw: @escaping (Trial) -> Void
    ) async -> (seconds: [Double], choices: Int, last: Tape) {
      let made = Mutex((seconds: [Double](), choices: 0, last: Tape([])))
      var campaign = Campaign(runs: runs, seed: 1) { trial in
        let start = clock()
        trial.journal = journal
        journal?.removeAll()
        draw(trial)
        let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        made.withLock {
          $0 = ($0.seconds + [seconds], $0.choices + trial.choices.count, Tape(trial.choices))
        }
        return .passed
      }
      campaign.isGuided = isGuided
      _ = await campaign.run()
      return made.withLock { $0 }
    }

    /// Runs only the trapping test, in a process of its own.
    private func run(_ folder: URL, isCorrected: Bool = false) async throws -> (Int32, String) {
      try await Thread.result {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--testing-library", "swift-testing", "--filter", "trapping"]
        var environment = ProcessInfo.processInfo.environment
        environment["EVENTLOG_TEST_TRAP"] = folder.path
        environment["EVENTLOG_TEST_CORRECTED"] = isCorrected ? "1" : nil
        environment["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = environment
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let isSignal = process.terminationReason == .uncaughtSignal
        let code = isSignal ? -process.terminationStatus : process.terminationStatus
        return (code, String(decoding: text, as: UTF8.self))
      }
    }

    @Test("After a trap, the next run reports the smallest test case that traps, until it passes")
    func nextRun() async throws {
      try await withFolder { folder in
        try Data().write(to: folder.appending(path: "Package.swift"))
        let results = folder.appending(path: ".build/counterexamples")
        func files() throws -> [String] {
          try FileManager.default.contentsOfDirectory(atPath: results.path)
        }
        let (first, said) = try await run(folder)
        #expect(first < 0, "\(said)")
        #expect(try files() == ["Trapping.trapping.0.running"])
        for end in [", shrunk in ", ":\n"] {
          let (code, report) = try await run(folder)
          #expect(code == 1, "\(report)")
          #expect(report.contains("falsified by a run that ended its process\(end)"))
          #expect(report.contains("list = [0, 0]"), "\(report)")
          #expect(report.contains("index = 21"), "\(report)")
          #expect(report.contains("Fatal error: Index out of range"), "\(report)")
          #expect(report.contains(#"check(replaying: "1.0.1.0.0.21")"#), "\(report)")
          #expect(try files() == ["Trapping.trapping.crash"])
        }
        let (code, passed) = try await run(folder, isCorrected: true)
        #expect(code == 0, "\(passed)")
        #expect(try files() == [])
      }
    }

    @Test("The choices that a test of the same name left in the temporary folder are not taken")
    func elsewhere() async throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "counterexamples")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let file = folder.appending(path: "Tests.elsewhere.999.running")
      let words: [UInt64] = [1, 3]
      try words.withUnsafeBytes { try Data($0).write(to: file) }
      defer { try? FileManager.default.removeItem(at: file) }
      let found = try await issues {
        try await check(runs: 5, seed: 0, file: nowhere) { t in
          #expect(t.draw(.int(0...9)) > 10)
        }
      }
      #expect(found.map { $0.text.contains("falsified by run 1,") } == [true])
      #expect(FileManager.default.fileExists(atPath: file.path))
    }
  }
#endif
