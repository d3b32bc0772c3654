import Aggregates

/// Whether clients of the ride app can use a log.
public enum RideRules {
  /// The rules of the ride app: its limits and sports.
  private static let needed = Rules.ride

  /// Why the rules of a log do not admit what the ride app writes; nil if they do.
  ///
  /// Wider rules admit it: the addresses of the app keep to its own limits.
  public static func problem(with rules: Rules) -> String? {
    func narrow(_ name: String, _ limit: Int, _ least: Int) -> String? {
      limit < least
        ? "\(name) is \(limit) in the rules \(rules.name), and that app needs \(least)" : nil
    }
    if rules.handleRequired {
      return "the rules \(rules.name) require a handle, and riders have none"
    }
    for sport in needed.sports where !rules.sports.contains(where: { $0.id == sport.id }) {
      return "the rules \(rules.name) do not have the sport \(sport.id) of that app"
    }
    return narrow("displayNameLimit", rules.displayNameLimit, needed.displayNameLimit)
      ?? narrow("bioLimit", rules.bioLimit, needed.bioLimit)
      ?? narrow("photoLimit", rules.photoLimit, needed.photoLimit)
  }
}
