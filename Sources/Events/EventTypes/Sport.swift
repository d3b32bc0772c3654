/// The data of `SportSet`: the user's level in a sport, and whether they teach it.
public struct SportSet: WordlessData {
  public var user: UserID
  public var sport: SportID
  public var level: SkillLevel
  public var isMentor: Bool

  public init(user: UserID, sport: SportID, level: SkillLevel, isMentor: Bool) {
    self.user = user
    self.sport = sport
    self.level = level
    self.isMentor = isMentor
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

/// The data of `SportRemoved`.
public struct SportRemoved: WordlessData {
  public var user: UserID
  public var sport: SportID

  public init(user: UserID, sport: SportID) {
    self.user = user
    self.sport = sport
  }

  init() { self.init(user: .blank, sport: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members("sport", &sport)
  }

  public var stream: StreamID { .profile(user) }
}

/// The data of `SendLogged`: a climb done; it feeds the send count.
public struct SendLogged: EventData {
  public var user: UserID
  public var climb: String

  public init(user: UserID, climb: String) {
    self.user = user
    self.climb = climb
  }

  init() { self.init(user: .blank, climb: "") }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members("climb", &climb)
  }

  public var stream: StreamID { .profile(user) }

  var words: Words? { Words(of: AnyID(user), by: .user(user)) }

  mutating func mapContent(_ map: inout some ContentMap) {
    climb = map.text(climb, "climb")
  }
}

/// What kind of rider a profile says it is.
public enum RiderType: String, CaseIterable, Sendable, BitwiseCopyable { case rider, mentor, both }

/// A level in a sport.
public enum SkillLevel: String, CaseIterable, Sendable {
  case beginner, intermediate, advanced, expert
}
