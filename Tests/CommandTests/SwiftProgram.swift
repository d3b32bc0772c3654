import FaultTesting
import Foundation

/// Compiles Swift against the modules that were just built, as an app would, and runs it.
struct SwiftProgram {
  static let libraries = [
    "Events", "EventLog", "Aggregates", "Projections", "Replaying", "UseCases", "UseCasesTesting",
    "TimeMachine", "HistoryGeneration", "PropertyTesting",
  ]

  /// The source files by name: one of them `main.swift`, or one with `@main`.
  var files: [String: String]
  var isOptimized = false
  /// Whether the compiler's warnings are errors; otherwise they are not shown.
  var isStrict = true

  /// - Returns: what the program printed, both outputs together; or what the compiler did, with a
  ///   code that is not 0.
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

  /// Of the sources that there are now: a build folder keeps the objects of those that are gone.
  private static func objects() -> [String] {
    libraries.flatMap { library in
      let sources = Shell.repository.appending(path: "Sources/\(library)")
      // The package does not build what only a page calls.
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
