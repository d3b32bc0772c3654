/// The data of `WeeklyGoalSet`: the distance that a user wants to cover each week.
public struct WeeklyGoalSet: WordlessData {
  /// The user who sets the goal.
  public var user: UserID
  /// The distance for each week in metres; 0 clears the goal.
  public var meters: Int64

  /// Creates the data of a `WeeklyGoalSet` event.
  public init(user: UserID, meters: Int64) {
    (self.user, self.meters) = (user, meters)
  }

  init() { self.init(user: .blank, meters: 0) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members("meters", &meters)
  }

  public var stream: StreamID { .profile(user) }
}
