import FaultTesting
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// docs/limits.md: what there is too much of is refused, or read, in memory that does not grow with
/// it.
@Suite(.serialized) struct LimitsTests {
  private struct Result {
    var code: Int32
    var error: String
    /// The most memory that was in use, in megabytes.
    var peak: Int
  }

  /// Runs `eventlog` with these words, its output thrown away.
  private func run(_ words: String, in shell: Shell) throws -> Result {
    let command =
      "cd '\(shell.folder.path)' && exec '\(products.path)/eventlog' \(words) >/dev/null 2>err"
    var arguments: [UnsafeMutablePointer<CChar>?] = ["sh", "-c", command].map { (word: String) in
      strdup(word)
    }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    try #require(posix_spawn(&child, "/bin/sh", nil, nil, arguments, environ) == 0)
    var status: Int32 = 0
    var usage = rusage()
    while wait4(child, &status, 0, &usage) == -1, errno == EINTR {}
    // Instruments take memory of their own.
    let variables = ProcessInfo.processInfo.environment
    let isInstrumented = ["LLVM_PROFILE_FILE", "ASAN_OPTIONS", "TSAN_OPTIONS"].contains {
      variables[$0] != nil
    }
    let peak = isInstrumented ? 0 : usage.ru_maxrss / 1_024
    let error = try String(contentsOf: shell.folder.appending(path: "err"), encoding: .utf8)
    #expect(status & 0x7f == 0, "ended by a signal: \(words)")
    return Result(code: status >> 8 & 0xff, error: error, peak: peak)
  }

  @Test("faults 3, 39: a tail of 150 MB is told, put aside and cut off in bounded memory")
  func tail() throws {
    let shell = try Shell()
    defer { shell.remove() }
    // The size of the file without its blocks: reading it gives NUL bytes.
    _ = try shell.run("cp -rL eventlogs/demo l && chmod -R u+w l && truncate -s 150M l/*.jsonl")
    let read = try run("project followers --log l", in: shell)
    #expect(read.code == 0 && read.peak < 140, "\(read)")
    #expect(read.error.contains("bytes after the last line"), "\(read)")
    let verify = try run("verify --log l", in: shell)
    #expect(verify.code == 65 && verify.peak < 140, "\(verify)")
    let write = try run("do LogSend climb=x --as lena --log l", in: shell)
    #expect(write.code == 0 && write.peak < 140, "\(write)")
    #expect(write.error.contains("torn tail"), "\(write)")
    #expect(try run("verify --log l", in: shell).code == 0)
    let kept = try shell.run("cat l/recovered/*.bytes | wc -c").output
    #expect(kept == "\((150 << 20) - 77_221)\n")
  }

  @Test("faults 39: a line of 150 MB is damage in a log and an error in a file, in bounded memory")
  func line() throws {
    let shell = try Shell()
    defer { shell.remove() }
    _ = try shell.run(
      "cp -rL eventlogs/demo l && chmod -R u+w l && truncate -s 150M l/*.jsonl && "
        + "{ echo; tail -1 eventlogs/demo/*.jsonl; } | tee -a l/*.jsonl")
    let commands = ["verify", "log", "project followers --cold", "replay", "check"]
    for command in commands.prefix(Sweep.size(1, 5, 5)) {
      let result = try run("\(command) --log l", in: shell)
      #expect(result.code == 65 && result.peak < 140, "\(command): \(result)")
      // What looks at the end first finds that its last line does not follow.
      let isNamed = result.error.contains("line 260") || result.error.contains("the one before it")
      #expect(isNamed, "\(command): \(result)")
    }
    _ = try shell.run("truncate -s 150M lone.jsonl; eventlog init empty")
    for command in [
      "stats --log lone.jsonl", "import lone.jsonl --log empty", "run lone.jsonl --log empty",
    ] {
      let result = try run(command, in: shell)
      #expect(result.code == 65 && result.peak < 140, "\(command): \(result)")
      #expect(result.error.contains("a line of more than 16777216 bytes"), "\(result)")
    }
  }

  @Test("faults 38, 39: the longest lines, of brackets, members or text, stay within bounds")
  func long() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let line = #"{"type":"UserFollowed","actor":"a","data":{"follower":"a","followee":"b"},"x":"#
    let count = Sweep.size(100_000, 1_000_000, 1_000_000)
    let makers: [(name: String, value: String, code: Int32)] = [
      ("brackets", String(repeating: "[", count: 16_000_000), 65),
      ("members", "{" + (0..<count).map { "\"\($0)\":0" }.joined(separator: ",") + "}", 0),
      ("numbers", "[" + [String](repeating: "1", count: count).joined(separator: ",") + "]", 0),
      ("text", "\"" + String(repeating: "ü", count: 7 * count) + "\"", 0),
    ]
    for (name, value, code) in makers {
      try Data((line + value + "}\n").utf8).write(to: shell.folder.appending(path: "\(name).jsonl"))
      let result = try run("stats --log \(name).jsonl", in: shell)
      #expect(result.code == code && result.peak < 600, "\(name): \(result)")
    }
  }
}
