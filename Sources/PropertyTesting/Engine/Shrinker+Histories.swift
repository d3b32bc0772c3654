import UseCases

extension Shrinker {
  /// Leaves out events of the histories drawn: all of a person's, single ones, and several of a
  /// stream that belong together, such as a block and its end.
  mutating func leaveOutEvents() async {
    for number in best.histories.indices where number < best.histories.count {
      let (base, drawn) = (best, best.histories[number])
      guard drawn.history.count > 0, let log = try? await drawn.history.log(),
        var search = try? SubHistory(
          log.view(), rules: drawn.start.rules, any: drawn.start.isHostile)
      else { continue }
      await search.shrink { part in
        let kept = part.seqs.map { Int($0) - 1 }
        guard goesOn, let piece = drawn.choices(for: kept, in: base.tape.choices) else {
          return false
        }
        var changed = base.tape.choices
        changed.replaceSubrange(drawn.range, with: piece)
        return await attempt(changed)
      }
    }
  }
}
