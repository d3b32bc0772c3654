import EventLog
import Events
import FaultTesting
import Foundation
import Projections
import PropertyTesting
import Replaying
import Testing

/// Every projection that the use cases query, as one.
struct Everything {
  var profiles = Profiles()
  var following = FollowLists()
  var counts = FollowCounts()
  var relationships = Relationships()
  var (blocks, workouts) = (Blocks(), Workouts())
  var (chups, reactions) = (Chups(), Reactions())
  var (comments, leaderboard, notifications) = (Comments(), Leaderboard(), Notifications())
  var (groups, conversations) = (Groups(), Conversations())
  var reports = Reports()

  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    profiles.apply(event, at: moment)
    following.apply(event, at: moment)
    counts.apply(event, at: moment)
    counts.settle()
    relationships.apply(event, at: moment)
    blocks.apply(event, at: moment)
    workouts.apply(event, at: moment)
    chups.apply(event, at: moment)
    reactions.apply(event, at: moment)
    comments.apply(event, at: moment)
    leaderboard.apply(event, at: moment)
    notifications.apply(event, at: moment)
    groups.apply(event, at: moment)
    conversations.apply(event, at: moment)
    reports.apply(event, at: moment)
  }

  func brokenInvariant(_ names: Names) -> String? {
    let all: [any Projection] = [
      profiles, following, counts, relationships, blocks, workouts, chups, reactions, comments,
      leaderboard, notifications, groups, conversations, reports,
    ]
    return all.lazy.compactMap { $0.brokenInvariant(names) }.first
  }

  /// The first answer in which this and the naive model differ, in words, or nil.
  func difference(from naive: NaiveModel, _ names: Names) -> String? {
    for index in 0..<UInt32(names.userCount) {
      if let difference = difference(from: naive, UserID(index: index)) {
        return "\(names[UserID(index: index)]): \(difference)"
      }
    }
    for (handle, users) in naive.holders where profiles.holder(of: handle) != users.first {
      return "holder of \(handle)"
    }
    for index in 0..<UInt32(names.workoutCount) {
      if let difference = difference(from: naive, WorkoutID(index: index)) {
        return "\(names[WorkoutID(index: index)]): \(difference)"
      }
    }
    for id in names.all(GroupID.self) {
      if let difference = difference(from: naive, id) { return "\(names[id]): \(difference)" }
    }
    for id in names.all(MessageID.self) {
      if let difference = difference(from: naive, id) { return "\(names[id]): \(difference)" }
    }
    for id in names.all(ReportID.self) where reports[id] != naive.reports[id] {
      return "\(names[id]): \(String(describing: reports[id]))"
    }
    for index in 0..<UInt32(names.commentCount) {
      let id = CommentID(index: index)
      let remark = comments[id].map {
        NaiveModel.Remark(
          workout: $0.workout, user: $0.user, text: $0.text, replyTo: $0.replyTo, time: $0.time)
      }
      if remark != naive.remarks[id] { return "\(names[id]): \(String(describing: remark))" }
      if Array(comments.hearts(of: id)) != (naive.hearts[id] ?? []).reversed() {
        return "\(names[id]): hearts"
      }
    }
    return nil
  }

  private func difference(from naive: NaiveModel, _ user: UserID) -> String? {
    let account = profiles[user].map { profile in
      NaiveModel.Account(
        handle: profile.handle, displayName: profile.displayName, isPublic: profile.isPublic,
        bio: profile.bio, photo: profile.photo?.path,
        place: profile.location.map { "\($0.latitude) \($0.longitude) \($0.name ?? "")" },
        sports: profile.sports.map { "\($0.sport.name) \($0.level) \($0.isMentor)" },
        sends: profile.sendCount, goal: profile.weeklyGoal,
        premium: profile.premium.map {
          "\($0.product) \($0.expires.text) \($0.transaction ?? "-")"
        }, createdAt: profile.createdAt, updatedAt: profile.updatedAt)
    }
    if account != naive.accounts[user] { return "profile \(String(describing: account))" }
    func differ(_ list: Users, _ other: [UserID]?) -> Bool {
      Array(list) != naive.shown(other, to: user)
    }
    if Array(blocks.blocked(by: user)) != (naive.blocked[user] ?? []).reversed() {
      return "blocks"
    }
    if profiles.isPublic(user) != naive.accounts[user]?.isPublic { return "standing" }
    if differ(following.followers(of: user), naive.followers[user]) { return "followers" }
    if differ(following.following(of: user), naive.following[user]) { return "following" }
    let followers = naive.shown(naive.followers[user], to: user)
    let followed = naive.shown(naive.following[user], to: user)
    if counts.counts(of: user) != (followers.count, followed.count) {
      return "counts \(counts.counts(of: user))"
    }
    if differ(relationships.friends(of: user), naive.friends[user]) { return "friends" }
    if differ(relationships.sent(of: user), naive.asked[user]) { return "sent" }
    if differ(relationships.pending(of: user), naive.askedBy[user]) { return "pending" }
    let all = notifications.newest(of: user, limit: .max)
    for limit in 0...3
    where notifications.newest(of: user, limit: limit) != Array(all.prefix(limit)) {
      return "the newest \(limit) notifications"
    }
    let told = all.map { told in
      let kind =
        switch told.kind {
        case .request: "request"
        case .acceptance: "acceptance"
        case .follow: "follow"
        case .chup(_, let big): "chup \(big)"
        case .reaction(_, let kind): kind.rawValue
        case .comment: "comment"
        case .reply: "reply"
        case .heart: "heart"
        case .invitation: "invitation"
        case .joinRequest: "joinRequest"
        case .approval: "approval"
        }
      return NaiveModel.Told(
        kind: kind, user: told.user, seq: told.seq, workout: told.kind.workout,
        comment: told.kind.comment, group: told.kind.group)
    }
    let expected = (naive.told[user] ?? []).reversed().map { told in
      var told = told
      if ["invitation", "approval"].contains(told.kind) {
        told.user = told.group.flatMap { naive.groups[$0]?.owner } ?? told.user
      }
      return told
    }
    if told != expected { return "notifications \(told), not \(expected)" }
    for told in all where told.isUnread == naive.hasRead(user, of: nil, told.seq) {
      return "unread \(told.seq)"
    }
    return differenceInGroups(from: naive, user)
  }

  private func difference(from naive: NaiveModel, _ id: WorkoutID) -> String? {
    if workouts[id] != naive.workouts[id] { return "\(String(describing: workouts[id]))" }
    if workouts.detail(of: id) != naive.details[id] { return "detail" }
    if Array(chups.users(of: id)) != (naive.chups[id] ?? []).reversed() { return "chups" }
    for user in chups.users(of: id) {
      if chups.isBig(id, user) != (naive.bigs[id]?.contains(user) == true) { return "big chups" }
    }
    let reacted = naive.reactions[id] ?? []
    if Array(reactions.users(of: id)) != reacted.reversed().map(\.user) { return "reactions" }
    for one in reacted where reactions.kinds(id, one.user) != one.kinds { return "kinds" }
    for kind in ReactionKind.allCases {
      let count = reacted.count { $0.kinds.contains(ReactionKinds(kind)) }
      if reactions.count(id, kind) != count { return "count of \(kind)" }
    }
    return comments.of(id) == naive.threads[id] ?? [] ? nil : "comments"
  }
}

@Suite struct ProjectionsAgreeTests {
  private static let isSweep = Sweep.chosen != .short

  /// Checks the conditions that hold after every event of a history.
  private func agree(_ history: GeneratedHistory) -> (Everything, NaiveModel) {
    var (everything, naive) = (Everything(), NaiveModel())
    for (index, entry) in history.entries.enumerated() {
      let moment = Moment(seq: UInt64(index + 1), time: entry.time)
      everything.apply(entry.event, at: moment)
      naive.apply(entry.event, at: moment)
      let difference = everything.difference(from: naive, history.names)
      #expect(difference == nil, "event \(index + 1)")
      let broken = everything.brokenInvariant(history.names)
      #expect(broken == nil, "event \(index + 1)")
      if difference != nil || broken != nil { break }
    }
    checkFeeds(everything, naive, history.names)
    checkLeaderboard(everything, naive)
    return (everything, naive)
  }

  @Test("After any events, projections equal a naive model")
  func agreeOnAnything() async throws {
    try await check(runs: Sweep.size(20, 120, 6_000)) { t in
      _ = agree(t.draw(.hostileHistory(max: 200), "history"))
    }
  }

  @Test("After allowed events, projections equal a naive model, and friends are mutual")
  func agreeOnTheAllowed() async throws {
    try await check(
      runs: Sweep.size(35, 300, 10_000), covering: ["friends": 0.2, "a deletion": 0.1]
    ) { t in
      let history = t.draw(.history(max: 100), "history")
      let (everything, naive) = agree(history)
      t.label("friends", if: naive.friends.contains { !$0.value.isEmpty })
      t.label("a deletion", if: !naive.deleted.isEmpty)
      for index in 0..<UInt32(history.names.userCount) {
        let user = UserID(index: index)
        for friend in everything.relationships.friends(of: user) {
          #expect(everything.relationships[friend, user] == .friends)
        }
      }
    }
  }

  /// The size of the generated history, and the number of random revisions to compare.
  /// `EVENTLOG_TEST_MILLION=1 swift test -c release -Xswiftc -enable-testing --filter generated`
  /// compares a million events at fifty revisions.
  private static let (size, revisions): (UInt64, Int) =
    ProcessInfo.processInfo.environment["EVENTLOG_TEST_MILLION"] == "1"
    ? (1_000_000, 50) : isSweep ? (60_000, 6) : (10_000, 3)

  @Test("Projections and naive model agree on a generated history, at random revisions and its end")
  func generated() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    process.executableURL = products.appending(path: "eventlog")
    process.arguments = [
      "generate", "--events", "\(Self.size)", "--users", "\(Self.size / 20)", "--seed", "11",
      "--log", folder.path,
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)

    var random = SplitMix64(seed: 11)
    let stops = Set(
      (0..<Self.revisions).map { _ in UInt64.random(in: 1...Self.size, using: &random) }
        + [Self.size])
    var names = Names()
    var everything = Everything()
    var naive = NaiveModel()
    var looked = 0
    try LogView(path: folder.path).forEachEvent { recorded in
      var parser = LineParser()
      guard
        let event = try? parser.parse(recorded.line(after: 0), names: &names).event
      else { return false }
      let moment = Moment(seq: recorded.seq, time: recorded.time)
      everything.apply(event, at: moment)
      naive.apply(event, at: moment)
      if stops.contains(recorded.seq) {
        looked += 1
        #expect(everything.difference(from: naive, names) == nil, "at \(recorded.seq)")
        #expect(everything.brokenInvariant(names) == nil, "at \(recorded.seq)")
      }
      return true
    }
    #expect(looked == stops.count)
    checkLeaderboard(everything, naive)
  }

  private func checkFeeds(_ everything: Everything, _ naive: NaiveModel, _ names: Names) {
    let users = (0..<UInt32(names.userCount)).map(UserID.init)
    for count in 0...users.count {
      let owners = Array(users.prefix(count))
      var found: [WorkoutID] = []
      everything.workouts.visitNewest(of: owners.map { ($0, .max) }) {
        found.append($0.workout)
        return true
      }
      #expect(found == naive.newest(of: owners))
      let end = DateTime("2026-02-01T12:00:00Z")!.instant
      found = []
      everything.workouts.visitNewest(of: owners.map { ($0, .max) }, before: end) {
        found.append($0.workout)
        return found.count < 2
      }
      let before = naive.newest(of: owners).filter { naive.workouts[$0]!.date.instant < end }
      #expect(found == Array(before.prefix(2)))
    }
    let latest = everything.workouts.latest(of: users.map { ($0, 2) }).map(\.workout)
    let each = Set(users.flatMap { naive.newest(of: [$0]).prefix(2) })
    #expect(latest == naive.newest(of: users).filter(each.contains))
  }

  private func checkLeaderboard(_ everything: Everything, _ naive: NaiveModel) {
    // The spans' bounds, computed by hand.
    let spans: [(Leaderboard.Span, String, String, String)] = [
      (.week, "2026-02-01T12:00:00Z", "2026-01-26T00:00:00Z", "2026-02-02T00:00:00Z"),
      (.week, "2026-02-02T00:00:00Z", "2026-02-02T00:00:00Z", "2026-02-09T00:00:00Z"),
      (.month, "2026-01-31T00:00:00Z", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"),
      (.month, "2026-02-28T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"),
      (.month, "2024-02-01T00:00:00Z", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"),
      (.week, "1970-01-01T00:00:00Z", "1969-12-29T00:00:00Z", "1970-01-05T00:00:00Z"),
      (.week, "1969-12-28T00:00:00Z", "1969-12-22T00:00:00Z", "1969-12-29T00:00:00Z"),
      (.month, "1969-12-01T00:00:00Z", "1969-12-01T00:00:00Z", "1970-01-01T00:00:00Z"),
      (.month, "0000-01-15T00:00:00Z", "0000-01-01T00:00:00Z", "0000-02-01T00:00:00Z"),
    ]
    for (span, within, start, end) in spans {
      func at(_ text: String) -> Timestamp { DateTime(text)!.instant }
      let expected = naive.meters(from: at(start).milliseconds, to: at(end).milliseconds)
      var found: [UserID: [String: Int64]] = [:]
      everything.leaderboard.forEachUser(in: span, containing: at(within)) { user, sums in
        var meters: [String: Int64] = [:]
        for audience in Leaderboard.Sums.audiences where sums[audience] != 0 {
          meters[audience?.rawValue ?? "unnamed"] = sums[audience]
        }
        found[user] = meters
        #expect(everything.leaderboard.sums(of: user, in: span, containing: at(within)) == sums)
      }
      #expect(found == expected, "\(span) of \(within)")
      let shared = expected.mapValues { sums in
        sums.filter { $0.key != "private" }.values.reduce(Int64(0)) { sum, meters in
          let (more, isTooMuch) = sum.addingReportingOverflow(meters)
          return isTooMuch ? .max : more
        }
      }
      #expect(
        everything.leaderboard.meters(in: span, containing: at(within))
          == shared.filter { $0.value != 0 }, "\(span) of \(within)")
    }
  }
}
