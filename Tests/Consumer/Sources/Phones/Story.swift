import EventlogClient

/// Two people, each with a phone, who are off line much of the time.
struct Story: Sendable {
  let ann: Person
  let ben: Person

  func run() async throws(UseCaseError) {
    print("\(ann.user) and \(ben.user) have synced")
    try await becomeFriends()
    let (project, boulders) = try await postWorkouts()
    try await react(to: project, boulders)
    try await quarrel(about: project, boulders)
    try await makeUp()
    try await showWidget(of: boulders)
  }

  /// One request and one acceptance. The acceptance is decided off line.
  private func becomeFriends() async throws(UseCaseError) {
    let found = try await ann.phone.answer(SearchProfiles.self, .init(query: ben.user))
    print("\(ann.user) finds \(found.value.compactMap(\.handle).joined(separator: ", "))")
    // The phone does not hold the profile of a stranger, so the server performs this command.
    try await ann.perform(SendFriendRequest.self, .init(receiver: ben.user))
    try await showRelationship(of: ann, to: ben)
    ann.goOffLine()
    try await ben.sync()
    try await showRelationship(of: ben, to: ann)
    ben.goOffLine()
    try await ben.perform(AcceptFriendRequest.self, .init(sender: ann.user))
    try await showRelationship(of: ben, to: ann)
    ben.goOnLine()
    try await ben.sync()
    try await showRelationship(of: ben, to: ann)
    ann.goOnLine()
    try await ann.sync()
    try await showRelationship(of: ann, to: ben)
  }

  /// Posts a workout for friends and one for everybody, and returns their ids.
  private func postWorkouts() async throws(UseCaseError) -> (project: String, boulders: String) {
    ben.goOffLine()
    let project = try await ben.perform(
      ShareWorkout.self, .init(date: .now, text: "A new project", audience: .friends))
    let boulders = try await ben.perform(
      ShareWorkout.self, .init(date: .now, text: "Ten boulders", audience: .public))
    print("\(ben.user) posts two workouts: \(ben.phone.pending.count) pending")
    ben.goOnLine()
    try await ben.sync()
    try await ann.sync()
    for id in [project, boulders] {
      let workout = try await ann.phone.answer(GetWorkout.self, .init(workout: id))
      print("\(ann.user) reads: \(workout.value.text ?? "")")
    }
    return (project, boulders)
  }

  /// Performs four commands off line. Each will have another kind of outcome.
  private func react(to project: String, _ boulders: String) async throws(UseCaseError) {
    ann.goOffLine()
    try await ann.perform(PostComment.self, .init(workout: project, text: "Strong!"))
    try await ann.perform(GiveChup.self, .init(workout: boulders))
    try await ann.perform(FollowUser.self, .init(followee: ben.user))
    try await ann.perform(UpdateProfile.self, .init(bio: .set("I climb on Sundays")))
    let comments = try await ann.phone.answer(GetComments.self, .init(workout: project))
    for comment in comments.value {
      let mark = comments.isPending(comment) ? " (pending)" : ""
      print("\(ann.user)'s phone: \(comment.handle ?? ""): \(comment.text)\(mark)")
    }
    try await showChups(of: boulders, ann.phone, "\(ann.user)'s phone")
  }

  /// Ends the friendship while the other person is off line.
  private func quarrel(about project: String, _ boulders: String) async throws(UseCaseError) {
    let follow = ann.connection.remote.useCase(FollowUser.self)
    _ = try await follow.execute(.init(followee: ben.user), as: Caller(ann.user))
    print("\(ann.user) follows \(ben.user) on another device")
    try await ben.perform(RemoveFriend.self, .init(friend: ann.user))
    try await ben.sync()
    ann.goOnLine()
    try await ann.sync()
    do throws(UseCaseError) {
      _ = try await ann.phone.answer(GetComments.self, .init(workout: project))
    } catch {
      print("\(ann.user)'s phone: the comments are gone: \(error.code)")
    }
    try await showChups(of: boulders, ann.phone, "\(ann.user)'s phone")
  }

  /// Both people ask at the same time, so the second request is refused, with advice.
  private func makeUp() async throws(UseCaseError) {
    ann.goOffLine()
    try await ann.perform(SendFriendRequest.self, .init(receiver: ben.user))
    try await showRelationship(of: ann, to: ben)
    try await ben.perform(SendFriendRequest.self, .init(receiver: ann.user))
    try await ben.sync()
    ann.goOnLine()
    try await ann.sync()
    try await showRelationship(of: ann, to: ben)
    try await ann.perform(AcceptFriendRequest.self, .init(sender: ben.user))
    try await ann.sync()
    try await showRelationship(of: ann, to: ben)
  }

  /// Opens the folder of a phone a second time, as a widget does. It reads and cannot write.
  private func showWidget(of boulders: String) async throws(UseCaseError) {
    let widget = try await OfflineStore(ann.folder, server: ann.connection, of: ann.user)
    try await showChups(of: boulders, widget, "\(ann.user)'s widget")
    ann.goOffLine()
    try await ann.perform(WithdrawChup.self, .init(workout: boulders))
    try await showChups(of: boulders, widget, "\(ann.user)'s widget")
    do throws(UseCaseError) {
      let chup = widget.useCase(GiveChup.self)
      _ = try await chup.execute(.init(workout: boulders), as: Caller(ann.user))
    } catch {
      print("\(ann.user)'s widget cannot write: \(error.code)")
    }
    ann.goOnLine()
    try await ann.sync()
    try await showChups(of: boulders, widget, "\(ann.user)'s widget")
  }

  private func showRelationship(
    of person: Person, to other: Person
  ) async throws(UseCaseError) {
    let answer = try await person.phone.answer(GetRelationship.self, .init(other: other.user))
    print("\(person.user)'s phone: \(answer.value)\(answer.isPending ? " (pending)" : "")")
  }

  private func showChups(
    of workout: String, _ phone: OfflineStore, _ name: String
  ) async throws(UseCaseError) {
    let answer = try await phone.answer(GetChups.self, .init(workout: workout))
    print("\(name): chups: \(answer.value.count)\(answer.isPending ? " (pending)" : "")")
  }
}
