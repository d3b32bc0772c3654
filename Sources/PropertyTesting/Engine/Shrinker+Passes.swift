extension Shrinker {
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
      if !span.range.isEmpty, (1...UInt64(max(1, followers))).contains(choices[first]) {
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
    var end = children(of: span.parent).count
    while true {
      let siblings = children(of: span.parent)
      guard let place = siblings.firstIndex(of: number), choices[span.range.lowerBound] > 0 else {
        return
      }
      end = min(end, siblings.count)
      guard end - size > place else { return }
      let range =
        best.spans[siblings[end - size]].range
        .lowerBound..<best.spans[siblings[end - 1]].range.upperBound
      var changed = choices
      changed.removeSubrange(range)
      changed[span.range.lowerBound] -= 1
      if await !attempt(changed) { end -= 1 }
    }
  }

  /// Replaces a span (see `Span`) by another span of the same kind that is inside it.
  mutating func liftSpans() async {
    var number = 0
    while number < best.spans.count {
      let whole = best.spans[number]
      let inner = best.spans[(number + 1)...].prefix {
        $0.range.lowerBound < whole.range.upperBound
      }
      .filter { $0.kind == whole.kind && $0.range.count < whole.range.count }
      let base = choices
      var isLifted = false
      for piece in inner where !isLifted {
        isLifted = await attempt(replacing: whole.range, with: base[piece.range])
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
      if range.count > 1, choices[range].contains(where: { $0 != 0 }) {
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

  mutating func lowerChoices() async {
    var position = 0
    while position < choices.count {
      await lower([position])
      // Tries a number that is closer to 0 and has the other sign, for example -2 instead of 3.
      if position + 1 < choices.count, choices[position] > 0, choices[position + 1] == 0,
        best.bounds[position] > 1, best.bounds[position + 1] == 1
      {
        _ = await attempt(
          replacing: position..<position + 2, with: [choices[position] - 1, 1])
      }
      position += 1
    }
  }

  /// Joins two neighbouring repetitions, such as two arrays. Deletes the choice that ends the first
  /// repetition and the choice that begins the second repetition.
  mutating func joinSpans() async {
    var position = choices.count - 2
    while position > 0 {
      if position + 1 < choices.count, choices[position] == 0, choices[position + 1] == 1,
        best.bounds[position] == 1, best.bounds[position + 1] == 1
      {
        _ = await attempt(replacing: position..<position + 2, with: [])
      }
      position -= 1
    }
  }

  /// Deletes a round of a repetition, and lowers all other choices, or only one of them, by one.
  /// This helps if a lowered choice is the number of rounds, or the index of a later round.
  mutating func deleteAndLower() async {
    var number = best.spans.count - 1
    while number >= 0 {
      defer { number -= 1 }
      guard number < best.spans.count, best.spans[number].isRound else { continue }
      let (base, range) = (best, best.spans[number].range)
      let numbers = base.tape.choices.indices.filter {
        base.bounds[$0] > 1 && base.tape.choices[$0] > 0 && !range.contains($0)
      }
      for group in [numbers] + numbers.prefix(12).map({ [$0] }) where !group.isEmpty {
        var changed = base.tape.choices
        for position in group { changed[position] -= 1 }
        changed.removeSubrange(range)
        if await attempt(changed) { break }
      }
    }
  }

  mutating func lowerEqualChoices() async {
    for value in Set(choices).sorted(by: >) where value > 0 {
      let positions = choices.indices.filter { choices[$0] == value }
      if positions.count > 1 { await lower(positions) }
    }
  }

  /// Lowers the choices at the given positions, which are equal, to a common value.
  private mutating func lower(_ positions: [Int]) async {
    func value(_ shrinker: borrowing Shrinker) -> UInt64? {
      let choices = shrinker.choices
      return positions[0] < choices.count ? choices[positions[0]] : nil
    }
    guard let start = value(self), start > 0 else { return }
    if await attempt(positions, 0) { return }
    if start == 1 { return }
    _ = await largest(upTo: 63) { shrinker, shift in
      await shrinker.attempt(positions, start >> shift)
    }
    guard let middle = value(self), middle > 1 else { return }
    _ = await largest(upTo: middle - 1) { shrinker, step in
      await shrinker.attempt(positions, middle - step)
    }
    // Tries two less. This helps if the number must stay odd or even, or if the property passes
    // only for the next lower value.
    guard let end = value(self), end > 2, end == middle else { return }
    _ = await attempt(positions, end - 2)
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
    guard a.kind == b.kind else { return false }
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
      while second < choices.count, choices[first] > 0, tried < 12 {
        if best.bounds[second] > 1 {
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
    let together = await largest(upTo: min(a, b)) { shrinker, step in
      var changed = base.tape.choices
      changed[first] = a - step
      changed[second] = b - step
      return await shrinker.attempt(changed)
    }
    guard together == 0 else { return }
    _ = await largest(upTo: min(a, base.bounds[second] - b)) { shrinker, step in
      var changed = base.tape.choices
      changed[first] = a - step
      changed[second] = b + step
      return await shrinker.attempt(changed)
    }
  }
}
