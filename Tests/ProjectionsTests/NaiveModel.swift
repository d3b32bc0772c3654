import Events
import Projections

/// The projections' answers, computed separately with dictionaries, arrays and loops.
struct NaiveModel {
  struct Account: Equatable {
    var handle: String?
    var displayName: String?
    var isPublic: Bool
    var bio: String?
    var photo: String?
    var place: String?
    var sports: [String] = []
    var sends = 0
    var goal: Int64?
    var premium: [String] = []
    var createdAt: Timestamp
    var updatedAt: Timestamp
  }
  struct Remark: Equatable {
    var workout: WorkoutID
    var user: UserID
    var text: String
    var replyTo: CommentID?
    var time: Timestamp
  }
  struct Told: Equatable {
    var kind: String
    var user: UserID
    var seq: UInt64
    var workout: WorkoutID?
    var comment: CommentID?
    var group: GroupID?
  }
  struct Reacted: Equatable {
    var user: UserID
    var kinds: ReactionKinds
  }

  var opened: Set<UserID> = []
  var deleted: Set<UserID> = []
  var accounts: [UserID: Account] = [:]
  /// The holders of a handle, ignoring case, the earliest first; never an empty list.
  var holders: [String: [UserID]] = [:]
  /// Lists oldest first, all of them.
  var followers: [UserID: [UserID]] = [:]
  var following: [UserID: [UserID]] = [:]
  var friends: [UserID: [UserID]] = [:]
  var asked: [UserID: [UserID]] = [:]
  var askedBy: [UserID: [UserID]] = [:]
  /// The users that each user blocks, oldest first.
  var blocked: [UserID: [UserID]] = [:]
  var known: Set<WorkoutID> = []
  var gone: Set<WorkoutID> = []
  var workouts: [WorkoutID: WorkoutShared] = [:]
  /// All workouts that were ever shared.
  var order: [WorkoutID] = []
  /// The time by which each workout is ordered.
  var placed: [WorkoutID: Int64] = [:]
  var details: [WorkoutID: WorkoutDetailAttached] = [:]
  var chups: [WorkoutID: [UserID]] = [:]
  var bigs: [WorkoutID: Set<UserID>] = [:]
  var reactions: [WorkoutID: [Reacted]] = [:]
  var seen: Set<CommentID> = []
  var remarks: [CommentID: Remark] = [:]
  var threads: [WorkoutID: [CommentID]] = [:]
  var hearts: [CommentID: [UserID]] = [:]
  var told: [UserID: [Told]] = [:]
  /// The user who was notified of a comment, for ever.
  var toldOf: [CommentID: UserID] = [:]

  /// The author and the workout of each existing comment.
  var writers: [CommentID: (user: UserID, workout: WorkoutID)] = [:]
  var answered: [CommentID: UserID] = [:]
  var groups: [GroupID: Groups.Group] = [:]
  var goneGroups: Set<GroupID> = []
  var standings: [GroupID: [UserID: Groups.Standing]] = [:]
  /// Oldest first.
  var members: [GroupID: [UserID]] = [:]
  var waiting: [GroupID: [UserID]] = [:]
  var messages: [MessageID: Conversations.Message] = [:]
  var sent: Set<MessageID> = []
  /// By pair, oldest first.
  var talks: [Set<UserID>: [MessageID]] = [:]
  /// Read marks: the user, the other user (nil for notifications), the time read up to, and the
  /// event.
  var reads: [(user: UserID, of: UserID?, upTo: Timestamp, seq: UInt64)] = []
  var reports: [ReportID: Reports.Report] = [:]
  var times: [UInt64: Timestamp] = [:]

  private func isThere(_ users: UserID...) -> Bool { !users.contains(where: deleted.contains) }

  mutating func apply(_ event: Event, at moment: Moment) {
    applyProfile(event, moment)
    applyFollow(event, moment)
    applyFriendship(event, moment)
    applyWorkout(event, moment)
    applyChup(event, moment)
    applyReaction(event, moment)
    times[moment.seq] = moment.time
    applyComment(event, moment)
    applyGroup(event, moment)
    applyMember(event, moment)
    applyMessage(event, moment)
    if case .accountDeleted(let data) = event { delete(data.user) }
  }

  private mutating func applyProfile(_ event: Event, _ moment: Moment) {
    func change(_ user: UserID, _ body: (inout Account) -> Void) {
      guard var account = accounts[user] else { return }
      body(&account)
      account.updatedAt = moment.time
      accounts[user] = account
    }
    switch event {
    case .profile(.created(let data)):
      guard !opened.contains(data.user), isThere(data.user) else { return }
      opened.insert(data.user)
      hold(nil, data.handle, data.user)
      accounts[data.user] = Account(
        handle: data.handle, displayName: data.displayName, isPublic: data.isPublic,
        createdAt: moment.time, updatedAt: moment.time)
    case .profile(.edited(let data)):
      if let old = accounts[data.user], data.handle != .keep {
        hold(old.handle, patched(data.handle, old.handle), data.user)
      }
      change(data.user) {
        $0.handle = patched(data.handle, $0.handle)
        $0.isPublic = data.isPublic ?? $0.isPublic
        if case .set(let name) = data.displayName { $0.displayName = name }
        if data.displayName == .clear { $0.displayName = nil }
        if case .set(let bio) = data.bio { $0.bio = bio }
        if data.bio == .clear { $0.bio = nil }
      }
    case .profile(.photoSet(let data)): change(data.user) { $0.photo = data.path }
    case .profile(.photoRemoved(let data)): change(data.user) { $0.photo = nil }
    case .profile(.baseLocationSet(let data)):
      change(data.user) { $0.place = "\(data.latitude) \(data.longitude) \(data.name ?? "")" }
    case .profile(.baseLocationCleared(let data)): change(data.user) { $0.place = nil }
    case .profile(.sportSet(let data)):
      change(data.user) { account in
        account.sports.removeAll { $0.hasPrefix(data.sport.name + " ") }
        account.sports.append("\(data.sport.name) \(data.level) \(data.isMentor)")
      }
    case .profile(.sportRemoved(let data)):
      change(data.user) { $0.sports.removeAll { $0.hasPrefix(data.sport.name + " ") } }
    case .profile(.sendLogged(let data)): change(data.user) { $0.sends += 1 }
    case .profile(.weeklyGoalSet(let data)):
      change(data.user) {
        $0.goal = data.meters > 0 ? data.meters : data.meters < 0 ? data.meters : nil
      }
    case .profile(.premiumRecorded(let data)):
      change(data.user) { account in
        account.premium.removeAll { $0.hasPrefix(data.product + " ") }
        account.premium.append("\(data.product) \(data.expires.text) \(data.transaction ?? "-")")
      }
    default: break
    }
  }

  private mutating func applyFollow(_ event: Event, _ moment: Moment) {
    switch event {
    case .follow(.followed(let edge)):
      guard isThere(edge.follower, edge.followee) else { return }
      if edge.follower != edge.followee {
        told[edge.followee]?.removeAll { $0.kind == "follow" && $0.user == edge.follower }
        told[edge.followee, default: []].append(
          Told(kind: "follow", user: edge.follower, seq: moment.seq))
      }
      if following[edge.follower]?.contains(edge.followee) == true { return }
      following[edge.follower, default: []].append(edge.followee)
      followers[edge.followee, default: []].append(edge.follower)
    case .follow(.unfollowed(let edge)):
      following[edge.follower]?.removeAll { $0 == edge.followee }
      followers[edge.followee]?.removeAll { $0 == edge.follower }
      told[edge.followee]?.removeAll { $0.kind == "follow" && $0.user == edge.follower }
    case .block(.blocked(let data)):
      guard isThere(data.user, data.other), data.user != data.other,
        blocked[data.user]?.contains(data.other) != true
      else { return }
      blocked[data.user, default: []].append(data.other)
    case .block(.unblocked(let data)): blocked[data.user]?.removeAll { $0 == data.other }
    default: break
    }
  }

  /// The users of a list, newest first, without those separated from the list's user by a block.
  func shown(_ list: [UserID]?, to user: UserID) -> [UserID] {
    (list ?? []).reversed().filter {
      blocked[user]?.contains($0) != true && blocked[$0]?.contains(user) != true
    }
  }

  private mutating func part(_ a: UserID, _ b: UserID) {
    for (one, other) in [(a, b), (b, a)] {
      friends[one]?.removeAll { $0 == other }
      asked[one]?.removeAll { $0 == other }
      askedBy[one]?.removeAll { $0 == other }
    }
  }

  private mutating func forget(_ a: UserID, _ b: UserID) {
    for (one, other) in [(a, b), (b, a)] {
      told[one]?.removeAll {
        ($0.kind == "request" || $0.kind == "acceptance") && $0.user == other
      }
    }
  }

  private mutating func applyFriendship(_ event: Event, _ moment: Moment) {
    switch event {
    case .friendship(.requested(let request)), .friendship(.accepted(let request)):
      let (sender, receiver) = (request.sender, request.receiver)
      forget(sender, receiver)
      guard isThere(sender, receiver), sender != receiver else { return }
      var isRequest = false
      if case .friendship(.requested) = event { isRequest = true }
      if isRequest {
        told[receiver, default: []].append(Told(kind: "request", user: sender, seq: moment.seq))
      } else {
        told[sender, default: []].append(
          Told(kind: "acceptance", user: receiver, seq: moment.seq))
      }
      let list = isRequest ? asked[sender] : friends[sender]
      if list?.contains(receiver) == true { return }
      part(sender, receiver)
      if isRequest {
        asked[sender, default: []].append(receiver)
        askedBy[receiver, default: []].append(sender)
      } else {
        friends[sender, default: []].append(receiver)
        friends[receiver, default: []].append(sender)
      }
    case .friendship(.cancelled(let request)), .friendship(.rejected(let request)):
      forget(request.sender, request.receiver)
      part(request.sender, request.receiver)
    case .friendship(.removed(let data)):
      forget(data.user, data.friend)
      part(data.user, data.friend)
    default: break
    }
  }
}

extension NaiveModel {
  mutating func hold(_ old: String?, _ new: String?, _ user: UserID) {
    if let old { holders[old.lowercased()]?.removeAll { $0 == user } }
    if let new { holders[new.lowercased(), default: []].append(user) }
  }
}

func patched<V>(_ patch: Patch<V>, _ old: V?) -> V? {
  switch patch {
  case .keep: old
  case .clear: nil
  case .set(let new): new
  }
}
