import Aggregates
import Events
import Projections
import UseCases

extension Model {
  /// Makes the personal log of a user with an open account.
  func personalLog(of reader: UserID, _ bounds: PersonalLog.Bounds) -> PersonalLog {
    let bounds = bounds.clamped()
    var making = PersonalLogMaking(self, reader, bounds)
    making.addAll()
    var log = PersonalLog(
      reader: names[reader], position: head.seq, time: now, rules: rules, bounds: bounds)
    log.photoBase = photoBase
    log.parts = making.people + making.parts
    return log
  }
}

/// Collects the parts of a personal log. Each function adds what the queries of the same subject
/// show to the reader, and asks the same functions about visibility.
private struct PersonalLogMaking {
  let model: Model
  let views: Reading
  let reader: UserID
  let viewer: Viewer
  let bounds: PersonalLog.Bounds
  private(set) var parts: [PersonalLog.Part] = []
  private var listed: [UserID: Least] = [:]
  private var seen: [UserID: Bool] = [:]
  /// The most chups, users who reacted, and comments of a workout, as in the queries' answers.
  private static let mostPerWorkout = 100

  init(_ model: Model, _ reader: UserID, _ bounds: PersonalLog.Bounds) {
    (self.model, self.reader, self.bounds) = (model, reader, bounds)
    (viewer, views) = (.user(reader), model.views)
  }

  mutating func addAll() {
    add(person: reader)
    addEdges()
    addWorkouts()
    addGroups()
    addConversations()
  }

  /// Returns a new event, as a line of a part.
  private func line(
    _ event: Event, at time: Timestamp?, seq: UInt64? = nil
  ) -> PersonalLog.Part.Line {
    PersonalLog.Part.Line(
      seq: seq, time: time ?? .epoch, type: event.typeName, version: event.version,
      data: event.data(model.names))
  }

  // MARK: People

  /// The least of a person that the reader sees although the profile is hidden.
  private enum Least: Int { case nothing, limited, full }

  /// Lists a person who occurs in the parts.
  private mutating func add(person user: UserID, atLeast least: Least = .nothing) {
    guard views.isOpen(user) else { return }
    let known = listed[user] ?? .nothing
    listed[user] = known.rawValue > least.rawValue ? known : least
  }

  /// The parts of the people listed: the reader's, then the others' in the order of their ids.
  var people: [PersonalLog.Part] {
    let others = listed.filter { $0.key != reader }.map { (model.names[$0.key], $0.key, $0.value) }
    let sorted = [(model.names[reader], reader, .full)] + others.sorted { $0.0 < $1.0 }
    return sorted.compactMap { part(of: $0.1, $0.2) }
  }

  /// Makes the part of a person as the reader sees them; of a hidden one without name.
  private func part(of user: UserID, _ least: Least) -> PersonalLog.Part? {
    guard let profile = views.profile(of: user) else { return nil }
    var visibility = model.visibility(of: user, viewer)
    if PlantedBug.showsHiddenProfiles.isPlanted { visibility = .full }
    var part = PersonalLog.Part("person/\(model.names[user])")
    var created = ProfileCreated(user: user, handle: nil, isPublic: false)
    guard visibility != .hidden || least != .nothing else {
      part.lines = [line(.profile(.created(created)), at: nil)]
      return part
    }
    (created.handle, created.displayName) = (profile.handle, profile.displayName)
    created.isPublic = profile.isPublic
    let isFull = visibility == .full
    part.lines.append(line(.profile(.created(created)), at: isFull ? profile.createdAt : nil))
    part.counts["friends"] = views.friendCount(of: user)
    if isFull || least == .full {
      if let photo = profile.photo {
        let set = ProfilePhotoSet(user: user, url: photo.url)
        part.lines.append(line(.profile(.photoSet(set)), at: nil))
      }
      if !PlantedBug.countsHeldFollowers.isPlanted {
        part.counts["followers"] = views.followerCount(of: user)
      }
      part.counts["following"] = views.followingCount(of: user)
      part.counts["sends"] = views.sendCount(of: user)
    }
    if isFull { addDetails(of: user, profile, to: &part) }
    // The last edit has the time that the profile shows.
    var edit = ProfileEdited(user: user)
    if isFull || least == .full { edit.bio = Patch(profile.bio) }
    if isFull {
      edit.homeGym = Patch(profile.homeGym)
      edit.homeZIP = Patch(profile.homeZIP)
      edit.climbingSince = Patch(profile.climbingSince)
      edit.favoriteStyle = Patch(profile.favoriteStyle)
      edit.boulderGradeScale = Patch(profile.boulderGradeScale)
      edit.routeGradeScale = Patch(profile.routeGradeScale)
      edit.riderType = Patch(profile.riderType)
    }
    part.lines.append(line(.profile(.edited(edit)), at: isFull ? profile.updatedAt : nil))
    return part
  }

  /// Adds the details that `GetProfile` shows.
  private func addDetails(
    of user: UserID, _ profile: Profiles.Profile, to part: inout PersonalLog.Part
  ) {
    func add(_ event: ProfileEvent) { part.lines.append(line(.profile(event), at: nil)) }
    for sport in profile.sports { add(.sportSet(sport)) }
    if let location = model.location(of: user, for: viewer) {
      add(
        .baseLocationSet(
          BaseLocationSet(
            user: user, latitude: location.latitude ?? 0, longitude: location.longitude ?? 0,
            name: location.name)))
    }
    guard user == reader else { return }
    if let goal = profile.weeklyGoal {
      add(.weeklyGoalSet(WeeklyGoalSet(user: user, meters: goal)))
    }
    for premium in profile.premium { add(.premiumRecorded(premium)) }
  }

  // MARK: Edges

  /// Adds the reader's own follows, friendships, requests and blocks, each list oldest first.
  private mutating func addEdges() {
    var part = PersonalLog.Part("edges")
    for other in views.following(of: reader).reversed() where views.isOpen(other) {
      add(person: other)
      let edge = Follow(follower: reader, followee: other)
      part.lines.append(
        line(.follow(.followed(edge)), at: views.followingSince(reader, other)))
    }
    for other in views.followers(of: reader).reversed() where isSeen(other) {
      add(person: other)
      let edge = Follow(follower: other, followee: reader)
      part.lines.append(
        line(.follow(.followed(edge)), at: views.followingSince(other, reader)))
    }
    func relate(_ event: FriendshipEvent, _ other: UserID) {
      part.lines.append(
        line(.friendship(event), at: views.relatedSince(reader, other)))
    }
    for other in views.friends(of: reader).reversed() where views.isOpen(other) {
      add(person: other)
      relate(.accepted(FriendRequest(sender: other, receiver: reader)), other)
    }
    for other in views.pending(of: reader).reversed() where views.isOpen(other) {
      add(person: other, atLeast: .full)
      relate(.requested(FriendRequest(sender: other, receiver: reader)), other)
    }
    // Of a hidden receiver, only a conversation still shows the request.
    let partners = Set(views.partners(of: reader))
    for other in views.sent(of: reader).reversed()
    where isSeen(other) || partners.contains(other) && views.isOpen(other) {
      add(person: other)
      relate(.requested(FriendRequest(sender: reader, receiver: other)), other)
    }
    for other in views.blocked(by: reader).reversed() where !PlantedBug.omitsBlocks.isPlanted {
      add(person: other, atLeast: .limited)
      part.lines.append(
        line(
          .block(.blocked(Block(user: reader, other: other))),
          at: views.blockedSince(reader, other)))
    }
    parts.append(part)
  }

  private mutating func isSeen(_ user: UserID) -> Bool {
    if let known = seen[user] { return known }
    let isSeen = model.visibility(of: user, viewer) != .hidden
    seen[user] = isSeen
    return isSeen
  }

  // MARK: Workouts

  private mutating func addWorkouts() {
    var owners = [reader]
    var known = Set(owners)
    for other in Array(views.friends(of: reader)) + Array(views.following(of: reader))
    where known.insert(other).inserted && isSeen(other) {
      owners.append(other)
    }
    var all: [WorkoutShared] = []
    for owner in owners {
      let most = owner == reader ? bounds.ownWorkouts : bounds.workoutsPerPerson
      var newest: [WorkoutShared] = []
      let isShown = { (owner: UserID, audience: Audience?) in
        model.sees(audience, of: owner, viewer) || PlantedBug.showsPrivateWorkouts.isPlanted
      }
      views.visitNewest(of: [(owner, most + 1)], where: isShown) {
        newest.append($0)
        return newest.count <= most
      }
      var part = PersonalLog.Part("workouts/\(model.names[owner])")
      part.isCut = newest.count > most
      if PlantedBug.omitsNewestWorkout.isPlanted { newest = Array(newest.dropFirst()) }
      for workout in newest.prefix(most).reversed() {
        add(workout, to: &part)
      }
      parts.append(part)
      all += newest.prefix(most)
    }
    let newest = all.enumerated().sorted { a, b in
      (b.element.date.instant, a.offset) < (a.element.date.instant, b.offset)
    }
    for (_, workout) in newest.prefix(bounds.workoutsWithReactions) {
      add(reactionsTo: workout.workout)
    }
  }

  private func add(_ workout: WorkoutShared, to part: inout PersonalLog.Part) {
    var (shared, edit) = (workout, WorkoutEdited(workout: workout.workout))
    shared.audience = workout.audience ?? model.rules.audience
    guard let times = views.times(of: workout.workout) else { return }
    // Lists sort by a date that was edited to be later only if the edit is not too early for it.
    let earliest = workout.date.instant.milliseconds - WorkoutShared.longestLead
    let isLater = earliest > times.shared.milliseconds
    if isLater { (shared.date, edit.date) = (DateTime(times.shared), workout.date) }
    part.lines.append(line(.workout(.shared(shared)), at: times.shared))
    if isLater {
      part.lines.append(
        line(.workout(.edited(edit)), at: Timestamp(milliseconds: earliest)))
    }
    if let detail = views.detail(of: workout.workout) {
      part.lines.append(line(.workout(.detailAttached(detail)), at: times.attached))
    }
  }

  /// Adds the chups, reactions and comments of a workout that the reader sees.
  private mutating func add(reactionsTo workout: WorkoutID) {
    var part = PersonalLog.Part("workout/\(model.names[workout])")
    let chups = views.chups(of: workout)
    for user in shown(chups, views.hasChupped(workout, reader)) {
      // Only the number of big chups is shown, not who gave them.
      let isBig = user == reader && views.isBigChup(workout, user)
      let chup = ChupGiven(workout: workout, user: user, big: isBig)
      part.lines.append(line(.chup(.given(chup)), at: views.chuppedSince(workout, user)))
    }
    let reacted = views.reactions(to: workout)
    let hasReacted = !views.reactions(to: workout, by: reader).isEmpty
    for user in shown(reacted, hasReacted) {
      for kind in views.reactions(to: workout, by: user).all {
        let reaction = Reaction(workout: workout, user: user, kind: kind)
        part.lines.append(
          line(.reaction(.given(reaction)), at: views.reactedSince(workout, user)))
      }
    }
    part.counts["chups"] = views.chupCount(of: workout)
    part.counts["bigChups"] = views.bigChupCount(of: workout)
    part.counts["comments"] = views.commentCount(on: workout)
    for kind in ReactionKind.allCases {
      let count = views.reactionCount(workout, kind)
      if count > 0 { part.counts[kind.rawValue] = count }
    }
    add(commentsOn: workout, to: &part)
    parts.append(part)
  }

  /// Returns the newest users of a list whom the reader sees, and the reader, oldest first.
  private mutating func shown(_ users: Users, _ hasReader: Bool) -> [UserID] {
    var found: [UserID] = []
    for user in users where found.count < Self.mostPerWorkout && isSeen(user) {
      found.append(user)
    }
    if hasReader, !found.contains(reader) { found.append(reader) }
    for user in found { add(person: user) }
    return found.reversed()
  }

  private func isShown(_ comment: CommentID) -> Bool {
    model.isShown(comment, to: viewer) || PlantedBug.showsBlockedAuthors.isPlanted
  }

  private mutating func add(commentsOn workout: WorkoutID, to part: inout PersonalLog.Part) {
    var newest: [CommentID] = []
    for id in views.comments(on: workout).reversed()
    where newest.count < Self.mostPerWorkout && isShown(id) { newest.append(id) }
    for id in newest.reversed() {
      guard let comment = views.comment(id) else { continue }
      let author = isSeen(comment.user) ? comment.user : nil
      if let author { add(person: author) }
      let posted = CommentPosted(
        comment: id, workout: workout, user: comment.user, text: comment.text,
        replyTo: comment.replyTo.flatMap { isShown($0) ? $0 : nil })
      var made = line(.comment(.posted(posted)), at: comment.time)
      if author == nil { made.replace("user", by: .placeholder(for: model.names[id])) }
      part.lines.append(made)
      if views.isHearted(id, by: reader) {
        part.lines.append(line(.heart(.given(Heart(comment: id, user: reader))), at: nil))
      }
      part.counts["hearts/\(model.names[id])"] = views.heartCount(of: id)
    }
  }

  // MARK: Groups

  private mutating func addGroups() {
    for group in views.groups(of: reader).reversed() {
      guard let state = views.group(group), let row = GroupRow(group, for: viewer, in: model)
      else { continue }
      var part = PersonalLog.Part("group/\(model.names[group])")
      var members: [UserID] = []
      for user in views.members(of: group).reversed() where isSeen(user) { members.append(user) }
      part.isCut = members.count > bounds.members
      members = Array(members.prefix(bounds.members))
      for user in [reader, state.owner]
      where part.isCut && isSeen(user) && !members.contains(user) {
        members.append(user)
      }
      for user in members {
        add(person: user)
        let since = views.memberSince(group, user)
        let membership = Membership(group: group, user: user)
        part.lines.append(line(.member(.joined(membership)), at: since))
        if views.standing(group, user) == .admin {
          let role = MemberRoleSet(group: group, user: user, role: .admin)
          part.lines.append(line(.member(.roleSet(role)), at: since))
        }
      }
      // Members join first, so that an owner who was not the first owner keeps the time of joining.
      var created = line(
        .group(
          .created(
            GroupCreated(
              group: group, owner: state.owner, name: state.name, description: state.description,
              isPublic: state.isPublic))), at: state.createdAt)
      if row.owner == nil { created.replace("owner", by: .placeholder(for: row.group)) }
      part.lines.append(created)
      for name in (row.requests ?? []).reversed() {
        guard let user = model.names.find(user: name) else { continue }
        part.lines.append(
          line(.member(.requested(Membership(group: group, user: user))), at: nil))
      }
      part.counts["members"] = row.memberCount
      parts.append(part)
    }
  }

  // MARK: Conversations

  private mutating func addConversations() {
    /// The messages that may still be added because messages are unread.
    var room = bounds.unreadMessages
    for other in views.partners(of: reader)
    where !views.isBlocked(reader, other) || PlantedBug.showsBlockedConversations.isPlanted {
      let all = views.messages(reader, other)
      let unread = views.unread(by: reader, from: other)
      var part = PersonalLog.Part("conversation/\(model.names[other])")
      var lines: [PersonalLog.Part.Line] = []
      var (left, isDeleted) = (unread, false)
      // The last message before the unread ones.
      var last: Conversations.Message?
      for id in all.reversed() {
        if lines.count >= bounds.messages, left == 0 || room == 0 {
          part.isCut = true
          if left > 0 { part.counts["unread"] = unread }
          break
        }
        guard let message = views.message(id) else { continue }
        if lines.count >= bounds.messages { room -= 1 }
        // The sender is nil after the deletion of the other's account.
        if message.receiver == reader, other != reader, left > 0 {
          left -= 1
        } else if left == 0, last == nil {
          last = message
        }
        isDeleted = isDeleted || message.sender == nil
        let sent = MessageSent(
          message: id, sender: message.sender ?? other, receiver: message.receiver,
          text: message.text)
        lines.append(
          line(.conversation(.sent(sent)), at: message.time, seq: message.seq))
      }
      part.lines = lines.reversed()
      if lines.isEmpty { continue }
      if let last, !PlantedBug.omitsReadMarks.isPlanted {
        let mark = ConversationRead(
          user: reader, other: other, upTo: EventID(time: last.time, random: (0, 0)))
        part.lines.append(line(.conversation(.read(mark)), at: last.time, seq: last.seq + 1))
      }
      if views.isOpen(other) {
        add(person: other, atLeast: .limited)
      } else if isDeleted {
        part.lines.append(line(.accountDeleted(UserReference(user: other)), at: nil))
      }
      parts.append(part)
    }
  }
}

extension Patch {
  /// Sets a value, or keeps the initial one if there is none.
  fileprivate init(_ value: Value?) { self = value.map { .set($0) } ?? .keep }
}

extension PersonalLog.Part.Line {
  /// Replaces the id of a hidden person.
  fileprivate mutating func replace(_ member: String, by placeholder: JSONValue) {
    guard case .object(var members)? = try? JSONValue(object: data),
      let index = members.firstIndex(where: { $0.name == member })
    else { return }
    members[index].value = placeholder
    data = Array(JSONValue.object(members).text.utf8)
  }
}

extension JSONValue {
  /// The id of a hidden author of a comment, or a hidden owner of a group. It depends only on the
  /// id of the comment or group, so that it does not show who has made several. No user has an id
  /// that begins so.
  fileprivate static func placeholder(for id: String) -> JSONValue {
    let digest = hexHash(Array(id.utf8))
    return .string(Names.servicePrefix + "hidden-" + digest)
  }
}
