import Events

extension Rules {
  /// The users whose workouts a user's feed shows, in addition to that user's own workouts.
  public enum Circle: String, CaseIterable, Sendable { case following, friends }

  /// The relationship that allows two users to send each other messages.
  public enum Messaging: String, CaseIterable, Sendable {
    /// The users are friends.
    case friends
    /// One of the users follows the other.
    case following
  }

  /// The part of a private profile that users other than friends can see.
  public enum PrivateProfiles: String, CaseIterable, Sendable {
    /// Nothing, as if the profile did not exist.
    case hidden
    /// The handle, the display name and the number of friends.
    case limited
  }

  /// The callers who may search, and list a user's followers, followees and friends.
  public enum Listing: String, CaseIterable, Sendable { case signedIn, anybody }

  /// The fields that a workout must have, also after an edit.
  public enum ItemMembers: Equatable, Sendable {
    /// At least one of these fields.
    case anyOf([Member])
    /// All of these fields.
    case allOf([Member])

    /// A field of a workout that the rules can require.
    public enum Member: String, CaseIterable, Sendable {
      case text, session, climb, workoutType, totalTime, totalDistance, averageSplit

      func isIn(_ item: WorkoutShared) -> Bool {
        switch self {
        case .text: item.text != nil
        case .session: item.session != nil
        case .climb: item.climb != nil
        case .workoutType: item.workoutType != nil
        case .totalTime: item.totalTime != nil
        case .totalDistance: item.totalDistance != nil
        case .averageSplit: item.averageSplit != nil
        }
      }

      var field: DomainError.WorkoutField {
        switch self {
        case .text: "text"
        case .session: "session"
        case .climb: "climb"
        case .workoutType: "workoutType"
        case .totalTime: "totalTime"
        case .totalDistance: "totalDistance"
        case .averageSplit: "averageSplit"
        }
      }
    }

    /// Returns the first required field that a workout lacks; nil if it lacks none.
    func missing(in item: WorkoutShared) -> Member? {
      switch self {
      case .anyOf(let members): members.contains { $0.isIn(item) } ? nil : members.first
      case .allOf(let members): members.first { !$0.isIn(item) }
      }
    }
  }

  /// A sport that users can add to their profile.
  public struct Sport: Equatable, Sendable {
    /// The sport's id, such as `ski`. In events it is a `SportID`.
    public var id: String
    /// The name for people.
    public var name: String
    /// The name of an SF Symbol.
    public var icon: String

    /// Creates a sport.
    public init(id: String, name: String, icon: String) {
      (self.id, self.name, self.icon) = (id, name, icon)
    }

    /// Copies the sport with this id from `all`. If `all` has none, the name is the id.
    init(_ id: String) {
      self = Self.all.first { $0.id == id } ?? Sport(id: id, name: id, icon: "figure.run")
    }

    /// The sports of all apps.
    public static let all = [
      Sport(id: "ski", name: "Skiing", icon: "figure.skiing.downhill"),
      Sport(id: "snowboard", name: "Snowboarding", icon: "figure.snowboarding"),
      Sport(id: "freestyle", name: "Freestyle", icon: "figure.skiing.downhill"),
      Sport(id: "freeride", name: "Freeride", icon: "mountain.2"),
      Sport(id: "touring", name: "Ski touring", icon: "figure.hiking"),
      Sport(id: "cross-country", name: "Cross-country", icon: "figure.skiing.crosscountry"),
      Sport(id: "telemark", name: "Telemark", icon: "figure.skiing.downhill"),
      Sport(id: "climbing", name: "Climbing", icon: "figure.climbing"),
      Sport(id: "bouldering", name: "Bouldering", icon: "figure.climbing"),
      Sport(id: "rowing", name: "Rowing", icon: "figure.rower"),
      Sport(id: "cycling", name: "Cycling", icon: "figure.outdoor.cycle"),
      Sport(id: "running", name: "Running", icon: "figure.run"),
    ]
  }
}
