import Aggregates
import Events
import Projections

extension AggregateStates {
  /// Returns the facts that describe a part of the states, as paths of the time machine with their
  /// values. Returns none for a part that no path describes.
  /// - Parameter actor: the user from whose point of view a relationship is described.
  func facts(
    _ read: StateRead, _ names: Names, for actor: UserID?
  ) -> [(path: String, value: JSONValue)] {
    switch read {
    case .stream(let stream): facts(stream, names, for: actor)
    case .handle(let handle):
      [("handle/\(StatePath.word(handle))", holder(of: handle).json(names))]
    case .localID(let owner, let id):
      earlier(owner, id).map {
        [("workout/\(names.word($0)).localID", .string(id))]
      } ?? []
    case .groups(let owner):
      groups(ownedBy: owner).map { ("group/\(names.word($0)).owner", .string(names[owner])) }
    case .members(let group):
      [("group/\(names.word(group)).members.count", .int(members(of: group).count))]
    }
  }

  private func facts(
    _ stream: StreamID, _ names: Names, for actor: UserID?
  ) -> [(path: String, value: JSONValue)] {
    let ids = stream.stateIDs
    let (first, second) = (names.word(ids[0]), names.word(ids[ids.count - 1]))
    let (a, b) = (stream.a, stream.b)
    switch stream.kind {
    case .profile:
      return [
        ("profile/\(first).isPublic", isPublic(UserID(index: a)).map(JSONValue.bool) ?? .null)
      ]
    case .follow:
      let isFollowing = isFollowing(UserID(index: a), UserID(index: b))
      return [("following/\(first) contains \(second)", .bool(isFollowing))]
    case .friendship: return [relationship(stream, names, for: actor)]
    case .block:
      let isBlocking = isBlocking(UserID(index: a), UserID(index: b))
      return [("blocks/\(first) contains \(second)", .bool(isBlocking))]
    case .workout:
      let id = WorkoutID(index: a)
      var facts = [("workout/\(first).owner", owner(id).json(names))]
      if case .shared(let workout, _) = workout(id), let audience = workout.audience {
        facts.append(("workout/\(first).audience", .string(audience.rawValue)))
      }
      return facts
    case .chup:
      let state = chup(WorkoutID(index: a), UserID(index: b))
      return [("chups/\(first) contains \(second)", .bool(state != .none))]
    case .reaction:
      let kinds = reactions(WorkoutID(index: a), UserID(index: b))
      return [("reactions/\(first) contains \(second)", .bool(!kinds.isEmpty))]
    case .comment:
      let id = CommentID(index: a)
      guard case .posted(let comment) = comment(id) else {
        return [("comment/\(first).user", .null)]
      }
      return [
        ("comment/\(first).user", .string(names[comment.user])),
        ("comment/\(first).workout", .string(names[comment.workout])),
      ]
    case .group:
      guard case .open(let group) = group(GroupID(index: a)) else {
        return [("group/\(first).owner", .null)]
      }
      return [
        ("group/\(first).owner", .string(names[group.owner])),
        ("group/\(first).isPublic", .bool(group.isPublic)),
      ]
    case .member: return [membership(stream, names)]
    case .conversation:
      guard case .sent(let message) = message(MessageID(index: a)) else {
        return [("message/\(first).sender", .null)]
      }
      return [
        ("message/\(first).sender", message.sender.json(names)),
        ("message/\(first).receiver", message.receiver.json(names)),
      ]
    case .report:
      switch report(ReportID(index: a)) {
      case .none: return [("report/\(first).user", .null)]
      case .open(let report): return [("report/\(first).user", .string(names[report.user]))]
      case .closed(_, let outcome):
        return [("report/\(first).outcome", .string(outcome.rawValue))]
      }
    // No decision reads which notifications were read; hearts have no path.
    case .notifications, .heart: return []
    }
  }

  private func relationship(
    _ stream: StreamID, _ names: Names, for actor: UserID?
  ) -> (path: String, value: JSONValue) {
    let isReversed = actor?.index == stream.b
    let user = UserID(index: isReversed ? stream.b : stream.a)
    let other = UserID(index: isReversed ? stream.a : stream.b)
    let value: JSONValue =
      switch friendship(user, other) {
      case .none: .null
      case .friends: .string("friends")
      case .pending(let sender): .string(sender == user ? "requestSent" : "requestReceived")
      }
    return ("relationship/\(names.word(user))/\(names.word(other))", value)
  }

  private func membership(_ stream: StreamID, _ names: Names) -> (path: String, value: JSONValue) {
    let (group, user) = (GroupID(index: stream.a), UserID(index: stream.b))
    let path = "group/\(names.word(group))."
    let (list, isIn): (String, Bool)
    switch standing(group, user) {
    case .owner: return (path + "owner", .string(names[user]))
    case .none: (list, isIn) = ("members", false)
    case .member: (list, isIn) = ("members", true)
    case .requested: (list, isIn) = ("requested", true)
    case .invited: (list, isIn) = ("invited", true)
    case .admin: (list, isIn) = ("admins", true)
    }
    return (path + "\(list) contains \(names.word(user))", .bool(isIn))
  }
}

extension Names {
  fileprivate func word(_ id: AnyID) -> String { StatePath.word(self[id]) }
  fileprivate func word(_ id: some DenseID) -> String { StatePath.word(self[id]) }
}

extension Optional where Wrapped == UserID {
  fileprivate func json(_ names: Names) -> JSONValue { map { .string(names[$0]) } ?? .null }
}

extension UserID {
  fileprivate func json(_ names: Names) -> JSONValue { .string(names[self]) }
}
