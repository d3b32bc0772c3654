import EventlogClient
import FaultTesting
import Foundation
import UseCases

// A simulation of phones and a server; see `usage`.

let usage = """
  usage: phones [--seed S] [--seeds N] [--phones N] [--steps M] [--bug NAME] [--out FOLDER]
         phones --script FILE [--bug NAME]
         phones --list-bugs

  Simulates phones with an OfflineStore, a server, a network that loses, doubles, delays and
  reorders messages, and disks that lose power. Then all faults end, and it checks that every
  command has one outcome, that nothing acknowledged is lost, that the log follows the rules, that
  the phones answer like the server, and that no phone has a text that its person may not see.

    --seed S       the first seed (1); one seed is one simulation
    --seeds N      the number of seeds (1)
    --phones N     the number of phones (3)
    --steps M      the number of steps (400)
    --script FILE  runs the steps of a file, such as one that a failure has left
    --bug NAME     plants a bug, which must be found
    --list-bugs    lists the bugs
    --out FOLDER   where a failure leaves its script, log and page (phones-SEED)
    --no-shrinking ends at the first broken promise, without a smaller script

  Exit codes: 0 all promises are kept, 1 one is broken, 64 wrong usage.
  """

let options = SimulatorOptions(
  "phones", usage: usage,
  numbers: ["--seed": 1, "--seeds": 1, "--phones": 3, "--steps": 400],
  bugs: PlantedBug.allCases.map { "\($0.rawValue): \($0.summary)" })
guard (1...20).contains(options.number("--phones")), options.number("--steps") <= 1_000_000,
  options.number("--seeds") > 0
else { options.fail("1 to 20 phones, at most 1,000,000 steps and at least one seed are possible") }
options.bug(PlantedBug.self)?.plant()
let given = options.script(Script.self)

let start = ContinuousClock.now
var sum = Figures()
var seeds = 0
for index in 0..<(given == nil ? options.number("--seeds") : 1) {
  let script =
    given
    ?? Script(
      seed: options.number("--seed") &+ index, phones: Int(options.number("--phones")),
      steps: Int(options.number("--steps")))
  let (figures, violation, _) = try await outcome(of: script)
  seeds += 1
  sum = sum + figures
  guard let violation else { continue }
  let seconds = (ContinuousClock.now - start) / .seconds(1)
  print("seed \(script.seed): \(violation.invariant): \(violation.detail)")
  if options.shrinks {
    let small = try await shrunk(script, violation)
    let (_, last, log) = try await outcome(of: small)
    print("with \(small.steps.count) of \(script.steps.count) steps: \(last?.detail ?? "")")
    for path in try keep(small, log, in: options.folder ?? "phones-\(script.seed)") {
      print("  \(path)")
    }
  }
  print(
    String(
      format: "found after %.1f s in %d seeds: %@", seconds, seeds, violation.invariant))
  exit(1)
}
let seconds = (ContinuousClock.now - start) / .seconds(1)
let kinds = CommandOutcome.Kind.allCases.map { "\(sum.outcomes[$0] ?? 0) \($0.rawValue)" }
print(
  String(
    format: "%d seeds, %.0f phone-days in %.1f s (%.0f a minute)", seeds, sum.days, seconds,
    sum.days / seconds * 60))
print(
  "\(sum.commands) commands: \(kinds.joined(separator: ", ")); \(sum.kills) kills, "
    + "\(sum.lost) lost messages; hash \(String(sum.hash, radix: 16))")
