import Events

/// Users' profiles, found by user and by handle.
///
/// ```swift
/// var profiles = Profiles()
/// let created = ProfileCreated(user: alice, handle: "Al", isPublic: true)
/// profiles.apply(.profile(.created(created)), at: moment)
/// profiles[alice]?.handle       // "Al"
/// profiles.holder(of: "AL")     // alice
/// ```
/// An account is opened once and deleted for good; events about an account that is not open change
/// nothing, as in the decider.
/// - Complexity: O(1) per event, and O(the user's sports) for events about sports.
public struct Profiles: FamilyProjection {
  public static let name = "profiles"
  public static let version = 5
  public static let handles = EventTypes.profile.union([.accountDeleted])

  public struct Profile: ProfileMembers, Equatable, Sendable {
    /// Nil for a user without one, which some rules allow.
    public var handle: String?
    public var displayName: String?
    public var bio: String?
    public var homeGym: String?
    public var homeZIP: String?
    public var climbingSince: CalendarDate?
    public var favoriteStyle: String?
    public var boulderGradeScale: String?
    public var routeGradeScale: String?
    public var isPublic: Bool
    public var riderType: RiderType?
    public var photo: ProfilePhotoSet?
    public var location: BaseLocationSet?
    /// In the order in which they were last set.
    public var sports: [SportSet] = []
    /// How many climbs were logged.
    public var sendCount = 0
    /// How far the user wants to move in a week, in metres.
    public var weeklyGoal: Int64?
    /// The last record of each product, in the order in which they were recorded.
    public var premium: [PremiumRecorded] = []
    public var createdAt: Timestamp
    /// When the last event of the profile was recorded.
    public var updatedAt: Timestamp
  }

  /// The profiles of open accounts.
  var profiles = Records<Profile>()
  /// Whether accounts exist and are public, without decoding profiles.
  private var standings = Column(Standing.none)
  /// By handle, in lowercase, the oldest holder first. Only an import can give a handle several
  /// holders.
  private(set) var holders = TextIndex()

  private enum Standing: UInt8, BitwiseCopyable, Sendable {
    case none, `private`, `public`, deleted
  }

  public init() {}

  public mutating func apply(_ event: borrowing ProfileEvent, at moment: Moment) {
    switch event {
    case .created(let data): create(data, moment)
    case .edited(let data): edit(data, moment)
    case .photoSet(let data): change(data.user, moment) { $0.photo = data }
    case .photoRemoved(let data): change(data.user, moment) { $0.photo = nil }
    case .baseLocationSet(let data): change(data.user, moment) { $0.location = data }
    case .baseLocationCleared(let data): change(data.user, moment) { $0.location = nil }
    case .sportSet(let data):
      change(data.user, moment) { profile in
        profile.sports.removeAll { $0.sport == data.sport }
        profile.sports.append(data)
      }
    case .sportRemoved(let data):
      change(data.user, moment) { $0.sports.removeAll { $0.sport == data.sport } }
    case .sendLogged(let data): change(data.user, moment) { $0.sendCount += 1 }
    case .weeklyGoalSet(let data):
      change(data.user, moment) { $0.weeklyGoal = data.meters == 0 ? nil : data.meters }
    case .premiumRecorded(let data):
      change(data.user, moment) { profile in
        profile.premium.removeAll { $0.product.utf8.elementsEqual(data.product.utf8) }
        profile.premium.append(data)
      }
    }
  }

  public mutating func removeAccount(_ user: UserID) {
    hold(card(of: user)?.handle, nil, user)
    profiles[user.index] = nil
    standings[user.index] = .deleted
  }

  private mutating func create(_ data: ProfileCreated, _ moment: Moment) {
    guard standings[data.user.index] == .none else { return }
    standings[data.user.index] = data.isPublic ? .public : .private
    profiles[data.user.index] = Profile(
      handle: data.handle, displayName: data.displayName, isPublic: data.isPublic,
      createdAt: moment.time, updatedAt: moment.time)
    hold(nil, data.handle, data.user)
  }

  /// Notes that a user has another handle.
  private mutating func hold(_ old: String?, _ new: String?, _ user: UserID) {
    if let old { holders.remove(old.lowercased(), user.index) }
    if let new { holders.add(new.lowercased(), user.index) }
  }

  private mutating func edit(_ data: ProfileEdited, _ moment: Moment) {
    if !data.handle.isKeep, let card = card(of: data.user) {
      hold(card.handle, data.handle.value, data.user)
    }
    if let isPublic = data.isPublic, isOpen(data.user) {
      standings[data.user.index] = isPublic ? .public : .private
    }
    change(data.user, moment) { $0.apply(data) }
  }

  private mutating func change(
    _ user: UserID, _ moment: Moment, _ body: (inout Profile) -> Void
  ) {
    guard var profile = profiles[user.index] else { return }
    profile.updatedAt = moment.time
    body(&profile)
    profiles[user.index] = profile
  }

  public mutating func code(with coder: inout StateCoder) {
    profiles.code(with: &coder)
    standings.code(with: &coder)
    holders.code(with: &coder)
  }

  /// The profile of an open account.
  public subscript(user: UserID) -> Profile? { profiles[user.index] }

  /// Whether the user has an account.
  public func isOpen(_ user: UserID) -> Bool { profiles.has(user.index) }

  /// Whether the user's profile is public; nil without an account.
  public func isPublic(_ user: UserID) -> Bool? {
    switch standings[user.index] {
    case .public: true
    case .private: false
    case .none, .deleted: nil
    }
  }

  /// The handle and name of a user with an open account, without decoding the whole profile.
  public func card(of user: UserID) -> (handle: String?, displayName: String?)? {
    profiles.read(user.index) { coder in
      var (handle, displayName) = (String?.none, String?.none)
      coder(&handle)
      coder(&displayName)
      return (handle, displayName)
    }
  }

  /// The users with open accounts, by case-insensitive handle; those without one last, by display
  /// name; then by id.
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

  /// The order of users in lists by handle.
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

  /// The user who has the handle, regardless of case.
  public func holder(of handle: String) -> UserID? {
    let key = handle.lowercased()
    return holders.first(key) {
      card(of: UserID(index: $0))?.handle?.lowercased() == key
    }.map { UserID(index: $0) }
  }

  /// Whether the user is among the holders of a handle.
  func isHeld(_ handle: String, by user: UserID) -> Bool {
    holders.first(handle.lowercased()) { $0 == user.index } != nil
  }

  /// Every handle leads back to its holder, and no other is held.
  public func brokenInvariant(_ names: Names) -> String? {
    var handles: Set<[UInt8]> = []
    for index in profiles.indices {
      let user = UserID(index: index)
      guard let handle = self[user]?.handle else { continue }
      if !isHeld(handle, by: user) {
        return "\(names[user]) has the handle \(handle), which does not lead back"
      }
      handles.insert(Array(handle.lowercased().utf8))
    }
    return handles.count == holders.textCount
      ? nil : "\(holders.textCount) handles are held, and \(handles.count) used"
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
