import Events
import FaultTesting
import Foundation
import Testing
import UseCases

/// A process that reads a log while others write it: its `updates` report their changes.
@Suite struct FollowingTests {
  /// A program that prints the number of users who follow bob, now and after each change.
  private static let reader = """
    import Events
    import Foundation
    import UseCases

    func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\\n").utf8)) }
    let core = try await Core(ReadOnlyLog(LogView(path: "our.log")))
    do {
      for try await counts in core.updates(of: GetFollowCounts(core), .init(user: "bob")) {
        say("\\(counts.followers)")
      }
    } catch {
      say("ended: \\(error)")
    }
    """

  /// The lines of a running program.
  private final class Running {
    private let process = Process()
    private let output = Pipe()
    private var text = ""

    init(in shell: Shell) throws {
      process.executableURL = shell.folder.appending(path: "program")
      process.currentDirectoryURL = shell.folder
      process.standardOutput = output
      try process.run()
    }

    deinit {
      process.terminate()
      process.waitUntilExit()
    }

    /// The next line; waits for it as long as the program runs.
    func line() -> String {
      while true {
        if let end = text.firstIndex(of: "\n") {
          defer { text = String(text[text.index(after: end)...]) }
          return String(text[..<end])
        }
        let more = output.fileHandleForReading.availableData
        if more.isEmpty { return "the program ended" }
        text += String(decoding: more, as: UTF8.self)
      }
    }
  }

  /// Opens accounts; each follows bob if bob exists.
  private func write(
    _ folder: URL, segmentSize: Int = 1 << 20, _ users: ClosedRange<Int>
  ) async throws {
    let log = try FileLog(path: folder.path, creating: true, segmentSize: segmentSize)
    let core = try await Core(log, unknown: .skip)
    for number in users {
      let user = "u\(number)"
      _ = try await CreateProfile(core).execute(
        .init(user: user, handle: "user\(number)"), as: Caller(user))
      do {
        _ = try await FollowUser(core).execute(.init(followee: "bob"), as: Caller(user))
      } catch UseCaseError.refused(.profileNotFound) {}
    }
  }

  private func lastSegment(_ folder: URL) throws -> URL {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return folder.appending(path: names.filter { $0.hasSuffix(".jsonl") }.max() ?? "")
  }

  @Test("A reader sees other processes' events, also after a new segment, a torn tail and a kill")
  func follows() async throws {
    let shell = try Shell()
    defer { shell.remove() }
    let folder = shell.folder.appending(path: "our.log")
    do {
      let core = try await Core(FileLog(path: folder.path, creating: true))
      _ = try await CreateProfile(core).execute(.init(user: "bob", handle: "bobby"), as: "bob")
    }
    let built = try SwiftProgram(files: ["main.swift": Self.reader]).build(in: shell)
    try #require(built.code == 0, "\(built.output)")
    let reader = try Running(in: shell)
    #expect(reader.line() == "0")

    let created = try shell.run(
      "eventlog do CreateProfile user=u1 handle=user1 --as u1 --log our.log")
    try #require(created.code == 0, "\(created.error)")
    _ = try shell.run("eventlog do FollowUser followee=bob --as u1 --log our.log")
    #expect(reader.line() == "1")

    // New segments; changes that come close together may be reported as one.
    try await write(folder, segmentSize: 700, 2...6)
    #expect(try lastSegment(folder).lastPathComponent != "0000000000000001.jsonl")
    var line = reader.line()
    while let count = Int(line), (2...5).contains(count) { line = reader.line() }
    #expect(line == "6")

    // A torn tail, which the next writer repairs.
    let file = try FileHandle(forWritingTo: lastSegment(folder))
    try file.seekToEnd()
    try file.write(contentsOf: Data(#"{"seq":14,"time":"2026-0"#.utf8))
    try file.close()
    try await write(folder, 7...7)
    #expect(reader.line() == "7")

    let writer = Process()
    let said = Pipe()
    writer.executableURL = products.appending(path: "helper")
    writer.arguments = ["append", folder.path, "2", "0", "0"]
    writer.standardOutput = said
    try writer.run()
    for _ in 0..<5 { _ = said.fileHandleForReading.availableData }
    kill(writer.processIdentifier, SIGKILL)
    writer.waitUntilExit()
    try await write(folder, 8...8)
    #expect(reader.line() == "8")

    // Another log in its place is not mistaken for the same one.
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name.hasSuffix(".jsonl") {
      try FileManager.default.removeItem(at: folder.appending(path: name))
    }
    try await write(folder, 9...9)
    #expect(reader.line().hasPrefix("ended: "))
  }

  @Test("If an event that was read is gone or different, reading fails instead of answering")
  func replaced() async throws {
    let shell = try Shell()
    defer { shell.remove() }
    let folder = shell.folder.appending(path: "our.log")
    try await write(folder, 1...3)
    let log = try ReadOnlyLog(LogView(path: folder.path))
    let core = try await Core(log)
    let bytes = try Data(contentsOf: lastSegment(folder))
    // Cut after a line, which is a valid, shorter log.
    let cut = bytes.dropLast().lastIndex(of: 0x0a).map { bytes[...$0] } ?? Data()
    try cut.write(to: lastSegment(folder))
    await #expect(throws: UseCaseError.self) {
      try await RefreshFollowCounts(core).execute(.init(user: "bob"), as: nil)
    }
    try bytes.write(to: lastSegment(folder))
    let counts = try await RefreshFollowCounts(core).execute(.init(user: "bob"), as: nil)
    #expect(counts.followers == 0)  // bob has no profile here
  }

  @Test("Refresh of a read-only core reads the events appended since it was opened")
  func refresh() async throws {
    let shell = try Shell()
    defer { shell.remove() }
    let folder = shell.folder.appending(path: "our.log")
    try await write(folder, 1...1)
    let core = try await Core(ReadOnlyLog(LogView(path: folder.path)))
    let fixed = try await Core(ReadOnlyLog(LogView(path: folder.path), until: 1))
    #expect(core.position == 1)
    try await write(folder, 2...2)
    _ = try await RefreshProfile(core).execute(.init(user: "u2"), as: "u2")
    #expect(core.position == 2)
    try await fixed.catchUp()
    #expect(fixed.position == 1)
  }
}
