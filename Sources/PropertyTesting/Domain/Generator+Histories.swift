import Aggregates
import Events
import HistoryGeneration

extension Generator where Value == GeneratedHistory {
  /// A history that the domain allows: use cases could have appended each of its events.
  ///
  /// The events have all types and at most `users` users; `texts` generates their texts. All
  /// numbers of events from 0 to `max` are about equally likely. Like in real logs,
  /// - some users are more active or more popular than others;
  /// - users unfollow others and follow them again, and send requests to former friends;
  /// - users delete comments, workouts and accounts;
  /// - events occur in bursts: one user acts, several act on one user, or two act on each other.
  ///
  /// `t.label(history)` shows how many runs had these features.
  /// - Precondition: the rules have a sport.
  /// - Complexity: some microseconds per event.
  public static func history(
    max: Int, users: Int = 8, texts: Generator<String> = .text(), rules: Rules = .climb
  ) -> Self {
    history(0...max, users, texts, rules, isHostile: false)
  }

  /// A history of `min` to `max` events that the domain may forbid.
  ///
  /// Events may be about deleted users or unknown workouts, may be repeated, or may be out of
  /// order. Imported logs may contain such events. Sizes, users and bursts are like those of
  /// `history`.
  public static func hostileHistory(
    min: Int = 0, max: Int, users: Int = 6, texts: Generator<String> = .text()
  ) -> Self {
    history(min...max, users, texts, .climb, isHostile: true)
  }

  private static func history(
    _ count: ClosedRange<Int>, _ users: Int, _ texts: Generator<String>, _ rules: Rules,
    isHostile: Bool
  ) -> Self {
    let contents = EdgeCaseContents(texts: texts, rules: rules, isHostile: isHostile)
    return Self { t in
      t.preferNew({ draw(count, users, contents, $0) }, size: \.count)
    }
  }

  private static func draw(
    _ count: ClosedRange<Int>, _ users: Int, _ contents: EdgeCaseContents, _ t: Trial
  ) -> GeneratedHistory {
    var maker = HistoryMaker(users: users, contents, t)
    let first = t.choices.count
    var rounds: [Range<Int>] = []
    let size: (inout SplitMix64, ClosedRange<Int>) -> Int = { $0.historySize($1) }
    t.counted(count, GeneratedHistory.self, size: size) {
      let first = t.choices.count
      guard maker.round(t) else { return false }
      rounds.append(first..<t.choices.count)
      return true
    }
    t.keep(
      DrawnHistory(
        users: users, contents: contents, history: maker.history, rounds: rounds,
        range: first..<t.choices.count))
    return maker.history
  }
}
