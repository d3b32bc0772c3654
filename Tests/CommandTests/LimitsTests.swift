import FaultTesting
import Foundation
import Testing

/// docs/limits.md: input over a limit is refused, or read in bounded memory.
@Suite(.serialized, .enabled(if: hasPython, "the memory is measured by Python"))
struct LimitsTests {
  private struct Result {
    var code: Int32
    var error: String
    /// The most memory that was in use, in megabytes.
    var peak: Int
  }

  /// Runs `eventlog` with these words and discards its output.
  ///
  /// Python starts it, because Python is small: the system counts the memory of a large parent
  /// process as its child's.
  private func run(_ words: String, in shell: Shell) throws -> Result {
    let script =
      "import resource, subprocess, sys; "
      + "code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL); "
      + "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    let result = try shell.run("python3 -c '\(script)' eventlog \(words)")
    let numbers = result.output.split { " \n".contains($0) }.compactMap { Int($0) }
    try #require(numbers.count == 2, "\(result)")
    // Instruments take memory of their own.
    let variables = ProcessInfo.processInfo.environment
    let isInstrumented = ["LLVM_PROFILE_FILE", "ASAN_OPTIONS", "TSAN_OPTIONS"].contains {
      variables[$0] != nil
    }
    return Result(
      code: Int32(numbers[0]), error: result.error, peak: isInstrumented ? 0 : numbers[1] / 1_024)
  }

  @Test("faults 3, 39: a tail of 150 MB is reported, moved aside and cut off in bounded memory")
  func tail() throws {
    let shell = try Shell()
    defer { shell.remove() }
    // A sparse file of this size: reading it gives NUL bytes.
    _ = try shell.run("cp -rL eventlogs/demo l && chmod -R u+w l && truncate -s 150M l/*.jsonl")
    let read = try run("project followers --log l", in: shell)
    #expect(read.code == 0 && read.peak < 100, "\(read)")
    #expect(read.error.contains("bytes after the last line"), "\(read)")
    let verify = try run("verify --log l", in: shell)
    #expect(verify.code == 65 && verify.peak < 100, "\(verify)")
    let write = try run("do LogSend climb=x --as lena --log l", in: shell)
    #expect(write.code == 0 && write.peak < 100, "\(write)")
    #expect(write.error.contains("torn tail"), "\(write)")
    #expect(try run("verify --log l", in: shell).code == 0)
    let kept = try shell.run("cat l/recovered/*.bytes | wc -c").output
    #expect(kept == "\((150 << 20) - 88_361)\n")
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
      #expect(result.code == 65 && result.peak < 100, "\(command): \(result)")
      // A command that reads the end first finds that the last line does not follow.
      let isNamed = result.error.contains("line 301") || result.error.contains("the one before it")
      #expect(isNamed, "\(command): \(result)")
    }
    _ = try shell.run("truncate -s 150M lone.jsonl; eventlog init empty")
    for command in [
      "stats --log lone.jsonl", "import lone.jsonl --log empty", "run lone.jsonl --log empty",
    ] {
      let result = try run(command, in: shell)
      #expect(result.code == 65 && result.peak < 100, "\(command): \(result)")
      #expect(result.error.contains("a line of more than 16777216 bytes"), "\(result)")
    }
  }

  @Test("An import of any size is sorted in bounded memory and leaves no temporary file")
  func sorting() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let count = Sweep.size(400, 800, 3_000)
    let script =
      #"for i in range(\#(count)): print('{"time":"2026-01-01T%02d:%02d:00Z","type":"#
      + #""UserFollowed","actor":"a","data":{"follower":"a","followee":"n%d"}%s}' "#
      + "% (i * 7919 % 24, i * 31 % 60, i, ' ' * 200000))"
    try Data(script.utf8).write(to: shell.folder.appending(path: "make.py"))
    _ = try shell.run("python3 make.py > big.jsonl; eventlog init l; eventlog init piped")
    let result = try run("import big.jsonl --sort --log l", in: shell)
    // 80 MB and more, with 32 MiB in memory at a time.
    #expect(result.code == 0 && result.peak < 90, "\(result)")
    let piped = try shell.run(
      "head -20 big.jsonl | eventlog import - --sort --log piped; ls l piped")
    #expect(piped.error.contains("20 events added"), "\(piped)")
    let files = "0000000000000001.jsonl\nlock\n"
    #expect(piped.output == "l:\n\(files)\npiped:\n\(files)")
    let verified = try shell.run("eventlog verify --log l --format jsonl")
    #expect(verified.output.contains("\"events\":\(count),"), "\(verified)")
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

private let hasPython: Bool = {
  guard let shell = try? Shell() else { return false }
  defer { shell.remove() }
  return (try? shell.run("python3 --version"))?.code == 0
}()
