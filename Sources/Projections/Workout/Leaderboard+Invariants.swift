import Events

extension Leaderboard {
  /// The totals are the sums over the workouts, by audience; nobody without metres has a total.
  /// - Complexity: O(state).
  public func brokenInvariant(_ names: Names) -> String? {
    var expected: [Period: [UserID: Sums]] = [:]
    for index in scores.indices {
      let score = scores[UInt32(index)]
      if score.isNone || score.meters == 0 { continue }
      for span in Span.allCases {
        let period = Period(span, containing: score.date)
        var sums = expected[period]?[score.owner] ?? Sums()
        sums[score.audience] = sums[score.audience].adding(score.meters)
        expected[period, default: [:]][score.owner] = sums
      }
    }
    var broken: String?
    forEachPeriod { period, totals in
      for total in totals where expected[period]?[total.user] != total.sums {
        broken = "\(names[total.user]) has \(total.sums.all) m in \(period), counted otherwise"
      }
    }
    for (period, users) in expected {
      for (user, sums) in users where self.sums(of: user, in: period) != sums {
        broken = "\(names[user]) does not have \(sums.all) m in \(period)"
      }
    }
    return broken
  }
}
