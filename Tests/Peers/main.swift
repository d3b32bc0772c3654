import FaultTesting
import Foundation

// A simulation of servers on one shared log; see `usage`.

let usage = """
  usage: peers [--seed S] [--seeds N] [--servers N] [--steps M] [--bug NAME] [--out FOLDER]
         peers --script FILE [--bug NAME]
         peers --list-bugs

  Simulates servers on clones of one shared log, a database with the lease, a network that delays
  and loses connections, and clients that repeat commands with their keys at any server. Servers
  are paused, killed, cut off and replaced by a version without a lease. Then all faults end, and
  it checks that each acknowledged command is in the log once, that servers showed what they
  acknowledged, that no later term was overtaken, that the log follows the rules, and that all
  clones are equal.

    --seed S       the first seed (1); one seed is one simulation
    --seeds N      the number of seeds (1)
    --servers N    the number of servers (2 to 4, by the seed)
    --steps M      the number of steps (150)
    --seconds T    ends after T seconds, even if seeds are left
    --script FILE  runs the steps of a file, such as one that a failure has left
    --bug NAME     plants a bug, which must be found
    --list-bugs    lists the bugs
    --out FOLDER   where a failure leaves its script (peers-SEED)
    --no-shrinking ends at the first broken promise, without a smaller script

  Exit codes: 0 all promises are kept, 1 one is broken, 64 wrong usage, 69 built without the trait
  Server.
  """

let options = SimulatorOptions(
  "peers", usage: usage,
  numbers: ["--seed": 1, "--seeds": 1, "--servers": 0, "--steps": 150, "--seconds": .max],
  bugs: SimulatedBug.allCases.map { "\($0.rawValue): \($0.summary)" })
guard options.number("--servers") <= 9, options.number("--steps") <= 1_000_000,
  options.number("--seeds") > 0
else {
  options.fail("at most 9 servers, at most 1,000,000 steps and at least one seed are possible")
}
SimulatedBug.planted = options.bug(SimulatedBug.self)
let given = options.script(Script.self)

#if Server
  let start = ContinuousClock.now
  var sum = Figures()
  var seeds = 0
  for index in 0..<(given == nil ? options.number("--seeds") : 1) {
    let limit = Duration.seconds(Int64(clamping: options.number("--seconds")))
    if seeds > 0, ContinuousClock.now - start > limit { break }
    let seed = options.number("--seed") &+ index
    let servers = options.number("--servers") > 0 ? options.number("--servers") : 2 + seed % 3
    let script =
      given ?? Script(seed: seed, servers: Int(servers), steps: Int(options.number("--steps")))
    let (figures, violation) = outcome(of: script)
    seeds += 1
    sum = sum + figures
    guard let violation else { continue }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    print("seed \(script.seed): \(violation.invariant): \(violation.detail)")
    if options.shrinks {
      var small = script
      small.steps = await shrunk(script.steps) { steps in
        var shorter = script
        shorter.steps = steps
        return outcome(of: shorter).violation?.invariant == violation.invariant
      }
      let detail = outcome(of: small).violation?.detail ?? ""
      print("with \(small.steps.count) of \(script.steps.count) steps: \(detail)")
      let folder = options.folder ?? "peers-\(script.seed)"
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      try small.text.write(
        toFile: folder + "/script.jsonl", atomically: true, encoding: .utf8)
      print("  \(folder)/script.jsonl")
    }
    print(
      String(
        format: "found after %.1f s in %d seeds: %@", seconds, seeds, violation.invariant))
    exit(1)
  }
  let seconds = (ContinuousClock.now - start) / .seconds(1)
  print(
    String(
      format: "%d seeds, %.0f simulated seconds in %.1f s (%.1f seeds a second)", seeds,
      sum.seconds, seconds, Double(seeds) / seconds))
  print(
    "\(sum.commands) commands: \(sum.accepted) accepted, \(sum.refused) refused, "
      + "\(sum.unknown) unknown; \(sum.unavailable) answers 503; \(sum.kills) kills, "
      + "\(sum.pauses) pauses, \(sum.takeovers) terms, \(sum.lost) lost messages, "
      + "\(Scheduler.shared.dropped) processes did not end; "
      + "hash \(String(sum.hash, radix: 16))")
#else
  FileHandle.standardError.write(Data("peers: built without the trait Server\n".utf8))
  exit(69)
#endif
