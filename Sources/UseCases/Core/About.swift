/// A use case's name and documentation.
public struct About: Sendable {
  public enum Area: String, CaseIterable, Sendable {
    case profile, follow, friends, blocks, workouts, chups, reactions, comments
    case groups, messages, notifications, reports
  }

  /// Its name in `eventlog do`.
  public var name: String
  public var area: Area
  /// One sentence, without its full stop.
  public var summary: String
  /// A description of its result.
  public var result: String
  /// The codes of the domain errors it can refuse with.
  public var errors: [String]

  /// - Parameters:
  ///   - name: of an app's own, the app and a word: `gymapp.CheckIn`.
  ///   - area: the heading under which it is listed.
  ///   - errors: the codes of the errors it can refuse with.
  public init(
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
