/// The data of `WeeklyGoalSet`: how far the user wants to move in a week.
public struct WeeklyGoalSet: WordlessData {
  public var user: UserID
  /// 0 clears the goal.
  public var meters: Int64

  public init(user: UserID, meters: Int64) {
    self.user = user
    self.meters = meters
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
    meters = try r.required("meters")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("user", user)
    w.member("meters", meters)
  }

  public var stream: StreamID { .profile(user) }

  mutating func mapIDs(_ map: some IDMap) {
    user = map(user)
  }
}
