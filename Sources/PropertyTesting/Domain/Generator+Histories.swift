import Aggregates
import Events
import HistoryGeneration

extension Generator where Value == GeneratedHistory {
  /// A history that the domain allows. A use case could have appended each of its events.
  ///
  /// The events are of all types and of at most `users` users; `texts` generates their texts. Their
  /// number is uniform from 0 to `max`. Like in real logs,
  /// - some users are more active or more popular than others;
  /// - users follow, unfollow and follow again, and end friendships and ask again;
  /// - users delete comments, workouts and accounts;
  /// - events occur in bursts: by one user, at one user, or between two.
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
  /// Events may be about deleted users and unknown workouts, repeated, or out of order. Imported
  /// logs may be like this. Sizes, users and bursts are like those of `history`.
  public static func hostileHistory(
    min: Int = 0, max: Int, users: Int = 6, texts: Generator<String> = .text()
  ) -> Self {
    history(min...max, users, texts, .climb, isHostile: true)
  }

  private static func history(
    _ count: ClosedRange<Int>, _ users: Int, _ texts: Generator<String>, _ rules: Rules,
    isHostile: Bool
  ) -> Self {
    Self { t in
      let contents = EdgeCaseContents(texts: texts, rules: rules, isHostile: isHostile)
      var maker = HistoryMaker(users: users, contents, t)
      let first = t.choices.count
      var rounds: [Range<Int>] = []
      let aim = t.improvise { $0.historySize(count) }
      t.counted(count, GeneratedHistory.self, aim: aim) {
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
}
