import Events

extension StatePath.Kind {
  /// The paths `leaderboard/SPAN/PERIOD/USER`: a user's metres, without private workouts.
  public static let leaderboard = StatePath.Kind(
    "leaderboard", "metres; PERIOD is the Monday of a week, or a month",
    of: ["SPAN", "PERIOD", "USER"],
    choices: ["SPAN": Leaderboard.Span.allCases.map { $0.rawValue }], root: .number,
    types: Leaderboard.handles,
    sources: [.owner], leads: [.workoutShared: [.workout]])
}

extension Leaderboard: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.leaderboard]

  public static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    switch event {
    case .workout(let event):
      // The event may change each period in which the workout ever had a date, for all its owners.
      Event.workout(event).ids.only(WorkoutID.self).map { workout in
        .each(EventIndex.Key(.workout, workout)) { event in
          guard case .workout(.shared(let data)) = event else { return [] }
          return [
            .each(EventIndex.Key(.workout, workout)) {
              dates($0).flatMap { paths(data.owner, $0, names) }
            }
          ]
        }
      }
    case .accountDeleted(let data):
      [.each(EventIndex.Key(.owner, data.user)) { touches($0, names) }]
    default: []
    }
  }

  private static func dates(_ event: Event) -> [Timestamp] {
    switch event {
    case .workout(.shared(let data)): [data.date.instant]
    case .workout(.edited(let data)): data.date.map { [$0.instant] } ?? []
    default: []
    }
  }

  private static func paths(_ owner: UserID, _ date: Timestamp, _ names: Names) -> [Touch] {
    Span.allCases.map { span in
      let period = period(span, containing: date).split(separator: "/").map { "\($0)" }
      return .path(.leaderboard, period + [names[owner]])
    }
  }

  public func facts(_ names: Names) -> [Fact] {
    var facts: [Fact] = []
    forEachPeriod { period, totals in
      for total in totals where total.sums.shared != 0 {
        facts.append(
          Fact("leaderboard/\(period)/\(pathWord(names[total.user]))", .int(total.sums.shared)))
      }
    }
    return facts
  }

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    guard path.ids.count == 3, let user = names.find(user: path.ids[2]) else { return Values() }
    let text = path.text
    var found = Values()
    forEachPeriod { period, _ in
      guard "leaderboard/\(period)/\(pathWord(path.ids[2]))" == text,
        let sums = sums(of: user, in: period), sums.shared != 0
      else { return }
      found = Values([Fact(text, .int(sums.shared))])
    }
    return found
  }
}

private func floored(_ value: Int64, by divisor: Int64) -> Int64 {
  (value - ((value % divisor) + divisor) % divisor) / divisor
}

extension Leaderboard.Period: CustomStringConvertible {
  /// The period's name in paths: `week/2026-01-26`, with the week's Monday, or `month/2026-01`.
  var description: String {
    switch span {
    case .week:
      // The Monday of the first week is before the year 0, which dates cannot express.
      "week/\(max(Timestamp.start(ofWeek: number), .earliest).date)"
    case .month:
      "month/" + floored(number, by: 12).padded(to: 4) + "-"
        + (number - 12 * floored(number, by: 12) + 1).padded(to: 2)
    }
  }
}

// The weeks that a mirror's table lists.
extension Reading {
  /// Returns a user's metres in the week with a number (`Timestamp.weeksSinceEpoch`); nil if there
  /// are none.
  package func meters(of user: UserID, inWeek week: Int64) -> Leaderboard.Sums? {
    boxed.value.leaderboard.sums(of: user, in: .init(span: .week, number: week))
  }

  /// Calls `body` with every user who has metres in a week, and with the week's number.
  package func forEachWeek(_ body: (UserID, Int64) -> Void) {
    boxed.value.leaderboard.forEachWeek(body)
  }
}
