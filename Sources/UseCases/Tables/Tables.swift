extension Table {
  /// The tables. This is the only place that lists them.
  package static let all: [Table] = [
    .profiles, .follows, .friendships, .blocks, .workouts, .workoutDetails, .chups, .reactions,
    .comments, .commentHearts, .groups, .groupMembers, .messages, .notifications,
  ]

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// Returns the table with this name; nil if there is none.
  package static func named(_ name: String) -> Table? { byName[name] }
}
