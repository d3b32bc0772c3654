import Aggregates
import FaultTesting
import UseCases
import UseCasesTesting

@testable import EventLog
@testable import Events

/// A folder of up to three segments; a line that begins with `~` starts a new one.
func fuzzLog(_ bytes: [UInt8]) async {
  let disk = SimulatedDisk()
  disk.makeFolder("/log")
  let text = sealed(bytes)
  var first = 1
  for (index, piece) in text.split(separator: UInt8(ascii: "~"), maxSplits: 2).enumerated() {
    if index > 0, piece.isEmpty { continue }
    let digits = String(first)
    let name = String(repeating: "0", count: 16 - digits.count) + digits + ".jsonl"
    disk["/log/" + name] = Array(piece)
    first += piece.count { $0 == 0x0a }
    if piece.last != 0x0a { first += 1 }
  }
  let before = disk.paths.map { disk[$0] }
  let view = Result { () throws(LogError) in try LogView(path: "/log", files: disk.files) }
  var head: UInt64?
  if let view = try? view.get() {
    head = try? view.verify().head.seq
    _ = try? view.forEachEvent { _ in true }
    _ = try? view.head()
    for seq in [1, 2, 7] as [UInt64] { _ = try? view.line(at: seq) }
    _ = try? Revision("50%")?.resolve(in: view)
    _ = try? Revision("@2026-01-31T12:00:00Z")?.resolve(in: view)
  }
  demand(before == disk.paths.map { disk[$0] }, "reading writes")
  await repair(disk, head)
  await append(disk, head)
}

/// A repair's result must verify, and a log that verifies needs no repair.
private func repair(_ disk: SimulatedDisk, _ head: UInt64?) async {
  do throws(LogError) {
    let before = disk["/log/0000000000000001.jsonl"]
    let repair = try await Repair(of: "/log", into: "/mended", files: disk.files)
    demand(before == disk["/log/0000000000000001.jsonl"], "the damaged log is touched")
    if repair.isWhole { return }
    let mended = try LogView(path: "/mended", files: disk.files)
    let count = try mended.verify().head.seq
    demand(count == UInt64(repair.kept), "\(count) events, not \(repair.kept)")
    if let head { demand(head <= count, "\(head) events verified, \(count) kept") }
  } catch {
    switch error {
    case .notALog, .noSuchLog, .file: break
    default: fatalError("the repair stops: \(error)")
    }
  }
}

/// A log that verifies, with any tail, must accept an append and then verify.
private func append(_ disk: SimulatedDisk, _ head: UInt64?) async {
  do throws(LogError) {
    let log = try FileLog(path: "/log", files: disk.files)
    var names = Names()
    guard let some = try? names.user("fuzz.1"), let other = try? names.user("fuzz.2") else {
      return
    }
    let event = NewEvent(
      .follow(.followed(Follow(follower: some, followee: other))), actor: "fuzz.1", names: names)
    try await log.append(Commit([event]))
    if let head {
      let after = try LogView(path: "/log", files: disk.files).verify().head.seq
      demand(after == head + 1, "\(head) events verified, and \(after) after an append")
    }
  } catch {
    if let head { fatalError("\(head) events verified, and no append: \(error)") }
  }
}

/// Performs lines like `eventlog run`; then the log must verify, with all invariants.
func fuzzCommands(_ bytes: [UInt8]) async { await fuzz(lines(bytes), .climb) }

/// The first line has the rules, the others have requests.
func fuzzRules(_ bytes: [UInt8]) async {
  let lines = lines(bytes)
  guard let first = lines.first,
    let rules = try? Rules(json: String(decoding: first, as: UTF8.self))
  else { return }
  await fuzz(Array(lines.dropFirst()), rules)
}

private func fuzz(_ lines: [[UInt8]], _ rules: Rules) async {
  let requests = lines.prefix(64).compactMap { try? Request(line: $0) }
  if requests.isEmpty { return }
  let log = InMemoryLog()
  guard let core = try? await Core(log, rules: rules) else { fatalError("no core of an empty log") }
  let ports = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())
  for start in stride(from: 0, to: requests.count, by: 8) {
    let group = Array(requests[start..<min(start + 8, requests.count)])
    for reply in await core.perform(group, photos: ports) {
      let text = reply.json.text
      demand((try? JSONValue(text)) == reply.json, "the answer is no JSON: \(text)")
    }
  }
  demand(core.brokenInvariant() == nil, core.brokenInvariant() ?? "")
  let view = log.view()
  demand((try? view.verify()) != nil, "what was appended does not verify")
  guard let check = try? Check(view, by: RuleHistory(rules)) else {
    fatalError("what was appended is not read")
  }
  demand(check.findings.isEmpty, "forbidden: \(check.findings)")
  demand(check.brokenInvariant == nil, "\(String(describing: check.brokenInvariant))")
}
