import Events
import Foundation
import Testing

@testable import TimeMachine

/// Compression, checked with another decompressor.
@Suite struct GzipTests {
  /// The output of `gzip -dc` for a file.
  private func expanded(_ bytes: [UInt8]) throws -> [UInt8] {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).gz")
    try Data(bytes).write(to: path)
    defer { try? FileManager.default.removeItem(at: path) }
    let process = Process()
    process.executableURL = URL(filePath: "/bin/gzip")
    process.arguments = ["-dc", path.path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let found = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return [UInt8](found)
  }

  @Test("Decompression returns the input: empty, one byte, runs, noise, a log, and long ones")
  func roundTrip() throws {
    var random = SplitMix64(seed: 3)
    let noise = (0..<70_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let few = (0..<300_000).map { _ in UInt8(truncatingIfNeeded: random.next() % 3) }
    let demo = try [UInt8](
      Data(contentsOf: URL(filePath: "eventlogs/demo/0000000000000001.jsonl")))
    let long = Array(repeatElement(demo, count: 9).joined())
    let runs = [UInt8](repeating: 7, count: 100_000)
    for bytes in [[], [1], Array("abc".utf8), runs, noise, few, demo, long] {
      var gzip = Gzip()
      // In pieces of any size.
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = Int(random.next() % 50_000) + 1
        gzip.add(rest.prefix(piece))
        rest = rest.dropFirst(piece)
      }
      let file = gzip.finish()
      #expect(try expanded(file) == bytes, "\(bytes.count) bytes")
      if bytes.count == demo.count { #expect(file.count * 3 < bytes.count) }
    }
  }

  @Test("Counts that would need codes of more than 15 bits can be compressed")
  func deepCodes() throws {
    // Fibonacci numbers make the deepest tree.
    var (a, b) = (1, 1)
    var bytes: [UInt8] = []
    for symbol in 0..<24 {
      for _ in 0..<a { bytes.append(UInt8(symbol)) }
      (a, b) = (b, a + b)
    }
    var random = SplitMix64(seed: 9)
    bytes.shuffle(using: &random)
    var gzip = Gzip()
    gzip.add(bytes)
    #expect(try expanded(gzip.finish()) == bytes)
  }
}
