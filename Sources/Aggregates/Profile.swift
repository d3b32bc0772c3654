import Events

/// One user's profile, from creation to the deletion of the account.
///
/// An account is opened once and deleted for good: events that an import brought of an account not
/// open, a second creation among them, leave the state as it is, as they leave every projection.
public enum ProfileDecider: Decider {
  public enum Family: EventFamily {
    case profile(ProfileEvent)
    case deleted

    public init?(_ event: borrowing Event) {
      switch event {
      case .profile(let event): self = .profile(event)
      case .accountDeleted: self = .deleted
      default: return nil
      }
    }
  }

  public struct State: ProfileMembers, Equatable, Sendable {
    public enum Account: Sendable, BitwiseCopyable { case none, open, deleted }
    public var account = Account.none
    public var handle: String?
    public var displayName: String?
    public var bio: String?
    public var homeGym: String?
    public var homeZIP: String?
    public var climbingSince: CalendarDate?
    public var favoriteStyle: String?
    public var boulderGradeScale: String?
    public var routeGradeScale: String?
    public var isPublic = true
    public var riderType: RiderType?
    public var photo: ProfilePhotoSet?
    public var location: BaseLocationSet?
    public var sports: [SportSet] = []
    /// 0 for none.
    public var weeklyGoal: Int64 = 0
    /// The last record of each product.
    public var premium: [PremiumRecorded] = []
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
    case setWeeklyGoal(WeeklyGoalSet)
    case recordPremium(PremiumRecorded)
    /// What a service does to a profile that should not say what it says: clears the display name
    /// and the bio.
    case clearTexts(UserID)
    /// - ownsGroups: they are transferred or deleted first.
    case delete(UserID, ownsGroups: Bool)

    var user: UserID {
      switch self {
      case .create(let data, _): data.user
      case .update(let data, _): data.user
      case .setPhoto(let data): data.user
      case .setLocation(let data): data.user
      case .setSport(let data): data.user
      case .removeSport(let data): data.user
      case .logSend(let data): data.user
      case .setWeeklyGoal(let data): data.user
      case .recordPremium(let data): data.user
      case .removePhoto(let user), .clearLocation(let user), .clearTexts(let user): user
      case .delete(let user, _): user
      }
    }
  }

  public static var initial: State { State() }

  public static func evolve(_ state: inout State, _ event: borrowing Family) {
    switch event {
    case .profile(.created(let profile)):
      guard state.account == .none else { return }
      state.account = .open
      state.handle = profile.handle
      state.displayName = profile.displayName
      state.isPublic = profile.isPublic
    case .deleted:
      state = State()
      state.account = .deleted
    case .profile(.edited(let edit)): if state.account == .open { state.apply(edit) }
    case .profile(.photoSet(let photo)): if state.account == .open { state.photo = photo }
    case .profile(.photoRemoved): state.photo = nil
    case .profile(.baseLocationSet(let location)):
      if state.account == .open { state.location = location }
    case .profile(.baseLocationCleared): state.location = nil
    case .profile(.sportSet(let sport)):
      guard state.account == .open else { return }
      state.sports.removeAll { $0.sport == sport.sport }
      state.sports.append(sport)
    case .profile(.sportRemoved(let removed)): state.sports.removeAll { $0.sport == removed.sport }
    case .profile(.weeklyGoalSet(let goal)):
      if state.account == .open { state.weeklyGoal = goal.meters }
    case .profile(.premiumRecorded(let record)):
      guard state.account == .open else { return }
      state.premium.removeAll { same($0.product, record.product) }
      state.premium.append(record)
    // How many sends there are decides nothing.
    case .profile(.sendLogged): break
    }
  }

  /// - Throws: `notAuthorized`, `profileNotFound`, `profileExists`, `invalidHandle`,
  ///   `handleAlreadyTaken`, `displayNameTooLong`, `displayNameRequired`, `bioTooLong`,
  ///   `nameTooLong`, `invalidText`, `outOfRange`, `unknownSport`, `invalidImage`,
  ///   `imageTooLarge`. Of an edit, what is wrong with its own texts comes first, then what others
  ///   have.
  public static func decide(
    _ command: Command, _ state: State, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    guard command.user == actor else { throw .notAuthorized }
    if case .create(let profile, let isFree) = command {
      return .profile(.created(try created(profile, state, handleIsFree: isFree, rules)))
    }
    guard state.account == .open else { throw .profileNotFound }
    switch command {
    case .create: return nil
    case .update(let edit, let isFree): return try edited(edit, state, handleIsFree: isFree, rules)
    case .setPhoto(let photo):
      try rules.checkPhoto(photo)
      // What says less of the photo that is set, as a retry after a failure does, changes nothing.
      let less = state.photo.map { ProfilePhotoSet(user: $0.user, url: $0.url) }
      return state.photo == photo || less == photo ? nil : .profile(.photoSet(photo))
    case .removePhoto(let user):
      return state.photo == nil ? nil : .profile(.photoRemoved(UserReference(user: user)))
    case .setLocation(let location):
      try rules.checkLocation(latitude: location.latitude, longitude: location.longitude)
      var location = location
      if !same(state.location?.name, location.name) {
        location.name = try rules.stored(location.name, .locationName)
      }
      let isSame = state.location == location && same(state.location?.name, location.name)
      return isSame ? nil : .profile(.baseLocationSet(location))
    case .clearLocation(let user):
      return state.location == nil ? nil : .profile(.baseLocationCleared(UserReference(user: user)))
    case .setSport(let sport):
      try rules.checkSport(sport.sport)
      return state.sports.contains(sport) ? nil : .profile(.sportSet(sport))
    case .removeSport(let removed):
      let isSet = state.sports.contains { $0.sport == removed.sport }
      return isSet ? .profile(.sportRemoved(removed)) : nil
    case .logSend(let send):
      try rules.checkLength(send.climb, .climb)
      return .profile(.sendLogged(send))
    case .setWeeklyGoal(let goal):
      guard Rules.weeklyGoals.contains(goal.meters) else { throw .outOfRange }
      return state.weeklyGoal == goal.meters ? nil : .profile(.weeklyGoalSet(goal))
    case .recordPremium(let record):
      let isSame = state.premium.contains {
        $0.expires == record.expires && same($0.product, record.product)
          && same($0.transaction, record.transaction)
      }
      if isSame { return nil }
      try rules.checkLength(record.product, .product)
      try rules.checkLength(record.transaction, .transaction)
      return .profile(.premiumRecorded(record))
    case .clearTexts(let user):
      var edit = ProfileEdited(user: user)
      if state.displayName != nil { edit.displayName = .clear }
      if state.bio != nil { edit.bio = .clear }
      return edit == ProfileEdited(user: user) ? nil : .profile(.edited(edit))
    case .delete(let user, let ownsGroups):
      if ownsGroups { throw .ownerCannotLeave }
      return .accountDeleted(UserReference(user: user))
    }
  }

  private static func created(
    _ profile: ProfileCreated, _ state: State, handleIsFree: Bool, _ rules: Rules
  ) throws(DomainError) -> ProfileCreated {
    guard state.account == .none else { throw .profileExists }
    try rules.checkHandle(profile.handle)
    guard handleIsFree else { throw .handleAlreadyTaken }
    var profile = profile
    // Where the rules require a name, a profile may begin without one, but not with a blank one.
    if profile.displayName != nil {
      profile.displayName = try rules.displayName(profile.displayName)
    }
    return profile
  }

  /// The part of an edit that changes something, trimmed and checked; nil if nothing does.
  private static func edited(
    _ edit: ProfileEdited, _ state: State, handleIsFree: Bool, _ rules: Rules
  ) throws(DomainError) -> Event? {
    var change = ProfileEdited(user: edit.user)
    change.bio = try changed(edit.bio, state.bio, .bio, rules)
    let keepsName =
      switch edit.displayName {
      case .keep: true
      case .clear: state.displayName == nil
      case .set(let name): state.displayName != nil && same(name, state.displayName)
      }
    if !keepsName {
      let name = try rules.displayName(edit.displayName.value)
      if !same(name, state.displayName) { change.displayName = name.map(Patch.set) ?? .clear }
    }
    let handle = edit.handle == .keep ? state.handle : edit.handle.value
    let isNew = !same(handle, state.handle)
    if isNew { try rules.checkHandle(handle) }
    change.homeGym = try changed(edit.homeGym, state.homeGym, .homeGym, rules)
    change.homeZIP = try changed(edit.homeZIP, state.homeZIP, .homeZIP, rules)
    change.climbingSince = changed(edit.climbingSince, state.climbingSince)
    change.favoriteStyle = try changed(
      edit.favoriteStyle, state.favoriteStyle, .favoriteStyle, rules)
    change.boulderGradeScale = try changed(
      edit.boulderGradeScale, state.boulderGradeScale, .boulderGradeScale, rules)
    change.routeGradeScale = try changed(
      edit.routeGradeScale, state.routeGradeScale, .routeGradeScale, rules)
    change.riderType = changed(edit.riderType, state.riderType)
    if isNew {
      let isOwn = handle?.lowercased() == state.handle?.lowercased()
      guard handleIsFree || isOwn else { throw .handleAlreadyTaken }
      change.handle = edit.handle
    }
    if edit.isPublic != state.isPublic { change.isPublic = edit.isPublic }
    return change == ProfileEdited(user: edit.user) ? nil : .profile(.edited(change))
  }

  /// A text's change, trimmed and checked; an empty text clears. What the profile says already is
  /// not judged: an edit screen sends all of it.
  private static func changed(
    _ edit: Patch<String>, _ old: String?, _ member: TextLimits.Member, _ rules: Rules
  ) throws(DomainError) -> Patch<String> {
    if edit == .keep || same(edit.value, old) { return .keep }
    let text = try rules.stored(edit.value, member)
    return same(text, old) ? .keep : text.map(Patch.set) ?? .clear
  }

  private static func changed<V>(_ edit: Patch<V>, _ old: V?) -> Patch<V> {
    var new = old
    edit.apply(to: &new)
    return new == old ? .keep : edit
  }
}

extension ProfileEvent: Decidable {
  package func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let isService = actor.isService
    var user = actor.id
    let command: ProfileDecider.Command
    switch self {
    case .created(let data):
      command = .create(data, handleIsFree: states.isFree(data.handle, for: data.user))
    case .edited(let data) where isService:
      (user, command) = (data.user, .clearTexts(data.user))
    case .edited(let data):
      command = .update(data, handleIsFree: states.isFree(data.handle.value, for: data.user))
    case .photoSet(let data): command = .setPhoto(data)
    case .photoRemoved(let data):
      if isService { user = data.user }
      command = .removePhoto(data.user)
    case .baseLocationSet(let data): command = .setLocation(data)
    case .baseLocationCleared(let data): command = .clearLocation(data.user)
    case .sportSet(let data): command = .setSport(data)
    case .sportRemoved(let data): command = .removeSport(data)
    case .sendLogged(let data): command = .logSend(data)
    case .weeklyGoalSet(let data): command = .setWeeklyGoal(data)
    case .premiumRecorded(let data):
      guard isService else { throw .notAuthorized }
      (user, command) = (data.user, .recordPremium(data))
    }
    return try ProfileDecider.decide(command, states.profile(user), by: user, rules)
  }
}
