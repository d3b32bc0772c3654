import Events

/// A user's level in a sport.
public struct Sport: Answer {
  public var sport: String
  public var level: SkillLevel
  public var isMentor: Bool

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
