import Aggregates
import Events
import Projections
import UseCases

// Tables that only a mirror has: parts of profiles, reports, and exceptions from visibility.
extension Table {
  /// The numbers of followers and followed users, as `eventlog project followers` shows them.
  static let followerCounts = Table(
    "follower_counts", "The numbers of followers and followed users of each profile.",
    [
      Member("user_id", .user, "The user.", references: "profiles") { (key: RowKey, view) in
        view.name(key.user)
      },
      Member("follower_count", .integer, "The number of all followers, including hidden ones.") {
        key, view in
        .optional(view.model.views.followerCount(of: key.user))
      },
      Member(
        "following_count", .integer, "The number of all followed users, including hidden ones."
      ) { key, view in
        .optional(view.model.views.followingCount(of: key.user))
      },
    ],
    key: ["user_id"],
    mirror: MirrorRows(
      indexes: [["follower_count"]], { key, view in [view.name(key.user)] },
      changed: { event, view, touch in view.visitCounted(by: event) { touch(RowKey($0)) } }),
    all: visitUsers,
    item: { key, view in view.isHidden(key.user) ? nil : key })

  /// The sports in the users' profiles.
  static let profileSports = Table(
    "profile_sports", "The sports in the users' profiles.",
    [
      Member("user_id", .user, "The user.", references: "profiles") { (item: SportItem, view) in
        view.name(item.user)
      },
      Member("sport_id", .text, "The sport.") { item, _ in .text(item.sport.sport.name) },
      Member("level", .text, "beginner, intermediate, advanced or expert.") { item, _ in
        .text(item.sport.level.rawValue)
      },
      Member("is_mentor", .bool, "Whether the user teaches the sport.") { item, _ in
        .bool(item.sport.isMentor)
      },
    ],
    key: ["user_id", "sport_id"],
    mirror: MirrorRows(
      indexes: [["sport_id"]],
      { key, view in [view.name(key.user), .text(view.sports[key.b]?.name ?? "")] },
      changed: { event, view, touch in
        switch event {
        case .profile(.sportSet(let data)):
          touch(RowKey(data.user, number: view.sports.number(of: data.sport)))
        case .profile(.sportRemoved(let data)):
          touch(RowKey(data.user, number: view.sports.number(of: data.sport)))
        default: if let user = event.account { visitSports(of: user, view) { touching($0, touch) } }
        }
      }),
    all: { view, body in view.visitUsers { visitSports(of: $0, view, body) } },
    item: { key, view in
      view.model.views.profile(of: key.user)?.sports.first { $0.sport == view.sports[key.b] }
        .map { SportItem(user: key.user, sport: $0) }
    })

  /// The places in the users' profiles.
  static let baseLocations = Table(
    "base_locations", "The places in the users' profiles.",
    [
      Member("user_id", .user, "The user.", references: "profiles") {
        (item: BaseLocationSet, view) in view.name(item.user)
      },
      Member("latitude", .double, "The latitude in degrees.") { item, _ in
        .double(item.latitude)
      },
      Member("longitude", .double, "The longitude in degrees.") { item, _ in
        .double(item.longitude)
      },
      Member("name", .text, "The place's name.", isOptional: true) { item, _ in .optional(item.name)
      },
    ],
    key: ["user_id"],
    mirror: MirrorRows(
      { key, view in [view.name(key.user)] },
      changed: { event, view, touch in
        switch event {
        case .profile(.baseLocationSet(let data)): touch(RowKey(data.user))
        case .profile(.baseLocationCleared(let data)): touch(RowKey(data.user))
        default: if let user = event.account { touch(RowKey(user)) }
        }
      }),
    all: visitUsers,
    item: { key, view in view.model.views.profile(of: key.user)?.location })

  /// The users' reports of content.
  static let reports = Table(
    "reports", "The users' reports of content. They stay when an account is deleted.",
    [
      Member("id", .text, "The report's id.") { (item: ReportItem, view) in view.name(item.id) },
      Member("user_id", .user, "The user who reported, also of a deleted account.") {
        item, view in view.name(item.report.user)
      },
      Member("kind", .text, "profile, workout, comment, message or group.") { item, _ in
        .text(item.report.content.kind.rawValue)
      },
      Member("content_id", .text, "The id of the reported content.") { item, view in
        .text(view.model.names[item.report.content.id])
      },
      Member("reason", .text, "The reason that the user gave.") { item, _ in
        .text(item.report.reason)
      },
      Member("outcome", .text, "kept or removed; null while the report is open.", isOptional: true)
      { item, _ in
        .optional(item.report.outcome?.rawValue)
      },
      Member("created_at", .time, "The time of the report.") { item, _ in
        .time(item.report.time)
      },
    ],
    key: ["id"],
    mirror: MirrorRows(
      indexes: [["kind", "content_id"]], { key, view in [view.name(key.report)] },
      changed: { event, _, touch in
        switch event {
        case .report(.reported(let data)): touch(RowKey(data.report))
        case .report(.closed(let data)): touch(RowKey(data.report))
        default: break
        }
      }),
    all: { view, body in
      (0..<UInt32(view.model.names.count(of: .report))).visit {
        body(RowKey(ReportID(index: $0)))
      }
    },
    item: { key, view in
      view.model.views.report(key.report).map { ReportItem(id: key.report, report: $0) }
    })

  /// The pairs of users for whom a profile's visibility differs from `is_public`.
  static let profileExceptions = Table(
    "profile_exceptions",
    "The pairs for whom visibility differs from is_public: friends and blocked pairs.",
    [
      Member("viewer_id", .user, "The user who reads.", references: "profiles") {
        (key: RowKey, view) in view.name(key.user)
      },
      Member("user_id", .user, "The profile that the viewer reads.", references: "profiles") {
        $1.name($0.other)
      },
      Member("is_visible", .bool, "Whether the viewer sees the profile in full.") { key, view in
        .bool(view.model.views.isPublic(key.other) == false)
      },
    ],
    key: ["viewer_id", "user_id"],
    mirror: MirrorRows(
      indexes: [["user_id"]],
      { key, view in [view.name(key.user), view.name(key.other)] },
      changed: { event, view, touch in
        switch event {
        case .follow: break
        case .profile(.edited(let data)):
          if data.isPublic == nil { break }
          visitExceptions(of: data.user, view) {
            touch(RowKey($0, $1))
            touch(RowKey($1, $0))
          }
        default: view.touchPairs(of: event, touch)
        }
      }),
    all: { view, body in
      view.visitUsers { user in
        var goesOn = true
        visitExceptions(of: user, view) { user, other in
          if goesOn { goesOn = body(RowKey(user, other)) }
        }
        return goesOn
      }
    },
    item: { key, view in
      let (viewer, user) = (key.user, key.other)
      guard viewer != user, view.model.views.isOpen(viewer),
        let isPublic = view.model.views.isPublic(user)
      else { return nil }
      let isVisible = view.model.visibility(of: user, .user(viewer)) == .full
      return isVisible == isPublic ? nil : key
    })
}

private struct SportItem: Sendable {
  let user: UserID
  let sport: SportSet
}

private struct ReportItem: Sendable {
  let id: ReportID
  let report: Reports.Report
}

@Sendable private func visitUsers(_ view: TableView, _ body: (RowKey) -> Bool) {
  view.visitUsers { body(RowKey($0)) }
}

@discardableResult
private func visitSports(of user: UserID, _ view: TableView, _ body: (RowKey) -> Bool) -> Bool {
  (view.model.views.profile(of: user)?.sports ?? []).visit {
    body(RowKey(user, number: view.sports.number(of: $0.sport)))
  }
}

/// Calls `body` with a user and each of the user's friends, and each user in a block with the user.
private func visitExceptions(
  of user: UserID, _ view: TableView, _ body: (UserID, UserID) -> Void
) {
  for other in view.model.views.friends(of: user) { body(user, other) }
  for other in view.model.views.blocked(by: user) { body(user, other) }
  for other in view.model.views.blockers(of: user)
  where view.model.views.blockedSince(user, other) == nil { body(user, other) }
}
