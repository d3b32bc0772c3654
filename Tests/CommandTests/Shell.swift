import FaultTesting
import Foundation

/// Runs the built `eventlog` in a shell, in its own folder, which has `eventlogs/` in it.
struct Shell {
  static let repository = FaultTesting.repository

  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "eventlog-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: "eventlogs"),
      withDestinationURL: Self.repository.appending(path: "eventlogs"))
  }

  /// A prefix that runs a command as nobody if the tests run as root, who has every permission.
  static let asNobody = "setpriv --reuid 65534 --regid 65534 --clear-groups"
  static let canChangeUser: Bool = {
    guard geteuid() == 0, let shell = try? Shell() else { return false }
    defer { shell.remove() }
    return (try? shell.run("chmod 755 . && \(asNobody) eventlog --version"))?.code == 0
  }()

  /// A folder for files that several tests use, which is removed when the process ends.
  static let shared: Swift.Result<Shell, any Error> = .init {
    atexit { try? Shell.shared.get().remove() }
    return try Shell()
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  struct Result {
    var output: String
    var error: String
    var code: Int32
  }

  /// Runs a command line like `run`, but on a thread of its own. The pool's two threads then run
  /// other tests while the command waits.
  func runAside(_ command: String) async throws -> Result {
    try await Thread.result { try run(command) }
  }

  /// Runs a command line with `sh`, and keeps standard error separate.
  func run(_ command: String, input: String = "") throws -> Result {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    process.currentDirectoryURL = folder
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = products.path + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
    environment["EVENTLOG"] = nil
    environment["COLUMNS"] = nil
    environment["LC_ALL"] = "C.UTF-8"
    process.environment = environment
    let out = folder.appending(path: ".out-\(UUID().uuidString)")
    let err = folder.appending(path: ".err-\(UUID().uuidString)")
    let source = folder.appending(path: ".in-\(UUID().uuidString)")
    try Data(input.utf8).write(to: source)
    for file in [out, err] { try Data().write(to: file) }
    process.standardOutput = try FileHandle(forWritingTo: out)
    process.standardError = try FileHandle(forWritingTo: err)
    process.standardInput = try FileHandle(forReadingFrom: source)
    try process.run()
    process.waitUntilExit()
    defer { for file in [out, err, source] { try? FileManager.default.removeItem(at: file) } }
    return Result(
      output: String(decoding: try Data(contentsOf: out), as: UTF8.self),
      error: String(decoding: try Data(contentsOf: err), as: UTF8.self),
      code: process.terminationStatus)
  }
}
