import Events

extension Sequence<UserID> {
  /// Returns the users with their counts, highest first; equal counts are sorted by the id's bytes.
  ///
  /// ```swift
  /// let ranked = [bob, alice].ranked(names) { $0 == alice ? 2 : 2 }
  /// names[ranked[0].user]  // "alice"
  /// ```
  /// - Complexity: O(n log n); calls `count` once per user.
  public func ranked(
    _ names: Names, by count: (UserID) -> Int
  ) -> [(user: UserID, count: Int)] {
    map { (user: $0, count: count($0)) }.sorted {
      $0.count != $1.count ? $0.count > $1.count : names.precedes($0.user, $1.user)
    }
  }
}

extension Sequence<WorkoutID> {
  /// Returns the workouts with their counts, highest count first; equal counts are sorted by id.
  public func ranked(
    _ names: Names, by count: (WorkoutID) -> Int
  ) -> [(workout: WorkoutID, count: Int)] {
    map { (workout: $0, count: count($0)) }.sorted {
      $0.count != $1.count ? $0.count > $1.count : names[$0.workout] < names[$1.workout]
    }
  }
}

extension Profiles {
  /// A sport, with the number of users who have it in their profiles.
  public struct SportCount: Equatable, Sendable {
    /// The sport's name.
    public var sport: String
    /// The number of users with the sport.
    public var users = 0
    /// The number of users who are mentors in the sport.
    public var mentors = 0
    /// The number of users at each level of the sport.
    public var levels: [SkillLevel: Int] = [:]
  }

  /// Returns the sports in some users' profiles, with their counts. Sports with the most users come
  /// first; ties are sorted by the sport's name.
  public func sportCounts(of users: some Sequence<UserID>) -> [SportCount] {
    var counts: [String: SportCount] = [:]
    for user in users {
      for sport in self[user]?.sports ?? [] {
        var count = counts[sport.sport.name] ?? SportCount(sport: sport.sport.name)
        count.users += 1
        if sport.isMentor { count.mentors += 1 }
        count.levels[sport.level, default: 0] += 1
        counts[sport.sport.name] = count
      }
    }
    return counts.values.sorted { ($1.users, $0.sport) < ($0.users, $1.sport) }
  }
}
