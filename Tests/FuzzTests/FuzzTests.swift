import Events
import FaultTesting
import Foundation
import Testing

/// Every target gets the kept inputs and random changes of them.
///
/// `Tests/FuzzTests/run` builds this with `FUZZING` and the fuzzer's instruments, so that the
/// toolchain's libFuzzer makes the inputs: hundreds of millions, guided by coverage.
@Suite(.serialized) struct FuzzTests {
  static let repository = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  #if FUZZING
    @Test("libFuzzer drives the target that FUZZ_TARGET names")
    func fuzzing() throws {
      let environment = ProcessInfo.processInfo.environment
      let name = try #require(environment["FUZZ_TARGET"])
      chosen = try #require(Target(rawValue: name), "no target \(name)")
      let words = (environment["FUZZ_OPTIONS"] ?? "").split { " \n".contains($0) }.map(String.init)
      var arguments: [UnsafeMutablePointer<CChar>?] = (["fuzz"] + words).map { strdup($0) }
      arguments.append(nil)
      var count = CInt(words.count + 1)
      arguments.withUnsafeMutableBufferPointer { buffer in
        var values = buffer.baseAddress
        let code = libFuzzer(&count, &values) { bytes, count in
          let bytes = Array(UnsafeBufferPointer(start: bytes, count: count))
          waitForRun(of: bytes)
          return 0
        }
        exit(code)
      }
    }
  #else
    @Test("Every kept input, and changes of each, pass", arguments: Target.allCases)
    func corpus(_ target: Target) async throws {
      _ = FileManager.default.changeCurrentDirectoryPath(Self.repository.path)
      let folder = Self.repository.appending(path: "Tests/FuzzTests/Corpus/\(target.rawValue)")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      #expect(names.count >= 3)
      var random = SplitMix64(seed: 7)
      for name in names {
        let bytes = Array(try Data(contentsOf: folder.appending(path: name)))
        await target.run(bytes)
        let changes = Sweep.size(20, 100, 100)
        for _ in 0..<(target == .arguments ? 5 : changes) {
          await target.run(mutated(bytes, &random))
        }
      }
    }
  #endif
}

#if FUZZING
  nonisolated(unsafe) private var chosen = Target.parser

  /// The fuzzer's call is synchronous; the tasks run on the pool's threads.
  private func waitForRun(of bytes: [UInt8]) {
    let done = DispatchSemaphore(value: 0)
    Task {
      await chosen.run(bytes)
      done.signal()
    }
    done.wait()
  }

  @_silgen_name("LLVMFuzzerRunDriver")
  private func libFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ values: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
  ) -> CInt
#endif

/// The input with a few bytes changed, removed, doubled or moved.
func mutated(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
  var bytes = bytes
  for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
    let at = Int.random(in: 0..<bytes.count, using: &random)
    let end = min(bytes.count, at + Int.random(in: 1...16, using: &random))
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[at] = UInt8.random(in: 0...255, using: &random)
    case 2: bytes.removeSubrange(at..<end)
    case 3: bytes.insert(contentsOf: bytes[at..<end], at: at)
    case 4: bytes.insert(Array("{}[],:\"\\0-.eu\n".utf8).randomElement(using: &random)!, at: at)
    default: bytes.removeLast(bytes.count - at)
    }
  }
  return bytes
}
