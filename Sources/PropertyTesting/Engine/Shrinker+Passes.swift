extension Shrinker {
  /// Tries zeros for all choices except those that continue a repetition; then for all numbers.
  mutating func zeroNumbers() async {
    let flags = flags
    let others = choices.indices.filter { choices[$0] != 0 && !flags.contains($0) }
    if await attempt(others, 0) { return }
    let numbers = others.filter { best.bounds[$0] > 16 || signed.contains($0 - 1) }
    if numbers.count < others.count { _ = await attempt(numbers, 0) }
  }

  /// Finds for each repetition the smallest number of first rounds that suffice.
  mutating func shortenRepetitions() async {
    var parent = -1
    while parent < best.spans.count {
      let rounds = children(of: parent).filter {
        best.spans[$0].isRound && choices[best.spans[$0].range.lowerBound] == 1
      }
      if rounds.count > 1 {
        let base = best
        _ = await kept(of: rounds.count) { shrinker, count in
          var changed = base.tape.choices
          changed.removeSubrange(
            base.spans[rounds[count]].range
              .lowerBound..<base.spans[rounds[rounds.count - 1]].range.upperBound)
          return await shrinker.attempt(changed)
        }
      }
      parent += 1
    }
  }

  /// Returns the least number below `count` for which a step succeeds, or `count`: tries 0, 1, 2,
  /// 4 …, then the numbers between.
  private mutating func kept(
    of count: Int, _ step: (inout Shrinker, Int) async -> Bool
  ) async -> Int {
    var (failed, next) = (-1, 0)
    while next < count, await !step(&self, next) { (failed, next) = (next, max(1, next * 2)) }
    var least = min(next, count)
    while least - failed > 1 {
      let middle = (failed + least) / 2
      if await step(&self, middle) { least = middle } else { failed = middle }
    }
    return least
  }

  /// Deletes spans (see `Span`) of the tape, from the last to the first. Deletes as many neighbours
  /// at once as possible.
  mutating func deleteSpans() async {
    var parent = -1
    while parent < best.spans.count {
      var rest = children(of: parent).count
      while rest > 0 {
        let (last, siblings) = (rest - 1, children(of: parent))
        guard last < siblings.count else {
          rest = siblings.count
          continue
        }
        let span = best.spans[siblings[last]]
        guard span.isRound || siblings.count(where: { best.spans[$0].kind == span.kind }) > 2
        else {
          rest -= 1
          continue
        }
        let base = best
        let deleted = await largest(upTo: UInt64(last + 1)) { shrinker, count in
          let range =
            base.spans[siblings[last + 1 - Int(count)]].range
            .lowerBound..<base.spans[siblings[last]].range.upperBound
          var changed = base.tape.choices
          changed.removeSubrange(range)
          return await shrinker.attempt(changed)
        }
        rest -= max(1, Int(deleted))
      }
      parent += 1
    }
  }

  /// Lowers a choice by one and deletes one or a few adjacent spans after it. This helps if the
  /// choice is a number of items and the spans are one of these items.
  mutating func lowerCounts() async {
    var number = 0
    while number < best.spans.count {
      let (span, first) = (best.spans[number], best.spans[number].range.lowerBound)
      let followers = children(of: span.parent).filter { $0 > number }.count
      if !span.range.isEmpty, !span.isRound, best.bounds[first] > 1,
        (1...UInt64(max(1, followers))).contains(choices[first])
      {
        let likely = followers / Int(choices[first])
        for size in Set([1, 2, 3, 4, likely, likely + 1]).sorted()
        where size > 0 && size <= followers {
          await lower(number, deleting: size)
        }
      }
      number += 1
    }
  }

  private mutating func lower(_ number: Int, deleting size: Int) async {
    guard number < best.spans.count else { return }
    let span = best.spans[number]
    let first = span.range.lowerBound
    var end = children(of: span.parent).count
    while true {
      let siblings = children(of: span.parent)
      end = min(end, siblings.count)
      guard let place = siblings.firstIndex(of: number), choices[first] > 0, end - size > place
      else { return }
      let base = best
      let most = min(base.tape.choices[first], UInt64((end - place - 1) / size))
      let lowered = await largest(upTo: most) { shrinker, count in
        let range =
          base.spans[siblings[end - Int(count) * size]].range
          .lowerBound..<base.spans[siblings[end - 1]].range.upperBound
        var changed = base.tape.choices
        changed.removeSubrange(range)
        changed[first] -= count
        return await shrinker.attempt(changed)
      }
      end -= lowered == 0 ? 1 : Int(lowered) * size
    }
  }

  /// Replaces a span (see `Span`) by another span of the same kind that is inside it.
  /// - Parameter isDeep: whether to try all inner spans, not only the outermost ones.
  mutating func liftSpans(isDeep: Bool = false) async {
    var number = 0
    while number < best.spans.count {
      let whole = best.spans[number]
      var (pieces, end) = ([Range<Int>](), 0)
      for inner in best.spans[(number + 1)...] {
        if inner.range.lowerBound >= whole.range.upperBound { break }
        guard inner.kind == whole.kind, inner.range.count < whole.range.count,
          isDeep || inner.range.lowerBound >= end
        else { continue }
        pieces.append(inner.range)
        end = inner.range.upperBound
      }
      let base = choices
      var isLifted = false
      for piece in pieces where !isLifted {
        isLifted = await attempt(replacing: whole.range, with: base[piece])
      }
      if !isLifted { number += 1 }
    }
  }

  /// Lowers a span's first choice, and replaces the rest of the span by zeros. The first choice may
  /// select an alternative that needs more or fewer choices.
  mutating func simplifySpans() async {
    var number = 0
    while number < best.spans.count {
      let range = best.spans[number].range
      if range.count > 1, !best.spans[number].isRound,
        range.count > 2 || !signed.contains(range.lowerBound),
        choices[range].contains(where: { $0 != 0 })
      {
        let first = range.lowerBound
        let value = choices[first]
        for lower in Set([0, 1, value / 2, value &- 1]).sorted()
        where value == 0 ? lower == 0 : lower < value {
          if await attempt(number, from: first, lower) { break }
          if best.bounds[first] > 64 { break }
        }
      }
      number += 1
    }
  }

  /// Lowers single choices, except those that continue a repetition.
  mutating func lowerChoices() async {
    var position = 0
    while position < choices.count {
      if !flags.contains(position) { await lower([position]) }
      position += 1
    }
  }

  /// Joins two neighbouring repetitions, such as two arrays. Deletes the choice that ends the first
  /// repetition and the choice that begins the second repetition.
  mutating func joinSpans() async {
    var position = choices.count - 2
    while position > 0 {
      if position + 1 < choices.count, choices[position] == 0, choices[position + 1] == 1,
        flags.isSuperset(of: [position, position + 1])
      {
        _ = await attempt(replacing: position..<position + 2, with: [])
      }
      position -= 1
    }
  }

  /// Deletes a round of a repetition, and lowers other choices by one: those above the round's
  /// place, which may be places of later rounds; all; or one that may be the number of rounds.
  mutating func deleteAndLower() async {
    var number = best.spans.count - 1
    while number >= 0 {
      defer { number -= 1 }
      guard number < best.spans.count, best.spans[number].isRound else { continue }
      let (base, range) = (best, best.spans[number].range)
      let siblings = children(of: base.spans[number].parent)
      guard let place = siblings.firstIndex(of: number), place + 1 < siblings.count else {
        continue
      }
      let numbers = base.tape.choices.indices.filter {
        base.bounds[$0] > 1 && base.tape.choices[$0] > 0 && !range.contains($0)
      }
      let later = numbers.filter { base.tape.choices[$0] > place }
      let counts = numbers.filter {
        (siblings.count - 2...siblings.count).contains(Int(clamping: base.tape.choices[$0]))
      }
      for group in [later, numbers] + counts.prefix(4).map({ [$0] }) where !group.isEmpty {
        var changed = base.tape.choices
        for position in group { changed[position] -= 1 }
        changed.removeSubrange(range)
        if await attempt(changed) { break }
      }
    }
  }

  /// Deletes two rounds of `t.times`, such as a step of a machine and a later step that undoes it.
  mutating func deletePairs() async {
    let kind = ObjectIdentifier(Element<Trial>.self)
    var first = 0
    while first < best.spans.count {
      defer { first += 1 }
      guard best.spans[first].kind == kind else { continue }
      let rounds = children(of: best.spans[first].parent).filter {
        best.spans[$0].kind == kind && choices[best.spans[$0].range.lowerBound] == 1
      }
      let base = best
      for second in rounds where second > first && rounds.contains(first) {
        var changed = base.tape.choices
        changed.removeSubrange(base.spans[second].range)
        changed.removeSubrange(base.spans[first].range)
        if await attempt(changed) {
          first -= 1
          break
        }
      }
    }
  }

  /// Lowers some of the numbers that are equal. The other passes lower all of them, one, or two.
  mutating func lowerSubsets() async {
    for value in Set(choices).sorted(by: >) where value > 1 {
      let positions = choices.indices.filter { choices[$0] == value && best.bounds[$0] > 16 }
      guard (4...6).contains(positions.count) else { continue }
      for mask in 1..<(1 << positions.count) - 1 where mask.nonzeroBitCount > 2 {
        let subset = positions.indices.filter { mask >> $0 & 1 == 1 }.map { positions[$0] }
        guard subset.allSatisfy({ $0 < choices.count && choices[$0] == value }) else { continue }
        await lower(subset)
      }
    }
  }

  /// Lowers equal choices together: all of them, then those that drew the same kind of value. For
  /// example, the four names of a story must stay equal, but not equal to the number of a command.
  mutating func lowerEqualChoices() async {
    for value in Set(choices).sorted(by: >) where value > 0 {
      let positions = choices.indices.filter { choices[$0] == value }
      if positions.count > 1 { await lower(positions) }
      for group in drawnAlike(value) where group.count > 1 && group.count < positions.count {
        guard group.allSatisfy({ $0 < choices.count && choices[$0] == value }) else { continue }
        await lower(group)
      }
    }
    // Numbers that are nearly equal.
    for (first, value) in choices.enumerated() where value > 16 {
      for second in choices.indices.dropFirst(first + 1).prefix(24)
      where second < choices.count && first < choices.count && choices[second] > 16 {
        let (a, b) = (choices[first], choices[second])
        if a != b, max(a, b) - min(a, b) <= 8 { await lower(first, with: second) }
      }
    }
  }

  /// Returns the positions of the choices with a value, except flags, in groups: by the kind of the
  /// drawn value and the choice's bound, and also by the draw's place in its round.
  private func drawnAlike(_ value: UInt64) -> [[Int]] {
    var groups: [(draw: Draw, positions: [Int])] = []
    func add(_ position: Int, _ draw: Draw) {
      if let index = groups.firstIndex(where: { $0.draw == draw }) {
        groups[index].positions.append(position)
      } else {
        groups.append((draw, [position]))
      }
    }
    for position in choices.indices where choices[position] == value && !flags.contains(position) {
      var draw = draws[position]
      add(position, draw)
      draw.place = nil
      add(position, draw)
    }
    return groups.map(\.positions)
  }

  /// Lowers the choices at the given positions, which are equal, to a common value.
  private mutating func lower(_ positions: [Int]) async {
    guard let first = positions.first, first < choices.count, choices[first] > 0 else { return }
    let (start, isSigned) = (choices[first], positions.count == 1 && signed.contains(first))
    if isSigned {
      if await attempt(replacing: first..<first + 2, with: [0, 0]) { return }
      if start > 1 {
        for sign in 0...1 as ClosedRange<UInt64> {
          if await attempt(replacing: first..<first + 2, with: [1, sign]) { return }
        }
      }
      if choices[first + 1] == 1 { _ = await attempt([first + 1], 0) }
    }
    _ = await least(from: start) { shrinker, value in
      await shrinker.attempt(positions, value)
    }
    // Tries a number that is closer to 0 and has the other sign, for example -2 instead of 3.
    if isSigned, first + 1 < choices.count, choices[first] > 1, choices[first + 1] == 0 {
      _ = await attempt(replacing: first..<first + 2, with: [choices[first] - 1, 1])
    }
  }

  /// Sorts neighbouring spans of the same kind, so that the simplest comes first.
  mutating func sortSpans() async {
    var parent = -1
    while parent < best.spans.count {
      var place = 1
      while true {
        let siblings = children(of: parent)
        guard place < siblings.count else { break }
        var at = place
        while at > 0, await swap(parent, at - 1) { at -= 1 }
        place += 1
      }
      parent += 1
    }
  }

  /// Swaps two neighbouring spans if the tape becomes simpler and the property still fails on it.
  /// Returns whether it swapped them.
  private mutating func swap(_ parent: Int, _ place: Int) async -> Bool {
    let siblings = children(of: parent)
    guard place + 1 < siblings.count else { return false }
    let (a, b) = (best.spans[siblings[place]], best.spans[siblings[place + 1]])
    guard a.kind == b.kind, !b.isRound || choices[b.range.lowerBound] == 1 else { return false }
    let between = choices[a.range.upperBound..<b.range.lowerBound]
    let swapped = choices[b.range] + between + choices[a.range]
    return await attempt(replacing: a.range.lowerBound..<b.range.upperBound, with: swapped)
  }

  /// Lowers two choices by the same amount. If this does not give a simpler tape, lowers the first
  /// choice and raises the second choice by the same amount.
  mutating func lowerPairs() async {
    var first = 0
    while first < choices.count {
      var (second, tried) = (first + 1, 0)
      while second < choices.count, choices[first] > 0, best.bounds[first] > 1, tried < 12 {
        if best.bounds[second] > 1, choices[second] > 0 {
          tried += 1
          await lower(first, with: second)
        }
        second += 1
      }
      first += 1
    }
  }

  private mutating func lower(_ first: Int, with second: Int) async {
    let base = best
    let (a, b) = (base.tape.choices[first], base.tape.choices[second])
    let both = min(a, b)
    let together = await least(from: both) { shrinker, value in
      var changed = base.tape.choices
      changed[first] = a - (both - value)
      changed[second] = b - (both - value)
      return await shrinker.attempt(changed)
    }
    let room = min(a, base.bounds[second] - b)
    guard together == both, room > 0 else { return }
    _ = await least(from: room) { shrinker, value in
      var changed = base.tape.choices
      changed[first] = a - (room - value)
      changed[second] = b + (room - value)
      return await shrinker.attempt(changed)
    }
  }

  /// Rotates three spans of the same kind that follow each other in the tape but need not be
  /// neighbours in a list: two subtrees and the empty tree after them, for example.
  mutating func rotateSpans() async {
    var number = 0
    while number < best.spans.count {
      let a = best.spans[number]
      if let b = next(after: a), let c = next(after: b) {
        let base = choices
        let (first, second) = (
          base[a.range.upperBound..<b.range.lowerBound],
          base[b.range.upperBound..<c.range.lowerBound]
        )
        let (x, y, z) = (base[a.range], base[b.range], base[c.range])
        for (p, q, r) in [(y, z, x), (z, x, y)] {
          let rotated = p + first + q + second + r
          if await attempt(replacing: a.range.lowerBound..<c.range.upperBound, with: rotated) {
            break
          }
        }
      }
      number += 1
    }
  }

  /// Returns the next span of the same kind that begins after a span's end.
  private func next(after span: Span) -> Span? {
    best.spans.first {
      $0.kind == span.kind && $0.range.lowerBound >= span.range.upperBound && !$0.range.isEmpty
    }
  }
}
