import Events

extension Rules {
  /// Whose items are in one's feed, beside one's own.
  public enum Circle: String, CaseIterable, Sendable { case following, friends }

  /// What must be between two users for one to send the other messages.
  public enum Messaging: String, CaseIterable, Sendable {
    case friends
    /// That either follows the other.
    case following
  }

  /// What others, friends excepted, see of a profile that is not public.
  public enum PrivateProfiles: String, CaseIterable, Sendable {
    /// Nothing: it is as if there were none.
    case hidden
    /// Handle, display name and the number of friends.
    case limited
  }

  /// Who may search, and list followers, following and friends.
  public enum Listing: String, CaseIterable, Sendable { case signedIn, anybody }

  /// The members that an item must have, also after an edit.
  public enum ItemMembers: Equatable, Sendable {
    case anyOf([Member])
    case allOf([Member])

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

    /// The first member that an item lacks; nil if it has what it needs.
    func missing(in item: WorkoutShared) -> Member? {
      switch self {
      case .anyOf(let members): members.contains { $0.isIn(item) } ? nil : members.first
      case .allOf(let members): members.first { !$0.isIn(item) }
      }
    }
  }

  /// A sport that a profile can be given.
  public struct Sport: Equatable, Sendable {
    public var id: String
    public var name: String
    /// The name of an SF Symbol.
    public var icon: String

    public init(id: String, name: String, icon: String) {
      self.id = id
      self.name = name
      self.icon = icon
    }

    /// One of `all`, by its id.
    init(_ id: String) {
      self = Self.all.first { $0.id == id } ?? Sport(id: id, name: id, icon: "figure.run")
    }

    /// Those of all apps.
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
