import Events

/// One user's profile, from creation to the deletion of the account.
public enum ProfileDecider: Decider {
  public struct State: Equatable, Sendable {
    public enum Account: Sendable { case none, open, deleted }
    public var account = Account.none
    public var handle = ""
    public var isPublic = true
    public var displayName: String?
    /// The other members that an edit can set, in one place.
    public var about = ProfileEdited(user: UserID(index: 0))
    public var photo: ProfilePhotoSet?
    public var location: BaseLocationSet?
    public var sports: [SportSet] = []
  }

  public enum Command: Sendable {
    /// - handleIsFree: whether no other user has the handle, without regard to case.
    case create(ProfileCreated, handleIsFree: Bool)
    case update(ProfileEdited, handleIsFree: Bool)
    case setPhoto(ProfilePhotoSet)
    case removePhoto(UserID)
    case setLocation(BaseLocationSet)
    case clearLocation(UserID)
    case setSport(SportSet)
    case removeSport(SportRemoved)
    case logSend(SendLogged)
    case delete(UserID)

    var user: UserID {
      switch self {
      case .create(let data, _): data.user
      case .update(let data, _): data.user
      case .setPhoto(let data): data.user
      case .setLocation(let data): data.user
      case .setSport(let data): data.user
      case .removeSport(let data): data.user
      case .logSend(let data): data.user
      case .removePhoto(let user), .clearLocation(let user), .delete(let user): user
      }
    }
  }

  public static var initial: State { State() }

  public static func evolve(_ state: inout State, _ event: borrowing Event) {
    switch event {
    case .profileCreated(let profile):
      state = State()
      state.account = .open
      state.handle = profile.handle
      state.displayName = profile.displayName
      state.isPublic = profile.isPublic
    case .profileEdited(let edit):
      state.handle = edit.handle ?? state.handle
      state.isPublic = edit.isPublic ?? state.isPublic
      edit.displayName.apply(to: &state.displayName)
      for member in members where edit[keyPath: member] != .keep {
        state.about[keyPath: member] = normal(edit[keyPath: member])
      }
      if edit.climbingSince != .keep { state.about.climbingSince = normal(edit.climbingSince) }
      if edit.riderType != .keep { state.about.riderType = normal(edit.riderType) }
    case .profilePhotoSet(let photo): state.photo = photo
    case .profilePhotoRemoved: state.photo = nil
    case .baseLocationSet(let location): state.location = location
    case .baseLocationCleared: state.location = nil
    case .sportSet(let sport):
      state.sports.removeAll { $0.sport == sport.sport }
      state.sports.append(sport)
    case .sportRemoved(let removed): state.sports.removeAll { $0.sport == removed.sport }
    case .accountDeleted:
      state = State()
      state.account = .deleted
    default: break
    }
  }

  /// The texts that an edit can set or clear, beside the display name.
  private static var members: [WritableKeyPath<ProfileEdited, Patch<String>> & Sendable] {
    [\.bio, \.homeGym, \.homeZIP, \.favoriteStyle, \.boulderGradeScale, \.routeGradeScale]
  }

  /// A cleared member is as one never set.
  private static func normal<V>(_ patch: Patch<V>) -> Patch<V> { patch == .clear ? .keep : patch }

  /// - Throws: `notAuthorized`, `profileNotFound`, `profileExists`, `invalidHandle`,
  ///   `handleAlreadyTaken`, `displayNameTooLong`, `displayNameRequired`, `bioTooLong`,
  ///   `outOfRange`, `unknownSport`, `imageTooLarge`.
  public static func decide(
    _ command: Command, _ state: State, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> [Event] {
    guard command.user == actor else { throw .notAuthorized }
    if case .create(let profile, let isFree) = command {
      return [.profileCreated(try created(profile, state, handleIsFree: isFree, rules))]
    }
    guard state.account == .open else { throw .profileNotFound }
    switch command {
    case .create: return []
    case .update(let edit, let isFree): return try edited(edit, state, handleIsFree: isFree, rules)
    case .setPhoto(let photo):
      guard (1...Int64(rules.photoLimit)).contains(photo.bytes) else { throw .imageTooLarge }
      return state.photo == photo ? [] : [.profilePhotoSet(photo)]
    case .removePhoto(let user):
      return state.photo == nil ? [] : [.profilePhotoRemoved(UserReference(user: user))]
    case .setLocation(let location):
      guard (-90...90).contains(location.latitude), (-180...180).contains(location.longitude)
      else { throw .outOfRange }
      return state.location == location ? [] : [.baseLocationSet(location)]
    case .clearLocation(let user):
      return state.location == nil ? [] : [.baseLocationCleared(UserReference(user: user))]
    case .setSport(let sport):
      guard rules.sports.contains(sport.sport.name) else { throw .unknownSport }
      return state.sports.contains(sport) ? [] : [.sportSet(sport)]
    case .removeSport(let removed):
      let isSet = state.sports.contains { $0.sport == removed.sport }
      return isSet ? [.sportRemoved(removed)] : []
    case .logSend(let send): return [.sendLogged(send)]
    case .delete(let user): return [.accountDeleted(UserReference(user: user))]
    }
  }

  private static func created(
    _ profile: ProfileCreated, _ state: State, handleIsFree: Bool, _ rules: Rules
  ) throws(DomainError) -> ProfileCreated {
    guard state.account == .none else { throw .profileExists }
    if let problem = rules.problem(withHandle: profile.handle) { throw .invalidHandle(problem) }
    guard handleIsFree else { throw .handleAlreadyTaken }
    var profile = profile
    profile.displayName = try rules.displayName(profile.displayName)
    return profile
  }

  /// What of an edit really changes something, trimmed and checked.
  private static func edited(
    _ edit: ProfileEdited, _ state: State, handleIsFree: Bool, _ rules: Rules
  ) throws(DomainError) -> [Event] {
    var change = ProfileEdited(user: edit.user)
    if let handle = edit.handle, !same(handle, state.handle) {
      if let problem = rules.problem(withHandle: handle) { throw .invalidHandle(problem) }
      let isOwn = handle.lowercased() == state.handle.lowercased()
      guard handleIsFree || isOwn else { throw .handleAlreadyTaken }
      change.handle = handle
    }
    if edit.displayName != .keep {
      var wanted: String?
      edit.displayName.apply(to: &wanted)
      let name = try rules.displayName(wanted)
      if !same(name, state.displayName) { change.displayName = name.map(Patch.set) ?? .clear }
    }
    for member in members {
      var text: String?
      edit[keyPath: member].apply(to: &text)
      text = text.map(trimmed)
      if member == \.bio, let bio = text { text = try rules.bio(bio) }
      if text?.isEmpty == true { text = nil }
      var old: String?
      state.about[keyPath: member].apply(to: &old)
      if edit[keyPath: member] != .keep, !same(text, old) {
        change[keyPath: member] = text.map(Patch.set) ?? .clear
      }
    }
    change.climbingSince = changed(edit.climbingSince, state.about.climbingSince)
    change.riderType = changed(edit.riderType, state.about.riderType)
    if edit.isPublic != state.isPublic { change.isPublic = edit.isPublic }
    return change == ProfileEdited(user: edit.user) ? [] : [.profileEdited(change)]
  }

  private static func changed<V>(_ edit: Patch<V>, _ old: Patch<V>) -> Patch<V> {
    normal(edit) == old || edit == .keep ? .keep : edit
  }
}
