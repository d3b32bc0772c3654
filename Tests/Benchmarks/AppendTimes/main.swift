import EventLog
import Events
import Foundation

// Durable appends per second: a bare loop of write and fdatasync, one caller of the log, and
// sixteen. `Tests/Benchmarks/writes` runs it. Rounds are interleaved; the medians count.
//
// usage: appends EVENTS ROUNDS FOLDER

let arguments = CommandLine.arguments
guard arguments.count == 4, let events = Int(arguments[1]), let rounds = Int(arguments[2]) else {
  print("usage: appends EVENTS ROUNDS FOLDER")
  exit(64)
}
let folder = arguments[3]

func follow(_ number: Int) throws -> Commit {
  var names = Names()
  let edge = Follow(follower: try names.user("u\(number)"), followee: try names.user("star"))
  return Commit([NewEvent(.follow(.followed(edge)), actor: "u\(number)", names: names)])
}

func seconds(_ body: () async throws -> Void) async throws -> Double {
  let start = ContinuousClock.now
  try await body()
  return (ContinuousClock.now - start) / .seconds(1)
}

/// Writes a line as long as the log's, `events` times, each made durable.
func bareLoop(_ round: Int, _ line: [UInt8]) throws {
  let path = "\(folder)/bare-\(round)"
  let files = FileSystem.posix
  let file = try files.open(path, .createNew)
  for _ in 0..<events {
    try line.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        done += try files.write(file, bytes.baseAddress! + done, bytes.count - done, path)
      }
    }
    try files.sync(file, path)
  }
  try files.close(file, path)
}

/// Appends `events` events; each caller waits until its event is durable.
func appends(_ round: Int, callers: Int) async throws -> Double {
  let log = try FileLog(path: "\(folder)/log-\(round)-\(callers)", creating: true)
  let commits = try (0..<events).map(follow)
  return try await seconds {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<callers {
        group.addTask {
          for index in stride(from: caller, to: events, by: callers) {
            try await log.append(commits[index])
          }
        }
      }
      try await group.waitForAll()
    }
  }
}

let line = [UInt8](repeating: UInt8(ascii: "x"), count: 282) + [0x0a]
var bare: [Double] = []
var one: [Double] = []
var sixteen: [Double] = []
for round in 0..<rounds {
  bare.append(try await seconds { try bareLoop(round, line) })
  one.append(try await appends(round, callers: 1))
  sixteen.append(try await appends(round, callers: 16))
}
func rate(_ times: [Double]) -> Double { Double(events) / times.sorted()[times.count / 2] }
func row(_ name: String, _ rate: Double, _ base: Double) {
  let columns = [String(Int(rate)), String(format: "%.2f", rate / base)]
  print(name + "\t" + columns.joined(separator: "\t"))
}
row("write + fdatasync", rate(bare), rate(bare))
row("append, one caller", rate(one), rate(bare))
row("append, 16 callers", rate(sixteen), rate(bare))
