/// The data of `SportSet`: a sport on a user's profile, with the user's level.
public struct SportSet: WordlessData {
  /// The user whose profile changes.
  public var user: UserID
  /// The id of the sport that is added or changed.
  public var sport: SportID
  /// The user's level in the sport.
  public var level: SkillLevel
  /// Whether the user is a mentor who teaches the sport.
  public var isMentor: Bool

  /// Creates the data of a `SportSet` event.
  public init(user: UserID, sport: SportID, level: SkillLevel, isMentor: Bool) {
    (self.user, self.sport, self.level, self.isMentor) = (user, sport, level, isMentor)
  }

  init() { self.init(user: .blank, sport: .blank, level: .beginner, isMentor: false) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members("sport", &sport)
    try members("level", &level)
    try members("isMentor", &isMentor)
  }

  public var stream: StreamID { .profile(user) }
}

/// The data of `SportRemoved`: a sport is removed from a user's profile.
public struct SportRemoved: WordlessData {
  /// The user whose profile changes.
  public var user: UserID
  /// The id of the removed sport.
  public var sport: SportID

  /// Creates the data of a `SportRemoved` event.
  public init(user: UserID, sport: SportID) {
    (self.user, self.sport) = (user, sport)
  }

  init() { self.init(user: .blank, sport: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members("sport", &sport)
  }

  public var stream: StreamID { .profile(user) }
}

/// The data of `SendLogged`: a user completed a climb (a “send”). A profile counts its user's
/// sends.
public struct SendLogged: EventData {
  /// The user who completed the climb.
  public var user: UserID
  /// The name of the completed climb.
  public var climb: String

  /// Creates the data of a `SendLogged` event.
  public init(user: UserID, climb: String) {
    (self.user, self.climb) = (user, climb)
  }

  init() { self.init(user: .blank, climb: "") }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members.text("climb", &climb, .words)
  }

  public var stream: StreamID { .profile(user) }

  var words: Words? { Words(of: AnyID(user), by: .user(user)) }
}

/// The kind of rider that a user is, as their profile states.
public enum RiderType: String, CaseIterable, Sendable, BitwiseCopyable { case rider, mentor, both }

/// A user's level in a sport.
public enum SkillLevel: String, CaseIterable, Sendable {
  case beginner, intermediate, advanced, expert
}
