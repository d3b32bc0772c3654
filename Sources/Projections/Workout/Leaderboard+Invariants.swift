import Events

extension Leaderboard {
  /// The totals are the sums over the counted workouts.
  /// - Complexity: O(state).
  public func brokenInvariant(_ names: Names) -> String? {
    var sums: [Period: [UserID: Int64]] = [:]
    for index in scores.indices {
      let score = scores[UInt32(index)]
      if score.isNone || score.isPrivate { continue }
      for span in Span.allCases {
        sums[Period(span, containing: score.date), default: [:]][score.owner, default: 0] &+=
          score.meters
      }
    }
    for (period, users) in sums {
      for (user, sum) in users where meters(of: user, in: period) ?? 0 != sum {
        return "\(names[user]) has \(sum) m in \(period.span) \(period.number), counted otherwise"
      }
    }
    return nil
  }
}
