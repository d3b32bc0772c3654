import FaultTesting
import Foundation
import Testing

@Suite struct ShrinkingChallengeTests {
  @Test("Each of thirteen challenges shrinks to its one smallest form")
  func challenge() throws {
    let process = Process()
    process.executableURL = products.appending(path: "shrinking")
    process.arguments = ["--seeds", "\(Sweep.size(3, 10, 100))"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.split(separator: "\n").count >= 14, "\(text)")
  }
}
