import Aggregates
import Events
import HistoryGeneration

extension Generator where Value == GeneratedHistory {
  /// A history that the domain allows, of events of any type: each event is one that a use case
  /// would have appended.
  ///
  /// The number of events is uniform, from none to `max`. A few users do most of it, and some are
  /// popular; they unfollow and follow again, end friendships and ask again, delete comments,
  /// workouts and accounts. Events come in bursts: by one user, at one user, or between two.
  /// `t.label(history)` shows how much of that a property has seen.
  /// - Parameters:
  ///   - max: the maximum number of events.
  ///   - users: the maximum number of users.
  ///   - texts: the texts in it.
  /// - Precondition: the rules have a sport.
  /// - Complexity: some microseconds per event.
  public static func history(
    max: Int, users: Int = 8, texts: Generator<String> = .text(), rules: Rules = .climb
  ) -> Self {
    history(0...max, users, texts, rules, isHostile: false)
  }

  /// A history of events that the domain may forbid: about deleted users and unknown workouts,
  /// repeated, out of order. Imported logs may be like this. Sizes, users and bursts are as in
  /// `history`.
  /// - Parameters:
  ///   - min: the minimum number of events.
  ///   - max: the maximum number of events.
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
