/// The data of `ChupGiven`: a like on a workout, perhaps a big one.
public struct ChupGiven: EventData {
  public var workout: WorkoutID
  public var user: UserID
  public var big: Bool

  public init(workout: WorkoutID, user: UserID, big: Bool) {
    self.workout = workout
    self.user = user
    self.big = big
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    workout = try r.required("workout")
    user = try r.required("user")
    big = try r.required("big")
  }

  func write(to w: inout MemberWriter) {
    w.member("workout", workout)
    w.member("user", user)
    w.member("big", big)
  }

  public var stream: StreamID { .chup(workout, user) }
}

/// The data of `ChupWithdrawn`: the like, big or not, is gone.
public struct ChupWithdrawn: EventData {
  public var workout: WorkoutID
  public var user: UserID

  public init(workout: WorkoutID, user: UserID) {
    self.workout = workout
    self.user = user
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    workout = try r.required("workout")
    user = try r.required("user")
  }

  func write(to w: inout MemberWriter) {
    w.member("workout", workout)
    w.member("user", user)
  }

  public var stream: StreamID { .chup(workout, user) }
}
