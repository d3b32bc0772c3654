import Aggregates
import Events
import Projections
import UseCases

extension Table {
  /// The profiles that the viewer may see. Of a profile that the viewer sees only in part, the
  /// other columns are null.
  static let profiles = Table(
    "profiles", "The users who have a profile, with their counts.",
    [
      Member("id", .user, "The user's id.") { (item: ProfileItem, view) in view.name(item.user) },
      Member("handle", .text, "The unique handle.", isOptional: true) { item, _ in
        .optional(item.state.handle)
      },
      Member("display_name", .text, "The display name.", isOptional: true) { item, _ in
        .optional(item.state.displayName)
      },
      Member("bio", .text, "The text about the user.", isOptional: true) { item, _ in
        .optional(item.full?.bio)
      },
      Member("photo_url", .text, "The photo's address.", isOptional: true) { item, view in
        .optional((item.full?.photo).map { view.model.address(ofPhoto: $0.url) })
      },
      Member("home_zip", .text, "The postal code of the user's home.", isOptional: true) {
        item, _ in
        .optional(item.full?.homeZIP)
      },
      Member("home_gym", .text, "The user's gym.", isOptional: true) { item, _ in
        .optional(item.full?.homeGym)
      },
      Member("climbing_since", .date, "The date of the first climb.", isOptional: true) { item, _ in
        .optional((item.full?.climbingSince).map { "\($0)" })
      },
      Member("favorite_style", .text, "The favourite style.", isOptional: true) { item, _ in
        .optional(item.full?.favoriteStyle)
      },
      Member(
        "preferred_grade_scale_boulder", .text, "The grade scale for boulders.", isOptional: true
      ) { item, _ in
        .optional(item.full?.boulderGradeScale)
      },
      Member("preferred_grade_scale_route", .text, "The grade scale for routes.", isOptional: true)
      { item, _ in
        .optional(item.full?.routeGradeScale)
      },
      Member("is_public", .bool, "Whether all users may see the profile.") { item, _ in
        .bool(item.state.isPublic)
      },
      Member("follower_count", .integer, "The number of all followers, including hidden ones.") {
        item, view in
        item.count { view.model.views.followerCount(of: item.user) }
      },
      Member(
        "following_count", .integer, "The number of all followed users, including hidden ones."
      ) { item, view in
        item.count { view.model.views.followingCount(of: item.user) }
      },
      Member("send_count", .integer, "The number of logged sends.") { item, view in
        item.count { view.model.views.sendCount(of: item.user) }
      },
      Member("friend_count", .integer, "The number of all friends, including hidden ones.") {
        item, view in
        .optional(view.model.views.friendCount(of: item.user))
      },
      Member("rider_type", .text, "rider, mentor or both.", isOptional: true) { item, _ in
        .optional(item.full?.riderType?.rawValue)
      },
      Member(
        "premium_expires_at", .time, "The end of the purchase that lasts longest.", isOptional: true
      ) {
        item, view in
        .optional(item.premium(view)?.expires.instant)
      },
      Member("premium_product_id", .text, "The product of that purchase.", isOptional: true) {
        item, view in
        .optional(item.premium(view)?.product)
      },
      Member(
        "premium_original_transaction_id", .text, "The transaction of that purchase.",
        isOptional: true
      ) {
        item, view in
        .optional(item.premium(view)?.transaction)
      },
      Member("created_at", .time, "The time of the account's creation.") { item, _ in
        .optional(item.full?.createdAt)
      },
      Member("updated_at", .time, "The time of the profile's last change.") { item, _ in
        .optional(item.full?.updatedAt)
      },
    ],
    key: ["id"],
    mirror: MirrorRows(
      indexes: [["handle"]], { key, view in [view.name(key.user)] },
      changed: { event, view, touch in
        if case .profile(let event) = event { touch(RowKey(event.user)) }
        view.visitCounted(by: event) { touch(RowKey($0)) }
      }),
    indexes: [
      NamedIndex(columns: ["id"], isOpen: true) { values, view, body in
        view.user(values[0]).map { _ = body(RowKey($0)) }
      },
      NamedIndex(columns: ["handle"], isOpen: true) { values, view, body in
        values[0].text.flatMap { view.model.views.holder(of: $0) }.map { _ = body(RowKey($0)) }
      },
    ],
    search: TextSearch(
      columns: [1, 2], sortedBy: 1,
      find: { text, limit, view in
        view.model.views.all.search.matchesByHandle(text, limit: limit, view.model.names)
          .map { RowKey($0) }
      },
      others: { condition, view in
        // The index has only public profiles.
        let isPublicOnly = condition.conjuncts.contains { part in
          switch part {
          case .compare(isPublic, .equal, .bool(true)), .isFlag(isPublic, true): true
          default: false
          }
        }
        if isPublicOnly { return [] }
        guard view.model.rules.privateProfiles == .hidden, view.viewer != .service else {
          return nil
        }
        guard let me = view.me else { return [] }
        return ([me] + Array(view.model.views.friends(of: me)))
          .filter { view.model.views.isPublic($0) == false }.map { RowKey($0) }
      }),
    writes: profileWrites,
    all: { view, body in
      (0..<UInt32(view.model.names.userCount)).visit { body(RowKey(UserID(index: $0))) }
    },
    isVisible: { key, view in !view.isHidden(key.user) },
    item: { key, view in
      let visibility = view.visibility(of: key.user)
      guard visibility != .hidden, let state = view.model.views.profile(of: key.user) else {
        return nil
      }
      return ProfileItem(user: key.user, state: state, isFull: visibility == .full)
    })
}

/// The index of the column `is_public`.
private let isPublic = 11

/// A profile that the viewer may see.
private struct ProfileItem: Sendable {
  let user: UserID
  let state: Profiles.Profile
  /// Whether the viewer sees more than the handle, the name and the number of friends.
  let isFull: Bool

  /// The profile, if the viewer sees it in full.
  var full: Profiles.Profile? { isFull ? state : nil }

  func count(_ number: () -> Int) -> TableValue { isFull ? .int(Int64(number())) : .null }

  /// Returns the purchase that is paid for the longest time; nil without one, and for viewers who
  /// may not see purchases.
  func premium(_ view: TableView) -> PremiumRecorded? {
    guard view.me == user || view.viewer == .service else { return nil }
    return state.premium.max { $0.expires.instant < $1.expires.instant }
  }
}

private let profileFields: KeyValuePairs = [
  "handle": "handle", "display_name": "displayName", "bio": "bio", "photo_url": "photoURL",
  "home_zip": "homeZIP", "home_gym": "homeGym", "climbing_since": "climbingSince",
  "favorite_style": "favoriteStyle", "preferred_grade_scale_boulder": "boulderGradeScale",
  "preferred_grade_scale_route": "routeGradeScale", "is_public": "isPublic",
  "rider_type": "riderType",
]

private let profileWrites = TableWrites(
  owner: "id", isOwnersOnly: true, conflict: ["id"], writable: Set(profileFields.map(\.key)),
  protected: ["premium_expires_at", "premium_product_id", "premium_original_transaction_id"],
  insert: { change in
    let create = change.fields(
      [
        "handle": "handle", "display_name": "displayName", "is_public": "isPublic",
        "home_zip": "homeZIP",
      ], nulls: false)
    var rest = change
    for name in ["handle", "display_name", "is_public", "home_zip"] { rest.values[name] = nil }
    let update = rest.fields(profileFields, nulls: false)
    return [TableCommand("CreateProfile", [.init("user", .string(change.user))] + create)]
      + (update.isEmpty ? [] : [TableCommand("UpdateProfile", update)])
  },
  update: { (change) throws(TableFault) in
    try change.checkMine("id", "UpdateProfile changes only the caller's profile.")
    return [TableCommand("UpdateProfile", change.fields(profileFields))]
  },
  delete: { (change) throws(TableFault) in
    try change.checkMine("id", "DeleteAccount removes only the caller's account.")
    return [TableCommand("DeleteAccount")]
  })
