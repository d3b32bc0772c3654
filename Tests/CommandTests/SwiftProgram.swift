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
    return built.code == 0 ? try shell.run("timeout 120 ./program 2>&1") : built
  }

  /// Compiles and links it as `program` in the shell's folder.
  func build(in shell: Shell) throws -> Shell.Result {
    for (name, text) in files {
      try text.write(to: shell.folder.appending(path: name), atomically: true, encoding: .utf8)
    }
    let parts = products.appending(path: "CTimeMachine.build/assets.c.o").path
    let objects = (Self.objects() + [parts]).map { "'\($0)'" }.joined(separator: " ")
    try objects.write(
      to: shell.folder.appending(path: "objects"), atomically: true, encoding: .utf8)
    let names = files.keys.sorted().joined(separator: " ")
    return try shell.run(
      """
      swiftc -swift-version 6 \(files.count > 2 ? "-wmo" : "-continue-building-after-errors") \
      \(isStrict ? "-warnings-as-errors" : "-suppress-warnings") \
      \(isOptimized ? "-O" : "-Onone") \
      \(files["main.swift"] == nil ? "-parse-as-library" : "") \
      -I '\(products.path)/Modules' -I '\(Shell.repository.path)/Sources/CTimeMachine/include' \
      \(names) @objects -o program 2>&1
      """)
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
