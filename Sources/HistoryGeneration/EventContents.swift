import Events

/// The field for which a text is generated.
package enum ContentText: Sendable {
  case displayName, bio, gym, postcode, style, boulderScale, routeScale
  case localID, zone, workout, session, climb
  case groupName, groupDescription
  /// The text of a comment, a message or a report.
  case message
}

/// A source of the texts, numbers and dates in generated events.
///
/// `PlausibleContents` has realistic values. Property tests use edge cases that can be shrunk.
package protocol EventContents<Source>: Sendable {
  associatedtype Source: Choices

  /// The weights with which an edit keeps, clears or sets a field.
  var patchWeights: [UInt64] { get }
  func text(_ kind: ContentText, _ t: Source) -> String
  /// Draws whether an event has an optional text.
  func isThere(_ kind: ContentText, _ t: Source) -> Bool
  func handle(_ user: UserID, _ t: Source) -> String?
  func changedHandle(_ user: UserID, _ moment: ContentMoment, _ t: Source) -> Patch<String>
  /// Draws whether an edit makes a profile public; nil leaves it unchanged.
  func changedPrivacy(_ t: Source) -> Bool?
  /// Draws a date as `YYYY-MM-DD`.
  func day(_ t: Source) -> String
  func photo(_ user: UserID, _ moment: ContentMoment, _ t: Source) -> ProfilePhotoSet
  func location(_ user: UserID, _ t: Source) -> BaseLocationSet
  func sport(_ t: Source) -> SportID
  /// Draws a weekly goal in metres.
  func goal(_ t: Source) -> Int64
  func premium(_ user: UserID, _ moment: ContentMoment, _ t: Source) -> PremiumRecorded
  /// Draws a workout's date.
  func date(_ moment: ContentMoment, _ t: Source) -> DateTime
  func effort(_ t: Source) -> Effort
  func audience(_ t: Source) -> Audience?
  func detail(_ workout: WorkoutID, _ t: Source) -> WorkoutDetailAttached
  /// Draws the id of the last event that a user has read.
  func readUpTo(_ moment: ContentMoment, _ t: Source) -> EventID
}

/// The facts about a history that the contents of its next event may use.
package struct ContentMoment {
  /// The time in milliseconds since 1970.
  package var time: Int64
  /// Handles that users had before and no longer have.
  package var formerHandles: [String]
}

/// A workout's numbers: metres, and times such as `07:02.5`.
package struct Effort: Equatable, Sendable {
  package var type: String?
  package var time: String?
  package var distance: Int64?
  /// The time for 500 m.
  package var split: String?

  package init(type: String?, time: String?, distance: Int64?, split: String?) {
    (self.type, self.time, self.distance, self.split) = (type, time, distance, split)
  }
}

extension EventContents {
  func created(_ user: UserID, _ t: Source) -> ProfileCreated {
    ProfileCreated(
      user: user, handle: handle(user, t), displayName: optional(.displayName, t),
      isPublic: !t.flag(1, in: 6))
  }

  func edited(_ user: UserID, _ moment: ContentMoment, _ t: Source) -> ProfileEdited {
    ProfileEdited(
      user: user, handle: changedHandle(user, moment, t), displayName: patch(.displayName, t),
      bio: patch(.bio, t), homeGym: patch(.gym, t), homeZIP: patch(.postcode, t),
      climbingSince: patch(t) { CalendarDate(day(t)) }, favoriteStyle: patch(.style, t),
      boulderGradeScale: patch(.boulderScale, t), routeGradeScale: patch(.routeScale, t),
      isPublic: changedPrivacy(t), riderType: patch(t) { t.element(RiderType.allCases) })
  }

  func workout(
    _ id: WorkoutID, of owner: UserID, _ moment: ContentMoment, _ t: Source
  ) -> WorkoutShared {
    let (localID, date) = (optional(.localID, t), self.date(moment, t))
    let effort = self.effort(t)
    return WorkoutShared(
      workout: id, owner: owner, localID: localID, date: date, workoutType: effort.type,
      totalTime: effort.time, totalDistance: effort.distance, averageSplit: effort.split,
      intensityZone: optional(.zone, t), isErgTest: t.flag(1, in: 6), text: optional(.workout, t),
      session: optional(.session, t), climb: optional(.climb, t), audience: audience(t))
  }

  func edited(_ workout: WorkoutID, _ moment: ContentMoment, _ t: Source) -> WorkoutEdited {
    var edit = WorkoutEdited(workout: workout, date: t.flag(1, in: 4) ? date(moment, t) : nil)
    if let effort = patch(t, { self.effort(t) }).value {
      edit.workoutType = Patch(effort.type)
      edit.totalTime = Patch(effort.time)
      edit.totalDistance = Patch(effort.distance)
      edit.averageSplit = Patch(effort.split)
    }
    edit.intensityZone = patch(.zone, t)
    edit.isErgTest = t.flag(1, in: 4) ? t.flag() : nil
    edit.text = patch(.workout, t)
    edit.session = patch(.session, t)
    edit.climb = patch(.climb, t)
    edit.audience = t.flag(1, in: 8) ? patch(t, { audience(t) }) : .keep
    return edit
  }

  func edited(_ group: GroupID, _ t: Source) -> GroupEdited {
    GroupEdited(
      group: group, name: t.flag() ? text(.groupName, t) : nil,
      description: patch(.groupDescription, t), isPublic: t.flag(1, in: 4) ? t.flag() : nil)
  }

  func optional(_ kind: ContentText, _ t: Source) -> String? {
    isThere(kind, t) ? text(kind, t) : nil
  }

  private func patch(_ kind: ContentText, _ t: Source) -> Patch<String> {
    patch(t) { text(kind, t) }
  }

  private func patch<Value: Equatable & Sendable>(
    _ t: Source, _ value: () -> Value?
  ) -> Patch<Value> {
    switch t.place(Patch<Value>.self, of: 3, { $0.index(patchWeights) }) {
    case 0: .keep
    case 1: .clear
    default: value().map(Patch.set) ?? .keep
    }
  }
}

extension Patch {
  /// Creates a patch that sets a value, or clears it if the value is nil.
  fileprivate init(_ value: Value?) { self = value.map(Self.set) ?? .clear }
}
