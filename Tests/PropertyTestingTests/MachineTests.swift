import PropertyTesting
import Synchronization
import Testing

/// Numbered boxes, each with a number, that can be made, raised and read.
struct Boxes: Machine {
  struct Model: Sendable {
    var values: [Int: Int] = [:]
    /// The boxes' numbers, which the system assigns.
    var boxes = Bundle<Int>()
    var hasBoxes: Bool { !boxes.isEmpty }
  }
  enum Command: Sendable {
    case make
    case raise(Int, by: Int)
    case read(Int)
  }

  actor Shelf {
    var boxes: [Int: Int] = [:]
    /// The planted fault of this shelf, if any.
    let fault: Fault?
    init(_ fault: Fault?) { self.fault = fault }

    func make() -> Int {
      let number = 100 + boxes.count
      boxes[number] = 0
      return number
    }

    func raise(_ box: Int, by amount: Int) async -> Int {
      let old = boxes[box]!
      if fault == .forgetsLargeRaises, amount > 41, boxes.count > 1 { return old }
      if fault == .losesUpdates { await Task.yield() }
      boxes[box] = old + amount
      return boxes[box]!
    }

    func read(_ box: Int) -> Int { boxes[box]! }
  }

  enum Fault { case forgetsLargeRaises, losesUpdates, neverAnswers }
  var fault: Fault?

  let model = Model()
  let rules: [Rule<Boxes>] = [
    Rule("make") { _, _ in .make },
    Rule("raise", if: \.hasBoxes) { t, model in
      .raise(t.draw(.element(of: model.boxes)), by: t.draw(.int(1...100)))
    },
    Rule("read", if: \.hasBoxes) { t, model in .read(t.draw(.element(of: model.boxes))) },
  ]

  func system(on interleaver: Interleaver?) -> Shelf { Shelf(fault) }

  func perform(_ command: Command, on shelf: Shelf) async -> Int {
    switch command {
    case .make: return await shelf.make()
    case .raise(let box, let amount):
      if fault == .neverAnswers {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
      }
      return await shelf.raise(box, by: amount)
    case .read(let box): return await shelf.read(box)
    }
  }

  func respond(to command: Command, _ model: inout Model, seeing response: Int) -> Int {
    switch command {
    case .make:
      if model.values[response] != nil { return -1 }
      model.values[response] = 0
      model.boxes.add(response)
      return response
    case .raise(let box, let amount):
      model.values[box, default: 0] += amount
      return model.values[box]!
    case .read(let box): return model.values[box]!
    }
  }

  func invariants(_ model: Model, _ shelf: Shelf) async throws {
    #expect(await shelf.boxes.count == model.boxes.count)
  }

  func questions(_ model: Model) -> [Command] { model.boxes.map { .read($0) } }
}

@Suite struct MachineTests {
  @Test("A system that behaves like its model passes, and every rule is used")
  func passes() async throws {
    try await check(runs: 200, covering: ["make": 0.8, "raise": 0.7, "read": 0.7]) { t in
      try await t.run(Boxes())
    }
  }

  @Test("A failure shrinks to the fewest steps, then to the simplest ones")
  func shrinks() async throws {
    for seed in 0..<10 as Range<UInt64> {
      let found = try await issues {
        try await check(runs: 1_000, seed: seed, file: nowhere) { t in
          try await t.run(Boxes(fault: .forgetsLargeRaises))
        }
      }
      #expect(found.count == 1)
      let values = found[0].text.split(separator: "\n").filter { $0.hasPrefix("  ") }
      #expect(
        values == [
          "  make → 100", "  make → 101", "  raise(100, by: 42) → 0",
        ], "\(found[0].text)")
    }
  }

  @Test("Steps that undo each other are left out together")
  func pairs() async throws {
    for seed in 0..<10 as Range<UInt64> {
      let drawn = Mutex<[String]>([])
      let found = await counterexample(runs: 20_000, seed: seed << 32) { t in
        var (steps, open, isUsed) = ([String](), Set<Int>(), false)
        t.times(0...12) {
          let file = t.draw(.int(0...2))
          if t.draw(.bool) {
            steps.append("use")
            isUsed = isUsed || open.contains(file)
          } else if open.remove(file) != nil {
            steps.append("close")
          } else {
            open.insert(file)
            steps.append("open")
          }
        }
        drawn.withLock { $0 = steps }
        return !isUsed || !open.isEmpty
      }
      #expect(found != nil && drawn.withLock { $0 } == ["open", "use", "close"], "seed \(seed)")
    }
  }

  @Test("Some serial order explains tasks that take turns only between their awaits")
  func races() async throws {
    try await check(runs: 200) { t in try await t.race(Boxes()) }
  }

  @Test("An update lost between two awaits is found, and found again from its tape")
  func lostUpdate() async throws {
    let property: @Sendable (Trial) async throws -> Void = { t in
      try await t.race(Boxes(fault: .losesUpdates), tasks: 2)
    }
    let found = try await issues { try await check(runs: 1_000, seed: 0, file: nowhere, property) }
    #expect(found.count == 1)
    let text = found[0].text
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("  ") }
    #expect(lines.count == 4, "\(text)")
    #expect(lines.filter { $0.contains("raise(100, by: 1) → 1") }.count == 2, "\(text)")
    let tape = try #require(text.firstMatch(of: /replaying: "([0-9.]*)"/)).output.1
    for _ in 0..<20 {
      let again = try await issues {
        try await check(replaying: String(tape), file: nowhere, property)
      }
      #expect(again.count == 1 && again[0].text.contains(lines.joined(separator: "\n")))
    }
  }

  @Test("Tasks that wait for ever are reported")
  func stuck() async throws {
    let found = try await issues {
      // One run: a make first, so that there is a box to raise.
      try await check(shrinks: 0, replaying: "1.0.0.1.1.0.0.0.1.2", file: nowhere) { t in
        try await t.race(
          Boxes(fault: .neverAnswers), after: 1...1, tasks: 1, commands: 1...1,
          patience: .milliseconds(50))
      }
    }
    #expect(found.count == 1)
    #expect(found[0].error is Interleaver.Stuck)
  }
}
