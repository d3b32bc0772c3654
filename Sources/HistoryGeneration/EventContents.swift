import Events

/// Supplies what generated events say: the texts, numbers and dates in them.
///
/// `PlausibleContents` has what people write. A property test has edge cases that shrink.
package protocol EventContents<Source>: Sendable {
  associatedtype Source: Choices

  func created(_ user: UserID, _ t: Source) -> ProfileCreated
  func edited(_ user: UserID, _ moment: ContentMoment, _ t: Source) -> ProfileEdited
  func photo(_ user: UserID, _ moment: ContentMoment, _ t: Source) -> ProfilePhotoSet
  func location(_ user: UserID, _ t: Source) -> BaseLocationSet
  func sport(_ t: Source) -> SportID
  /// The climb of a logged send.
  func climb(_ t: Source) -> String
  /// The metres of a weekly goal.
  func goal(_ t: Source) -> Int64
  func premium(_ user: UserID, _ moment: ContentMoment, _ t: Source) -> PremiumRecorded
  func workout(
    _ id: WorkoutID, of owner: UserID, _ moment: ContentMoment, _ t: Source
  ) -> WorkoutShared
  func edited(_ workout: WorkoutID, _ moment: ContentMoment, _ t: Source) -> WorkoutEdited
  func detail(_ workout: WorkoutID, _ t: Source) -> WorkoutDetailAttached
  /// The text of a comment, a message or a report.
  func text(_ t: Source) -> String
  func groupName(_ t: Source) -> String
  func description(_ t: Source) -> String?
  func edited(_ group: GroupID, _ t: Source) -> GroupEdited
  /// The event that a user has read up to.
  func readUpTo(_ moment: ContentMoment, _ t: Source) -> EventID
}

/// What the contents of an event may refer to.
package struct ContentMoment {
  /// In milliseconds since 1970.
  var time: Int64
  /// Handles that users gave up.
  var formerHandles: [String]
}
