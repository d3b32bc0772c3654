import Events

/// A user's level in a sport.
public struct Sport: Answer {
  /// The sport's id.
  public var sport: String
  /// The user's level in the sport.
  public var level: SkillLevel
  /// Whether the user teaches the sport.
  public var isMentor: Bool

  /// Creates a sport.
  public init(sport: String, level: SkillLevel, isMentor: Bool) {
    (self.sport, self.level, self.isMentor) = (sport, level, isMentor)
  }

  init(_ sport: SportSet) {
    self.init(sport: sport.sport.name, level: sport.level, isMentor: sport.isMentor)
  }

  public var json: JSONValue {
    .object([
      "sport": .string(sport), "level": .string(level.rawValue), "isMentor": .bool(isMentor),
    ])
  }
}
