@testable import Events

/// The fuzzed functions: each takes any bytes, and ends the process if a condition fails.
enum Target: String, CaseIterable {
  /// The strict parser: it never traps, and an accepted line is written and read back unchanged.
  case parser
  /// The fast reader over sealed lines of any content, compared with the strict one.
  case reader
  /// The fast path of one line, compared with the strict one.
  case differential
  /// Opening, reading, repairing and appending to a log of any segments.
  case log
  /// The command's arguments.
  case arguments
  /// Lines for `eventlog run`.
  case commands
  /// Rules from a file, and lines for `eventlog run` with them.
  case rules
  /// Requests to the server.
  case requests

  func run(_ bytes: [UInt8]) async {
    switch self {
    case .parser: fuzzParser(bytes)
    case .reader: fuzzReader(bytes)
    case .differential: fuzzDifferential(bytes)
    case .log: await fuzzLog(bytes)
    case .arguments: await fuzzArguments(bytes)
    case .commands: await fuzzCommands(bytes)
    case .rules: await fuzzRules(bytes)
    case .requests: await fuzzRequests(bytes)
    }
  }
}

/// Ends the process, so that the fuzzer sees a crash and keeps the input.
func demand(_ condition: Bool, _ what: @autoclosure () -> String) {
  if !condition { fatalError(what()) }
}

func lines(_ bytes: [UInt8]) -> [[UInt8]] {
  bytes.split(separator: 0x0a, omittingEmptySubsequences: false).map(Array.init)
}

/// The bytes as a log's lines, each with its correct sum if the first byte says so.
func sealed(_ bytes: [UInt8]) -> [UInt8] {
  guard let first = bytes.first else { return [] }
  let rest = Array(bytes.dropFirst())
  if first & 1 == 0 { return rest }
  var out: [UInt8] = []
  var sum: UInt64 = 0
  for line in lines(rest) {
    // Any existing sum is replaced.
    let body =
      line.count > 26 && line[line.count - 26] == UInt8(ascii: ",") ? line.dropLast(26) : line[...]
    if body.isEmpty { continue }
    sum = XXH64.hash(Array(body), seed: sum)
    let digits = String(sum, radix: 16)
    let tail = ",\"sum\":\"" + String(repeating: "0", count: 16 - digits.count) + digits + "\"}\n"
    out += body
    out += tail.utf8
  }
  return out
}
