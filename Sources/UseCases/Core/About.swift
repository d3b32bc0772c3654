/// What a use case is called, and what there is to know about it.
public struct About: Sendable {
  public enum Area: String, CaseIterable, Sendable {
    case profile, follow, friends, workouts, chups, comments
  }

  /// What `eventlog do` calls it.
  public var name: String
  public var area: Area
  /// One sentence, without its full stop.
  public var summary: String
  /// What it answers, in words.
  public var result: String
  /// The codes of the domain's refusals.
  public var errors: [String]

  init(
    _ name: String, _ area: Area, _ summary: String, result: String = "nothing",
    errors: [String] = []
  ) {
    self.name = name
    self.area = area
    self.summary = summary
    self.result = result
    self.errors = errors
  }
}
