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
  public static let version = 1
  public static let handles = EventTypes.profile.union([.accountDeleted])

  public struct Profile: ProfileMembers, Equatable, Sendable {
    public var handle: String
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
    public var createdAt: Timestamp
    /// When the last event of the profile was recorded.
    public var updatedAt: Timestamp
  }

  enum Account: Equatable, Sendable {
    case unknown, deleted
    indirect case open(Profile)
  }

  var accounts = Column(Account.unknown)
  var holders = HandleTable()

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
    }
  }

  public mutating func forget(_ user: UserID) {
    if let profile = self[user] { holders.remove(profile.handle, user) }
    accounts[user.index] = .deleted
  }

  private mutating func create(_ data: ProfileCreated, _ moment: Moment) {
    guard accounts[data.user.index] == .unknown else { return }
    accounts[data.user.index] = .open(
      Profile(
        handle: data.handle, displayName: data.displayName, isPublic: data.isPublic,
        createdAt: moment.time, updatedAt: moment.time))
    holders.add(data.handle, data.user)
  }

  private mutating func edit(_ data: ProfileEdited, _ moment: Moment) {
    guard let old = self[data.user] else { return }
    if let handle = data.handle {
      holders.remove(old.handle, data.user)
      holders.add(handle, data.user)
    }
    change(data.user, moment) { $0.apply(data) }
  }

  private mutating func change(
    _ user: UserID, _ moment: Moment, _ body: (inout Profile) -> Void
  ) {
    guard case .open(var profile) = accounts[user.index] else { return }
    profile.updatedAt = moment.time
    body(&profile)
    accounts[user.index] = .open(profile)
  }

  public mutating func code(with coder: inout StateCoder) {
    accounts.code(with: &coder)
    holders.code(with: &coder)
  }

  /// The profile of an open account.
  public subscript(user: UserID) -> Profile? {
    if case .open(let profile) = accounts[user.index] { return profile }
    return nil
  }

  /// What a list shows of a user with an open account, without building the whole profile.
  public func card(of user: UserID) -> (handle: String, displayName: String?)? {
    guard case .open(let profile) = accounts[user.index] else { return nil }
    return (profile.handle, profile.displayName)
  }

  /// The users with open accounts, by case-insensitive handle, then by id.
  /// - Complexity: O(users · log users).
  public func users(_ names: Names) -> [UserID] {
    let found = accounts.indices.compactMap { index -> (key: String, user: UserID)? in
      let user = UserID(index: UInt32(index))
      return self[user].map { ($0.handle.lowercased(), user) }
    }
    return found.sorted {
      $0.key != $1.key ? $0.key < $1.key : names.precedes($0.user, $1.user)
    }.map { $0.user }
  }

  /// The user who has the handle, regardless of case.
  public func holder(of handle: String) -> UserID? { holders[handle] }
}

/// The holder of each handle, regardless of case. Only an import can give a handle several holders.
struct HandleTable: Sendable {
  private var first: [String: UserID] = [:]
  /// The other holders, in the order in which they came.
  private var rest: [String: [UserID]] = [:]

  /// Holders by folded handle, in no particular order.
  var all: [String: UserID] { first }

  /// The user who has had the handle longest.
  subscript(handle: String) -> UserID? { first[handle.lowercased()] }

  func isHeld(_ handle: String, by user: UserID) -> Bool {
    let key = handle.lowercased()
    return first[key] == user || rest[key]?.contains(user) == true
  }

  mutating func code(with coder: inout StateCoder) {
    coder(&first)
    var keys = Array(rest.keys)
    var users = Array(rest.values)
    coder(&keys)
    coder(&users)
    if coder.isReading { rest = Dictionary(firstOf: zip(keys, users)) }
  }

  mutating func add(_ handle: String, _ user: UserID) {
    let key = handle.lowercased()
    if first[key] == nil { first[key] = user } else { rest[key, default: []].append(user) }
  }

  mutating func remove(_ handle: String, _ user: UserID) {
    let key = handle.lowercased()
    if first[key] != user {
      rest[key]?.removeAll { $0 == user }
    } else if rest[key]?.isEmpty == false {
      first[key] = rest[key]?.removeFirst()
    } else {
      first[key] = nil
    }
    if rest[key]?.isEmpty == true { rest[key] = nil }
  }
}
