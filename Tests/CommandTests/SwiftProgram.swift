import FaultTesting
import Foundation

/// Compiles Swift against the modules just built, like an app, and runs it.
struct SwiftProgram {
  static let libraries = [
    "Events", "EventLog", "Aggregates", "Projections", "Replaying", "UseCases", "Tables",
    "PersonalLogs", "UseCasesTesting", "TimeMachine", "HistoryGeneration", "PropertyTesting",
  ]

  /// The source files by name: one of them `main.swift`, or one with `@main`.
  var files: [String: String]
  var isOptimized = false
  /// Whether the compiler's warnings are errors; otherwise they are not shown.
  var isStrict = true

  /// - Returns: the program's two outputs together, or the compiler's output with an exit code
  ///   other than 0.
  func run(in shell: Shell) throws -> Shell.Result {
    let built = try build(in: shell)
    // In the short sweep, each property of a program has this many runs.
    let runs = Sweep.chosen == .short ? "EVENTLOG_TEST_RUNS=150 " : ""
    return built.code == 0 ? try shell.run("\(runs)timeout 120 ./program 2>&1") : built
  }

  /// Compiles and links it as `program` in the shell's folder.
  func build(in shell: Shell) throws -> Shell.Result {
    for (name, text) in files {
      try text.write(to: shell.folder.appending(path: name), atomically: true, encoding: .utf8)
    }
    let library = try Self.library.get().path
    let names = files.keys.sorted().joined(separator: " ")
    return try shell.run(
      """
      swiftc -swift-version 6 \(files.count > 2 ? "-wmo" : "-continue-building-after-errors") \
      \(isStrict ? "-warnings-as-errors" : "-suppress-warnings") \
      \(isOptimized ? "-O" : "-Onone") \
      \(files["main.swift"] == nil ? "-parse-as-library" : "") \
      -I '\(products.path)/Modules' -I '\(Shell.repository.path)/Sources/CTimeMachine/include' \
      \(names) -L '\(library)' -leventlog -Xlinker -rpath -Xlinker '\(library)' -o program 2>&1
      """)
  }

  private struct NotLinked: Error { let output: String }

  /// The folder of a dynamic library with all libraries. It is linked once in a process, because
  /// that takes longer than most of the programs.
  private static let library: Result<URL, any Error> = Result {
    let shell = try Shell.shared.get()
    let parts = products.appending(path: "CTimeMachine.build/assets.c.o").path
    let list = (objects() + [parts]).map { "'\($0)'" }.joined(separator: " ")
    try list.write(
      to: shell.folder.appending(path: "objects"), atomically: true, encoding: .utf8)
    #if os(Linux)
      let name = "libeventlog.so"
    #else
      let name = "libeventlog.dylib"
    #endif
    let linked = try shell.run("swiftc -emit-library @objects -o \(name) 2>&1")
    guard linked.code == 0 else { throw NotLinked(output: linked.output) }
    return shell.folder
  }

  /// The object files of existing sources; a build folder keeps those of removed sources.
  private static func objects() -> [String] {
    (libraries + ["EventlogClient"]).flatMap { library in
      let sources = Shell.repository.appending(path: "Sources/\(library)")
      // The package does not build code that only a page calls.
      let names = FileManager.default.enumerator(atPath: sources.path)?.compactMap { path in
        (path as? String).flatMap {
          $0.hasPrefix("WebAssembly/") ? nil : URL(filePath: $0).lastPathComponent
        }
      }
      return (names ?? []).filter { $0.hasSuffix(".swift") }.sorted().map {
        products.appending(path: "\(library).build/\($0).o").path
      }
    }
  }
}
