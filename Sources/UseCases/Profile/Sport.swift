import Events

/// A user's level in a sport.
public struct Sport: Answer {
  /// The sport's id.
  public var sport: String
  /// The user's level in the sport.
  public var level: Choice<SkillLevel>
  /// Whether the user teaches the sport.
  public var isMentor: Bool

  /// Creates a sport.
  public init(sport: String, level: SkillLevel, isMentor: Bool) {
    (self.sport, self.level, self.isMentor) = (sport, .known(level), isMentor)
  }

  init(_ sport: SportSet) {
    self.init(sport: sport.sport.name, level: sport.level, isMentor: sport.isMentor)
  }

  public static var schema: String? { "Sport" }
  public static var placeholder: Sport { Sport(sport: "", level: .placeholder, isMentor: false) }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("sport", "The sport's id.", &sport)
    try fields.required("level", "The user's level in the sport.", &level)
    try fields.required("isMentor", "Whether the user teaches the sport.", &isMentor)
  }
}
