import Events
import Projections

extension NaiveModel {
  private mutating func remove(_ workout: WorkoutID) {
    let owner = workouts[workout]?.owner
    gone.insert(workout)
    workouts[workout] = nil
    details[workout] = nil
    chups[workout] = nil
    bigs[workout] = nil
    reactions[workout] = nil
    for comment in threads[workout] ?? [] { remove(comment) }
    if owner != nil { for key in told.keys { told[key]?.removeAll { $0.workout == workout } } }
  }

  private mutating func remove(_ comment: CommentID) {
    seen.insert(comment)
    guard let remark = remarks[comment] else { return }
    remarks[comment] = nil
    threads[remark.workout]?.removeAll { $0 == comment }
    hearts[comment] = nil
  }

  mutating func applyWorkout(_ event: Event, _ moment: Moment) {
    let latest = moment.time.milliseconds + 2 * 86_400_000
    switch event {
    case .workout(.shared(let data)):
      guard !known.contains(data.workout), !gone.contains(data.workout),
        !deleted.contains(data.owner)
      else { return }
      known.insert(data.workout)
      order.append(data.workout)
      workouts[data.workout] = data
      placed[data.workout] = min(data.date.instant.milliseconds, latest)
    case .workout(.edited(let data)):
      guard var workout = workouts[data.workout] else { return }
      if let date = data.date {
        placed[data.workout] = min(date.instant.milliseconds, latest)
      }
      workout.date = data.date ?? workout.date
      workout.workoutType = patched(data.workoutType, workout.workoutType)
      workout.totalTime = patched(data.totalTime, workout.totalTime)
      workout.totalDistance = patched(data.totalDistance, workout.totalDistance)
      workout.averageSplit = patched(data.averageSplit, workout.averageSplit)
      workout.isErgTest = data.isErgTest ?? workout.isErgTest
      workout.audience = patched(data.audience, workout.audience)
      workout.intensityZone = patched(data.intensityZone, workout.intensityZone)
      workout.text = patched(data.text, workout.text)
      workout.session = patched(data.session, workout.session)
      workout.climb = patched(data.climb, workout.climb)
      workouts[data.workout] = workout
    case .workout(.detailAttached(let data)):
      if workouts[data.workout] != nil { details[data.workout] = data }
    case .workout(.removed(let data)): remove(data.workout)
    default: break
    }
  }

  mutating func applyChup(_ event: Event, _ moment: Moment) {
    switch event {
    case .chup(.given(let data)):
      if gone.contains(data.workout) || deleted.contains(data.user) { return }
      if chups[data.workout]?.contains(data.user) != true {
        chups[data.workout, default: []].append(data.user)
      }
      if data.big {
        bigs[data.workout, default: []].insert(data.user)
      } else {
        bigs[data.workout]?.remove(data.user)
      }
      guard let owner = workouts[data.workout]?.owner, owner != data.user else { return }
      told[owner]?.removeAll {
        $0.kind.hasPrefix("chup") && $0.user == data.user && $0.workout == data.workout
      }
      told[owner, default: []].append(
        Told(
          kind: "chup \(data.big)", user: data.user, seq: moment.seq, workout: data.workout))
    case .chup(.withdrawn(let data)):
      chups[data.workout]?.removeAll { $0 == data.user }
      bigs[data.workout]?.remove(data.user)
      guard let owner = workouts[data.workout]?.owner else { return }
      told[owner]?.removeAll {
        $0.kind.hasPrefix("chup") && $0.user == data.user && $0.workout == data.workout
      }
    default: break
    }
  }

  mutating func applyReaction(_ event: Event, _ moment: Moment) {
    guard case .reaction(let event) = event else { return }
    switch event {
    case .given(let data):
      if gone.contains(data.workout) || deleted.contains(data.user) { return }
      change(data) { $0.insert(ReactionKinds(data.kind)) }
      guard let owner = workouts[data.workout]?.owner, owner != data.user else { return }
      forget(data)
      told[owner, default: []].append(
        Told(kind: data.kind.rawValue, user: data.user, seq: moment.seq, workout: data.workout))
    case .withdrawn(let data):
      change(data) { $0.remove(ReactionKinds(data.kind)) }
      forget(data)
    }
  }

  private mutating func change(_ data: Reaction, _ body: (inout ReactionKinds) -> Void) {
    var all = reactions[data.workout] ?? []
    var mine = all.first { $0.user == data.user } ?? Reacted(user: data.user, kinds: [])
    body(&mine.kinds)
    if let at = all.firstIndex(where: { $0.user == data.user }) {
      all[at] = mine
    } else {
      all.append(mine)
    }
    reactions[data.workout] = all.filter { !$0.kinds.isEmpty }
  }

  private mutating func forget(_ data: Reaction) {
    guard let owner = workouts[data.workout]?.owner else { return }
    told[owner]?.removeAll {
      $0.kind == data.kind.rawValue && $0.user == data.user && $0.workout == data.workout
    }
  }

  mutating func applyComment(_ event: Event, _ moment: Moment) {
    switch event {
    case .comment(.posted(let data)):
      if let owner = workouts[data.workout]?.owner, toldOf[data.comment] == nil {
        toldOf[data.comment] = owner
        if owner != data.user, !deleted.contains(data.user) {
          told[owner, default: []].append(
            Told(
              kind: "comment", user: data.user, seq: moment.seq, workout: data.workout,
              comment: data.comment))
        }
        writers[data.comment] = (data.user, data.workout)
        if let author = data.replyTo.flatMap({ writers[$0]?.user }), author != owner {
          answered[data.comment] = author
          tell(author, "reply", data.user, moment, data.workout, data.comment)
        }
      }
      guard !seen.contains(data.comment), !gone.contains(data.workout),
        !deleted.contains(data.user)
      else { return }
      seen.insert(data.comment)
      remarks[data.comment] = Remark(
        workout: data.workout, user: data.user, text: data.text, replyTo: data.replyTo,
        time: moment.time)
      threads[data.workout, default: []].append(data.comment)
    case .comment(.edited(let data)): remarks[data.comment]?.text = data.text
    case .comment(.removed(let data)):
      remove(data.comment)
      if let owner = toldOf[data.comment] {
        told[owner]?.removeAll { $0.comment == data.comment && $0.kind == "comment" }
        if let author = answered[data.comment] {
          told[author]?.removeAll { $0.comment == data.comment && $0.kind == "reply" }
        }
        if let author = writers[data.comment]?.user {
          told[author]?.removeAll { $0.comment == data.comment && $0.kind == "heart" }
        }
        writers[data.comment] = nil
      }
    case .heart(.given(let data)):
      if let (author, workout) = writers[data.comment], !gone.contains(workout) {
        takeBack(data)
        tell(author, "heart", data.user, moment, workout, data.comment)
      }
      guard remarks[data.comment] != nil, !deleted.contains(data.user),
        hearts[data.comment]?.contains(data.user) != true
      else { return }
      hearts[data.comment, default: []].append(data.user)
    case .heart(.withdrawn(let data)):
      takeBack(data)
      hearts[data.comment]?.removeAll { $0 == data.user }
    default: break
    }
  }

  private mutating func takeBack(_ heart: Heart) {
    guard let author = writers[heart.comment]?.user else { return }
    told[author]?.removeAll {
      $0.kind == "heart" && $0.user == heart.user && $0.comment == heart.comment
    }
  }

  mutating func tell(
    _ told: UserID, _ kind: String, _ user: UserID, _ moment: Moment, _ workout: WorkoutID? = nil,
    _ comment: CommentID? = nil, _ group: GroupID? = nil
  ) {
    guard told != user, !deleted.contains(told), !deleted.contains(user) else { return }
    self.told[told, default: []].append(
      Told(
        kind: kind, user: user, seq: moment.seq, workout: workout, comment: comment, group: group))
  }

  mutating func delete(_ user: UserID) {
    for key in holders.keys { holders[key]?.removeAll { $0 == user } }
    deleted.insert(user)
    accounts[user] = nil
    followers[user] = nil
    following[user] = nil
    friends[user] = nil
    asked[user] = nil
    askedBy[user] = nil
    blocked[user] = nil
    for other in blocked.keys { blocked[other]?.removeAll { $0 == user } }
    told[user] = nil
    for other in followers.keys { followers[other]?.removeAll { $0 == user } }
    for other in following.keys { following[other]?.removeAll { $0 == user } }
    for other in friends.keys { friends[other]?.removeAll { $0 == user } }
    for other in asked.keys { asked[other]?.removeAll { $0 == user } }
    for other in askedBy.keys { askedBy[other]?.removeAll { $0 == user } }
    for other in told.keys {
      told[other]?.removeAll {
        $0.user == user && ["invitation", "approval"].contains($0.kind) == false
      }
    }
    leaveGroups(user)
    for (workout, shared) in workouts where shared.owner == user { remove(workout) }
    for workout in chups.keys { chups[workout]?.removeAll { $0 == user } }
    for workout in bigs.keys { bigs[workout]?.remove(user) }
    for workout in reactions.keys { reactions[workout]?.removeAll { $0.user == user } }
    for (comment, remark) in remarks where remark.user == user { remove(comment) }
    for comment in hearts.keys { hearts[comment]?.removeAll { $0 == user } }
  }

  /// Metres by user, then by audience as text, of the workouts whose date lies in a span.
  func meters(from start: Int64, to end: Int64) -> [UserID: [String: Int64]] {
    var meters: [UserID: [String: Int64]] = [:]
    for workout in workouts.values
    where (start..<end).contains(workout.date.instant.milliseconds) {
      guard let distance = workout.totalDistance, distance > 0 else { continue }
      let (audience, none) = (workout.audience?.rawValue ?? "unnamed", [String: Int64]())
      let sum = meters[workout.owner]?[audience] ?? 0
      let isTooMuch = sum > Int64.max - distance
      meters[workout.owner, default: none][audience] = isTooMuch ? .max : sum + distance
    }
    return meters
  }

  /// The workouts of some owners, ordered by the latest date, then by the last sharing. A date
  /// counts as at most two days after its event.
  func newest(of owners: [UserID]) -> [WorkoutID] {
    order.enumerated().compactMap { place, id in workouts[id].map { (place, $0) } }
      .filter { owners.contains($0.1.owner) }
      .sorted { (placed[$0.1.workout]!, $0.0) > (placed[$1.1.workout]!, $1.0) }
      .map(\.1.workout)
  }
}
