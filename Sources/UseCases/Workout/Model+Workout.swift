import Events

let shareErrors = [
  "profileNotFound", "invalidWorkout", "workoutNotFound", "notAuthorized", "unauthorized",
]

let ownWorkoutErrors = [
  "workoutNotFound", "notAuthorized", "profileNotFound", "unauthorized",
]

extension Model {
  mutating func share(_ input: WorkoutInput) throws(UseCaseError) -> String {
    let actor = try actor()
    if let name = input.workout, !isValidID(name.utf8) {
      throw .invalidInput(InputError("workout", idRule))
    }
    let earlier = society.earlier(actor, input.localID)
    let id = try workout(input.workout ?? earlier.map { names[$0] } ?? newID())
    try decide(.workout(.shared(input.shared(id, by: actor))), by: actor)
    return names[earlier ?? id]
  }
}

extension Model {
  /// A page of the items of some users that a viewer sees, the latest date first.
  func feed(
    of owners: [UserID], for viewer: UserID, limit: Int?, offset: Int?, from: DateOrTime? = nil,
    to: DateOrTime? = nil, where isWanted: (WorkoutShared) -> Bool = { _ in true }
  ) -> [FeedItem] {
    let end = to.map { Timestamp(milliseconds: $0.last.milliseconds + 1) }
    let limit = clamped(limit)
    var toSkip = max(offset ?? 0, 0)
    var items: [FeedItem] = []
    views.visitNewest(of: owners, before: end) { workout in
      if let from, workout.date.instant < from.first { return false }
      guard isWanted(workout), sees(workout, .user(viewer)) else { return true }
      if toSkip > 0 {
        toSkip -= 1
        return true
      }
      items.append(FeedItem(workout, for: viewer, in: self))
      return items.count < limit
    }
    return items
  }
}
