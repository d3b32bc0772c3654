/// A use case's name and documentation.
public struct About: Sendable {
  /// The heading under which the documentation lists a use case.
  public enum Area: String, CaseIterable, Sendable {
    case profile, follow, friends, blocks, workouts, chups, reactions, comments
    case groups, messages, notifications, reports
  }

  /// The use case's name, as in `eventlog do NAME`.
  public var name: String
  /// The heading under which the documentation lists the use case.
  public var area: Area
  /// One sentence about the use case, without its full stop.
  public var summary: String
  /// A phrase that describes the use case's result.
  public var result: String
  /// The codes of the errors that the use case can throw.
  public var errors: [String]

  /// Creates a description. The name of an app's own use case is the app's name, a full stop and a
  /// word: `gymapp.CheckIn`.
  public init(
    _ name: String, _ area: Area, _ summary: String, result: String = "nothing",
    errors: [String] = []
  ) {
    (self.name, self.area, self.summary, self.result) = (name, area, summary, result)
    self.errors = errors
  }
}
