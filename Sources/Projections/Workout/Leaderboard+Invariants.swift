import Events

extension Leaderboard {
  /// The totals are the sums over the counted workouts.
  /// - Complexity: O(state).
  public func brokenInvariant(_ names: Names) -> String? {
    var sums: [Period: [UserID: MeterSum]] = [:]
    for index in scores.indices {
      let score = scores[UInt32(index)]
      if score.isNone || score.isPrivate { continue }
      for span in Span.allCases {
        sums[Period(span, containing: score.date), default: [:]][
          score.owner, default: MeterSum()
        ].add(score.meters)
      }
    }
    for (period, users) in sums {
      for (user, sum) in users where meters(of: user, in: period) ?? 0 != sum.meters {
        return
          "\(names[user]) has \(sum.meters) m in \(period.span) \(period.number), counted otherwise"
      }
    }
    return nil
  }
}
