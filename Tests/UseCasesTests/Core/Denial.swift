import Aggregates
import Events
import Projections
import PropertyTesting
import UseCasesTesting

@testable import UseCases

/// The parts of a history that one viewer may not know at its end.
struct Denial {
  private let state: Replay<Views>
  private let reading: Reading
  private let rules: Rules
  private let viewer: Viewer
  private(set) var labels: Set<String> = []

  init(_ history: GeneratedHistory, to viewer: String?, _ rules: Rules) async throws {
    var state = Replay<Views>()
    try await state.run(try await history.log().view())
    (self.state, reading, self.rules) = (state, Reading(state.projection), rules)
    let user = viewer.flatMap { state.names.find(user: $0) }.flatMap {
      state.projection.profiles.isOpen($0) ? $0 : nil
    }
    self.viewer = user.map(Viewer.user) ?? .nobody
  }

  /// The history with other texts and numbers wherever the viewer may not know them.
  mutating func twin(of history: GeneratedHistory) -> GeneratedHistory {
    var twin = history
    for index in twin.entries.indices {
      let names = history.names
      switch twin.entries[index].event {
      case .profile(.created(var data)):
        hideRow(names[data.user], &data.handle, &data.displayName)
        twin.entries[index].event = .profile(.created(data))
      case .profile(.edited(var data)):
        hide(&data, names[data.user])
        twin.entries[index].event = .profile(.edited(data))
      case .profile(.photoSet(var data)) where !knowsWholeRow(of: names[data.user]):
        data.url = "https://example.org/denied"
        twin.entries[index].event = .profile(.photoSet(data))
      case .profile(.baseLocationSet(var data)) where !isCloseTo(names[data.user]):
        labels.insert("place")
        (data.latitude, data.longitude) = (1.5, 2.5)
        if visibility(names[data.user]) != .full { data.name = "denied" }
        twin.entries[index].event = .profile(.baseLocationSet(data))
      case .profile(.sendLogged(var data)) where visibility(names[data.user]) != .full:
        data.climb = "denied"
        twin.entries[index].event = .profile(.sendLogged(data))
      case .profile(.weeklyGoalSet(var data)) where !isViewer(names[data.user]):
        data.meters = 99_000
        twin.entries[index].event = .profile(.weeklyGoalSet(data))
      case .profile(.premiumRecorded(var data)) where !isViewer(names[data.user]):
        (data.product, data.expires) = ("denied", DateTime(.latest))
        twin.entries[index].event = .profile(.premiumRecorded(data))
      case .workout(let event):
        twin.entries[index].event = .workout(hidden(event, names))
      case .comment(.posted(var data)) where !knows(names[data.comment]):
        labels.insert("comment")
        data.text = "denied"
        twin.entries[index].event = .comment(.posted(data))
      case .group(.created(var data)) where !knows(group: names[data.group]):
        (data.name, data.description) = ("denied", "denied")
        twin.entries[index].event = .group(.created(data))
      case .group(.edited(var data)) where !knows(group: names[data.group]):
        if data.name != nil { data.name = "denied otherwise" }
        twin.entries[index].event = .group(.edited(data))
      case .conversation(.sent(var data)) where !knows(message: names[data.message]):
        data.text = "denied"
        twin.entries[index].event = .conversation(.sent(data))
      case .report(.reported(var data)):
        data.reason = "denied"
        twin.entries[index].event = .report(.reported(data))
      case .comment(.edited(var data)) where !knows(names[data.comment]):
        data.text = "denied otherwise"
        twin.entries[index].event = .comment(.edited(data))
      default: break
      }
    }
    return twin
  }

  private func isViewer(_ name: String) -> Bool {
    state.names.find(user: name).map { viewer == .user($0) } ?? false
  }

  /// Whether the viewer may see a user's base location, like friends.
  private func isCloseTo(_ name: String) -> Bool {
    guard case .user(let viewer) = viewer, let user = state.names.find(user: name) else {
      return false
    }
    return viewer == user || reading.areFriends(viewer, user)
  }

  /// Whether one of the viewer and a user blocks the other.
  func isBlocked(_ name: String) -> Bool {
    guard case .user(let viewer) = viewer, let user = state.names.find(user: name) else {
      return false
    }
    return reading.isBlocked(viewer, user)
  }

  func visibility(_ user: String) -> ProfileVisibility {
    state.names.find(user: user).map { rules.visibility(of: $0, viewer, reading) } ?? .hidden
  }

  func shared(_ workout: String) -> WorkoutShared? {
    state.names.find(workout: workout).flatMap { reading.workout($0) }
  }

  func knows(item workout: String) -> Bool {
    shared(workout).map { rules.sees($0.audience, of: $0.owner, viewer, reading) } ?? false
  }

  /// Whether a group exists and is public or the viewer's.
  private func knows(group: String) -> Bool {
    guard let id: GroupID = state.names.find(group), let found = reading.group(id) else {
      return false
    }
    guard case .user(let user) = viewer else { return found.isPublic }
    let standing = reading.standing(id, user)
    return found.isPublic || standing.isMember || standing == .invited
  }

  /// Whether the viewer sent or received a message that no block hides.
  private func knows(message: String) -> Bool {
    guard case .user(let user) = viewer, let id: MessageID = state.names.find(message),
      let sent = reading.message(id), sent.sender == user || sent.receiver == user
    else { return false }
    return sent.sender.map { !reading.isBlocked($0, sent.receiver) } ?? true
  }

  /// Whether a comment exists, on a visible item and by an author without a block.
  private func knows(_ comment: String) -> Bool {
    guard let id = state.names.find(comment: comment), let posted = reading.comment(id) else {
      return false
    }
    if case .user(let viewer) = viewer, reading.isBlocked(viewer, posted.user) {
      return false
    }
    return knows(item: state.names[posted.workout])
  }

  /// Whether the viewer is shown a user's handle and display name. A hidden user is shown in a
  /// request to the viewer, in the viewer's list of blocks, in a conversation or in a notification.
  private func knowsRow(of name: String) -> Bool {
    guard let user = state.names.find(user: name) else { return false }
    if rules.visibility(of: user, viewer, reading) != .hidden { return true }
    guard case .user(let viewer) = viewer, reading.isOpen(user) else { return false }
    return reading.pending(of: viewer).contains(user) || reading.blocked(by: viewer).contains(user)
      || reading.partners(of: viewer).contains(user) || isToldWith(user, viewer)
  }

  /// Whether a notification shows the user to the viewer: an invitation, a request or an approval.
  private func isToldWith(_ user: UserID, _ viewer: UserID) -> Bool {
    reading.notifications(of: viewer, limit: .max).contains {
      $0.user == user && $0.kind.group != nil
    }
  }

  /// Whether the viewer is also shown a user's photo and bio, like those of a user who sent the
  /// viewer a request.
  private func knowsWholeRow(of name: String) -> Bool {
    guard let user = state.names.find(user: name), visibility(name) != .full else { return true }
    guard case .user(let viewer) = viewer, reading.isOpen(user) else { return false }
    return reading.pending(of: viewer).contains(user)
  }

  private mutating func hideRow(_ user: String, _ handle: inout String?, _ name: inout String?) {
    guard !knowsRow(of: user) else { return }
    labels.insert("person")
    if handle != nil { handle = "denied_\(user)" }
    if name != nil { name = "Denied" }
  }

  private mutating func hide(_ data: inout ProfileEdited, _ user: String) {
    if !knowsRow(of: user) {
      labels.insert("person")
      if case .set = data.handle { data.handle = .set("denied_\(user)") }
      if case .set = data.displayName { data.displayName = .set("Denied") }
    }
    if !knowsWholeRow(of: user), case .set = data.bio { data.bio = .set("denied") }
    guard visibility(user) != .full else { return }
    if case .set = data.homeGym { data.homeGym = .set("denied") }
    if case .set = data.homeZIP { data.homeZIP = .set("denied") }
    if case .set = data.favoriteStyle { data.favoriteStyle = .set("denied") }
  }

  private mutating func hidden(_ event: WorkoutEvent, _ names: Names) -> WorkoutEvent {
    let workout =
      switch event {
      case .shared(let data): names[data.workout]
      case .edited(let data): names[data.workout]
      case .detailAttached(let data): names[data.workout]
      case .removed(let data): names[data.workout]
      }
    guard !knows(item: workout) else { return event }
    labels.insert("item")
    // Weekly metres and leaderboards count only what the viewer sees.
    if let item = shared(workout), item.totalDistance ?? 0 > 0 { labels.insert("number") }
    switch event {
    case .shared(var data):
      if data.workoutType != nil { data.workoutType = "denied" }
      if data.totalTime != nil { data.totalTime = "09:59.0" }
      if data.text != nil { data.text = "denied" }
      if data.session != nil { data.session = "denied" }
      if data.climb != nil { data.climb = "denied" }
      if data.totalDistance != nil { data.totalDistance = 77_777 }
      return .shared(data)
    case .edited(var data):
      if case .set = data.text { data.text = .set("denied") }
      if case .set = data.session { data.session = .set("denied") }
      if case .set = data.climb { data.climb = .set("denied") }
      if case .set = data.workoutType { data.workoutType = .set("denied") }
      if case .set = data.totalDistance { data.totalDistance = .set(88_888) }
      return .edited(data)
    case .detailAttached(var data):
      (data.intervals, data.image) = ([], "denied")
      return .detailAttached(data)
    case .removed: return event
    }
  }
}
