import Events

/// Decides about one user's profile, from its creation to the deletion of the account.
///
/// An account is opened once and deleted for good. An import may contain events of an account that
/// is not open, or a second creation. Such events change neither this state nor any projection.
public enum ProfileDecider: Decider {
  /// The events of a profile, and the deletion of the account.
  public enum Family: EventFamily {
    /// An event of the profile.
    case profile(ProfileEvent)
    /// The deletion of the account.
    case deleted

    public init?(_ event: borrowing Event) {
      switch event {
      case .profile(let event): self = .profile(event)
      case .accountDeleted: self = .deleted
      default: return nil
      }
    }
  }

  /// The state of a profile.
  public struct State: ProfileMembers, Equatable, Sendable {
    /// The state of an account: never opened, open or deleted.
    public enum Account: Sendable, BitwiseCopyable { case none, open, deleted }
    /// The state of the account.
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
    /// The photo, if there is one.
    public var photo: ProfilePhotoSet?
    /// The place where the user is based, if there is one.
    public var location: BaseLocationSet?
    /// The sports, in the order in which they were last set.
    public var sports: [SportSet] = []
    /// The weekly goal in metres; 0 for none.
    public var weeklyGoal: Int64 = 0
    /// The last subscription record for each product.
    public var premium: [PremiumRecorded] = []
  }

  /// A command about one profile.
  public enum Command: Sendable {
    /// Creates the profile; `handleIsFree` means that no other user has the handle, ignoring case,
    /// and that it does not rest for its last owner.
    case create(ProfileCreated, handleIsFree: Bool)
    /// Changes the profile; `handleIsFree` means the same as in `create`.
    case update(ProfileEdited, handleIsFree: Bool)
    /// Sets the photo.
    case setPhoto(ProfilePhotoSet)
    /// Removes the photo.
    case removePhoto(UserID)
    /// Sets the place where the user is based.
    case setLocation(BaseLocationSet)
    /// Removes the place where the user is based.
    case clearLocation(UserID)
    /// Sets the user's level in a sport.
    case setSport(SportSet)
    /// Removes a sport.
    case removeSport(SportRemoved)
    /// Logs a completed climb.
    case logSend(SendLogged)
    /// Sets or clears the weekly goal.
    case setWeeklyGoal(WeeklyGoalSet)
    /// Records a subscription.
    case recordPremium(PremiumRecorded)
    /// Clears the display name and the bio; a service does this to a reported profile.
    case clearTexts(UserID)
    /// Deletes the account; groups that the user owns must first be transferred or deleted.
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
    // No decision depends on logged climbs, so the state does not contain them.
    case .profile(.sendLogged): break
    }
  }

  /// Returns the event that a command causes; nil if nothing would change. If an edit has both an
  /// invalid text and a handle that another user has, the error is about the text.
  /// - Throws: `notAuthorized`, `profileNotFound`, `profileExists`, `invalidHandle`,
  ///   `handleAlreadyTaken`, `displayNameTooLong`, `displayNameRequired`, `bioTooLong`,
  ///   `nameTooLong`, `invalidText`, `outOfRange`, `unknownSport`, `invalidImage`,
  ///   `imageTooLarge`.
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
      // A retry after a failure may contain only the current photo's URL. That changes nothing.
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
    // Even if the rules require a display name, a new profile may have none, but not a blank one.
    if profile.displayName != nil {
      profile.displayName = try rules.displayName(profile.displayName)
    }
    return profile
  }

  /// Returns the edit without unchanged fields, with its texts trimmed and checked. Returns nil if
  /// no field changes.
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

  /// Returns the change of one text field, with its text trimmed and checked. An empty text clears
  /// the field. An unchanged text is not checked, because an edit screen sends all fields.
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
      command = .create(
        data, handleIsFree: states.isFree(data.handle, for: data.user, at: time, rules))
    case .edited(let data) where isService:
      (user, command) = (data.user, .clearTexts(data.user))
    case .edited(let data):
      command = .update(
        data, handleIsFree: states.isFree(data.handle.value, for: data.user, at: time, rules))
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
