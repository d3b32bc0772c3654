import UseCases

extension Table {
  /// The tables. This is the only place that lists them.
  package static let all: [Table] = [
    .profiles, .follows, .friendships, .blocks, .workouts, .workoutDetails, .chups, .reactions,
    .comments, .commentHearts, .groups, .groupMembers, .messages, .notifications,
  ]

  /// The tables of a mirror. The server does not serve the last ones.
  package static let mirrored: [Table] =
    all + [
      .followerCounts, .weeklyMeters, .workoutIntervals, .profileSports, .baseLocations, .reports,
      .profileExceptions,
    ]

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// Returns the table with this name; nil if there is none.
  package static func named(_ name: String) -> Table? { byName[name] }
}
