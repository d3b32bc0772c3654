import UseCases

extension Shrinker {
  /// Tries to leave out events of the drawn histories: all events of a user, single events, and
  /// events of a stream that belong together, such as a block and its end.
  mutating func leaveOutEvents() async {
    for number in best.histories.indices where number < best.histories.count {
      let (base, drawn) = (best, best.histories[number])
      guard drawn.history.count > 0, let log = try? await drawn.history.log(),
        var search = try? HistoryShrinker(
          log.view(), rules: drawn.contents.rules, any: drawn.contents.isHostile)
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
