import Events

/// The users' profiles, by user and by handle.
///
/// ```swift
/// var profiles = Profiles()
/// let created = ProfileCreated(user: alice, handle: "Al", isPublic: true)
/// profiles.apply(.profile(.created(created)), at: moment)
/// profiles[alice]?.handle       // "Al"
/// profiles.holder(of: "AL")     // alice
/// ```
/// An account can be opened only once, and its deletion is final. Events about an account that is
/// not open change nothing, as in the decider.
/// - Complexity: O(1) per event; O(the user's sports) for events about sports.
public struct Profiles: FamilyProjection {
  public static let name = "profiles"
  public static let version = 5
  public static let handles = EventTypes.profile.union([.accountDeleted])

  /// The profile of a user.
  public struct Profile: ProfileMembers, Equatable, Sendable {
    /// The handle; nil for a user without one, which some rules allow.
    public var handle: String?
    /// The display name; nil if there is none.
    public var displayName: String?
    /// The user's description of themselves.
    public var bio: String?
    /// The name of the user's gym.
    public var homeGym: String?
    /// The ZIP code of the user's home.
    public var homeZIP: String?
    /// The date since which the user has been climbing.
    public var climbingSince: CalendarDate?
    /// The user's favourite style of climbing.
    public var favoriteStyle: String?
    /// The grade scale for boulders.
    public var boulderGradeScale: String?
    /// The grade scale for routes.
    public var routeGradeScale: String?
    /// Whether the profile is public; search finds only public profiles.
    public var isPublic: Bool
    /// The kind of rider that the user is.
    public var riderType: RiderType?
    /// The profile's photo; nil if there is none.
    public var photo: ProfilePhotoSet?
    /// The user's base location; nil if there is none.
    public var location: BaseLocationSet?
    /// The sports, in the order in which they were last set.
    public var sports: [SportSet] = []
    /// The number of climbs logged.
    public var sendCount = 0
    /// The distance that the user wants to move in a week, in metres.
    public var weeklyGoal: Int64?
    /// The last `PremiumRecorded` event of each product, in the order in which they were recorded.
    public var premium: [PremiumRecorded] = []
    /// The time at which the account was opened.
    public var createdAt: Timestamp
    /// The time of the profile's last event.
    public var updatedAt: Timestamp
  }

  /// The profiles of open accounts.
  var profiles = Records<Profile>()
  /// By user: whether the account exists and is public. Reading this decodes no profile.
  private var standings = Column(Standing.none)
  /// The users who have each handle, by the handle in lowercase, oldest holder first. Only an
  /// imported log can give several users the same handle.
  private(set) var holders = TextIndex()

  private enum Standing: UInt8, BitwiseCopyable, Sendable {
    case none, `private`, `public`, deleted
  }

  public init() {}

  public mutating func apply(_ event: borrowing ProfileEvent, at moment: Moment) {
    switch event {
    case .created(let data): return create(data, moment)
    case .edited(let data): edit(data)
    default: break
    }
    guard var profile = profiles[event.user.index] else { return }
    profile.apply(event, at: moment.time)
    profiles[event.user.index] = profile
  }

  public mutating func removeAccount(_ user: UserID) {
    hold(card(of: user)?.handle, nil, user)
    profiles[user.index] = nil
    standings[user.index] = .deleted
  }

  private mutating func create(_ data: ProfileCreated, _ moment: Moment) {
    guard standings[data.user.index] == .none else { return }
    standings[data.user.index] = data.isPublic ? .public : .private
    profiles[data.user.index] = Profile(data, at: moment.time)
    hold(nil, data.handle, data.user)
  }

  /// Replaces a user's handle in `holders`.
  private mutating func hold(_ old: String?, _ new: String?, _ user: UserID) {
    if let old { holders.remove(old.lowercased(), user.index) }
    if let new { holders.add(new.lowercased(), user.index) }
  }

  /// Updates the handle and the standing before the profile is changed.
  private mutating func edit(_ data: ProfileEdited) {
    if !data.handle.isKeep, let card = card(of: data.user) {
      hold(card.handle, data.handle.value, data.user)
    }
    if let isPublic = data.isPublic, isOpen(data.user) {
      standings[data.user.index] = isPublic ? .public : .private
    }
  }

  public mutating func code(with coder: inout StateCoder) {
    profiles.code(with: &coder)
    standings.code(with: &coder)
    holders.code(with: &coder)
  }

  /// The profile of a user with an open account; nil for other users.
  public subscript(user: UserID) -> Profile? { profiles[user.index] }

  /// Returns whether the user has an open account.
  public func isOpen(_ user: UserID) -> Bool { profiles.has(user.index) }

  /// Returns whether the user had an account and deleted it.
  public func isDeleted(_ user: UserID) -> Bool { standings[user.index] == .deleted }

  /// Returns whether the user's profile is public; nil without an open account.
  public func isPublic(_ user: UserID) -> Bool? {
    switch standings[user.index] {
    case .public: true
    case .private: false
    case .none, .deleted: nil
    }
  }

  /// Returns the handle and display name; nil without an open account. Decodes no other fields.
  public func card(of user: UserID) -> (handle: String?, displayName: String?)? {
    profiles.read(user.index) { coder in
      var (handle, displayName) = (String?.none, String?.none)
      coder(&handle)
      coder(&displayName)
      return (handle, displayName)
    }
  }

  /// Returns the users with open accounts, sorted by case-insensitive handle. Users without a
  /// handle come last, sorted by display name. Ties are sorted by id.
  /// - Complexity: O(users · log users).
  public func users(_ names: Names) -> [UserID] {
    let found = profiles.indices.compactMap { index -> (key: SortKey, user: UserID)? in
      let user = UserID(index: index)
      return sortKey(of: user).map { ($0, user) }
    }
    return found.sorted {
      $0.key != $1.key ? $0.key < $1.key : names.precedes($0.user, $1.user)
    }.map { $0.user }
  }

  /// The key by which lists of users are sorted: the handle, or the display name if there is none.
  struct SortKey: Comparable {
    var hasNoHandle: Bool
    var text: String

    static func < (a: Self, b: Self) -> Bool {
      a.hasNoHandle != b.hasNoHandle ? b.hasNoHandle : a.text < b.text
    }
  }

  func sortKey(of user: UserID) -> SortKey? {
    card(of: user).map {
      SortKey(
        hasNoHandle: $0.handle == nil, text: ($0.handle ?? $0.displayName ?? "").lowercased())
    }
  }

  /// Returns the user who has the handle, regardless of case.
  public func holder(of handle: String) -> UserID? {
    let key = handle.lowercased()
    return holders.first(key) {
      card(of: UserID(index: $0))?.handle?.lowercased() == key
    }.map { UserID(index: $0) }
  }

  /// Returns whether the user has the handle, perhaps together with other users.
  func isHeld(_ handle: String, by user: UserID) -> Bool {
    holders.first(handle.lowercased()) { $0 == user.index } != nil
  }

  /// Returns nil if `holders` has each user's current handle, and no handle that nobody has;
  /// otherwise describes the fault.
  public func brokenInvariant(_ names: Names) -> String? {
    var handles: Set<[UInt8]> = []
    for index in profiles.indices {
      let user = UserID(index: index)
      guard let handle = self[user]?.handle else { continue }
      if !isHeld(handle, by: user) {
        return "\(names[user]) is missing among the holders of \(handle)"
      }
      handles.insert(Array(handle.lowercased().utf8))
    }
    return handles.count == holders.textCount
      ? nil : "\(holders.textCount) handles are held, and \(handles.count) used"
  }
}

extension Profiles.Profile {
  /// Creates the profile of a new account.
  public init(_ created: ProfileCreated, at time: Timestamp) {
    self.init(
      handle: created.handle, displayName: created.displayName, isPublic: created.isPublic,
      createdAt: time, updatedAt: time)
  }

  /// Applies an event of the profile's user. The creation of an existing profile changes nothing.
  public mutating func apply(_ event: borrowing ProfileEvent, at time: Timestamp) {
    switch event {
    case .created: return
    case .edited(let data): apply(data)
    case .photoSet(let data): photo = data
    case .photoRemoved: photo = nil
    case .baseLocationSet(let data): location = data
    case .baseLocationCleared: location = nil
    case .sportSet(let data):
      sports.removeAll { $0.sport == data.sport }
      sports.append(data)
    case .sportRemoved(let data): sports.removeAll { $0.sport == data.sport }
    case .sendLogged: sendCount += 1
    case .weeklyGoalSet(let data): weeklyGoal = data.meters == 0 ? nil : data.meters
    case .premiumRecorded(let data):
      premium.removeAll { $0.product.utf8.elementsEqual(data.product.utf8) }
      premium.append(data)
    }
    updatedAt = time
  }
}

extension Profiles.Profile: Storable {
  public static var blank: Self {
    Self(isPublic: false, createdAt: .earliest, updatedAt: .earliest)
  }

  public mutating func code(with coder: inout RecordCoder) {
    codeMembers(with: &coder)
    coder(&photo)
    coder(&location)
    coder(&sports)
    coder(&sendCount)
    coder(&weeklyGoal)
    coder(&premium)
    coder(&createdAt)
    coder(&updatedAt)
  }
}
