/// A use case's name and documentation.
public struct About: Sendable {
  /// The heading under which a use case is listed.
  public enum Area: String, CaseIterable, Sendable {
    case profile, follow, friends, blocks, workouts, chups, reactions, comments
    case groups, messages, notifications, reports
  }

  /// The name, as in `eventlog do NAME`.
  public var name: String
  /// The heading under which it is listed.
  public var area: Area
  /// One sentence, without its full stop.
  public var summary: String
  /// A description of the result.
  public var result: String
  /// The codes of the errors that it can throw.
  public var errors: [String]

  /// Creates a description. The name of an app's own use case is the app's name, a point and a
  /// word, such as `gymapp.CheckIn`.
  public init(
    _ name: String, _ area: Area, _ summary: String, result: String = "nothing",
    errors: [String] = []
  ) {
    (self.name, self.area, self.summary, self.result) = (name, area, summary, result)
    self.errors = errors
  }
}
