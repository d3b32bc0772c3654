import Foundation

/// The folder of the built products, which holds the test bundle.
public let products: URL = {
  let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
  let path = bundle?.bundleURL ?? URL(filePath: CommandLine.arguments[0])
  return path.deletingLastPathComponent()
}()

/// The folder of the package.
public let repository = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// Runs a built program, and waits on a thread of its own until it has ended.
public func runProduct(
  _ name: String, _ arguments: [String]
) async throws -> (code: Int32, text: String) {
  try await Thread.result {
    let process = Process()
    process.executableURL = products.appending(path: name)
    process.arguments = arguments
    process.environment = ["SWIFT_BACKTRACE": "enable=no"]
    let output = Pipe()
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
}
