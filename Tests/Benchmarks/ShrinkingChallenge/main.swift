import PropertyTesting

// The shrinking challenge: size, uniformity and cost.
//
//   shrinking [--seeds N] [CASE]
//
// Prints for each case, over N seeds, the number of shrunk forms, the mean, the maximum and the
// 95th percentile of the number of shrinking runs, and the forms with their frequencies. Exit
// status 1 if a case has several forms, or needs more than 500 runs on average.

var seeds: UInt64 = 100
var only: String?
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
  if argument == "--seeds" {
    seeds = arguments.popFirst().flatMap(UInt64.init) ?? 100
  } else {
    only = argument
  }
}

func padded(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}

print("case              forms  mean  max   p95   found  form")
var (single, slow, missed) = (0, 0, 0)
for entry in cases where only == nil || entry.name == only {
  var forms: [String: Int] = [:]
  var (evaluations, runs) = ([Int](), 0)
  for seed in 0..<seeds {
    guard
      let found = await counterexample(runs: 20_000, seed: seed << 32, to: { try entry.holds($0) })
    else {
      missed += 1
      continue
    }
    evaluations.append(found.evaluations)
    runs += found.run ?? 0
    forms[try replay(found.tape, entry.show), default: 0] += 1
  }
  evaluations.sort()
  let mean = evaluations.reduce(0, +) / max(evaluations.count, 1)
  // The nearest rank: the least number that 95 % of the evaluations do not exceed.
  let p95 = evaluations.isEmpty ? 0 : evaluations[(evaluations.count * 95 + 99) / 100 - 1]
  if mean > 500 { slow += 1 }
  if forms.count == 1, forms[entry.smallest] != nil { single += 1 }
  let order = forms.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
  let found = runs / max(Int(seeds), 1)
  print(
    padded(entry.name, 18) + padded("\(forms.count)", 7) + padded("\(mean)", 6)
      + padded("\(evaluations.last ?? 0)", 6) + padded("\(p95)", 6) + padded("\(found)", 7)
      + (order.first?.key ?? "none"))
  for (form, count) in order.dropFirst().prefix(5) {
    print("\(padded("", 50))\(form) (\(count))")
  }
}
let isGood = missed == 0 && slow == 0 && (only != nil || single == 13)
if !isGood { print("falls short: missed \(missed), slow \(slow), one form \(single) of 13") }
exit(isGood)
