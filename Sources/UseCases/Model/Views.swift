import Events
import Projections

/// The projections that answers come from, as one.
struct Views: Sendable {
  var profiles = Profiles()
  var following = Following()
  var relationships = Relationships()
  var search = Search()
  var workouts = Workouts()
  var chups = Chups()
  var comments = Comments()
  var leaderboard = Leaderboard()
  var notifications = Notifications()

  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    profiles.apply(event, at: moment)
    following.apply(event, at: moment)
    relationships.apply(event, at: moment)
    search.apply(event, at: moment)
    workouts.apply(event, at: moment)
    chups.apply(event, at: moment)
    comments.apply(event, at: moment)
    leaderboard.apply(event, at: moment)
    notifications.apply(event, at: moment)
  }

  /// Called after the last of a run of `apply`.
  mutating func settle() { search.settle() }

  func brokenInvariant(_ names: Names) -> String? {
    profiles.brokenInvariant(names) ?? following.brokenInvariant(names)
      ?? relationships.brokenInvariant(names) ?? search.brokenInvariant(names)
      ?? workouts.brokenInvariant(names) ?? chups.brokenInvariant(names)
      ?? comments.brokenInvariant(names) ?? leaderboard.brokenInvariant(names)
      ?? notifications.brokenInvariant(names)
  }
}
