import Aggregates
import Events
import FaultTesting
import PropertyTesting
import Testing
import UseCases
import UseCasesTesting

/// Conditions that hold for any request to a core.
@Suite struct RequestPropertiesTests {
  private static let photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())

  /// Error codes that no use case lists, because any of them may return these.
  private static let common: Set<String> = ["invalidInput", "timeGoesBack", "unauthorized"]

  @Test(
    "A refusal has a declared code and appends nothing; a success is allowed by the rules")
  func requests() async throws {
    try await check(
      runs: Sweep.size(75, 450, 15_000),
      covering: ["done": 0.7, "refused": 0.7, "friends": 0.2, "a comment": 0.2]
    ) { t in
      let environment = TestClock().environment
      let log = try await t.draw(.history(max: 60), "history").log(environment)
      let core = try await Core(log, environment: environment)
      for request in t.draw(.array(of: .request(users: 5), 0...60), "requests") {
        let before = await log.head()
        let reply = await core.perform([request], photos: Self.photos)[0]
        let entry = try #require(Registry.find(request.name))
        let after = await log.head()
        switch reply.result {
        case .failure(let error):
          t.label("refused")
          t.reach("\(request.name) \(error.code)")
          #expect(after == before && reply.seqs.isEmpty)
          #expect(
            entry.about.errors.contains(error.code) || Self.common.contains(error.code),
            "\(request.name): \(error.code)")
        case .success:
          t.label("done")
          t.reach(request.name)
          #expect(UInt64(reply.seqs.count) == after - before)
          #expect(entry.writes || after == before)
        }
        #expect(core.position == after)
      }
      let check = try Check(log.view())
      #expect(check.findings == [])
      #expect(check.brokenInvariant == nil)
      try Self.expectOwners(log.view())
      for event in await log.read(after: 0, limit: .max) {
        t.label("friends", if: event.type == "FriendRequestAccepted")
        t.label("a comment", if: event.type == "CommentPosted")
      }
    }
  }

  /// Checks that each event's actor is its owner; a workout's owner may also remove comments.
  private static func expectOwners(_ view: LogView) throws {
    var (names, owners, authors) = (Names(), [WorkoutID: UserID](), [CommentID: UserID]())
    var places: [CommentID: WorkoutID] = [:]
    var blocks: Set<[UserID]> = []
    var groups: [GroupID: UserID] = [:]
    try view.forEachTypedEvent(&names) { event, actor, moment in
      let owner: UserID?
      switch copy event {
      case .workout(.shared(let data)):
        owners[data.workout] = data.owner
        owner = data.owner
      case .workout(.edited(let data)): owner = owners[data.workout]
      case .workout(.detailAttached(let data)): owner = owners[data.workout]
      case .workout(.removed(let data)): owner = owners[data.workout]
      case .comment(.posted(let data)):
        authors[data.comment] = data.user
        places[data.comment] = data.workout
        owner = data.user
      case .comment(.edited(let data)): owner = authors[data.comment]
      case .comment(.removed(let data)):
        let host = places[data.comment].flatMap { owners[$0] }
        owner = actor.id == host ? host : authors[data.comment]
      case .friendship(.accepted(let data)), .friendship(.rejected(let data)):
        owner = data.receiver
      case .block(.blocked(let data)):
        blocks.insert([data.user, data.other])
        owner = data.user
      case .follow(.unfollowed(let edge)):
        // A block also ends the other user's follow.
        let isBlocked = blocks.contains([edge.followee, edge.follower])
        owner = isBlocked && actor.id == edge.followee ? edge.followee : edge.follower
      case .profile(.premiumRecorded), .report(.closed): owner = actor.isService ? actor.id : nil
      case .group(.created(let data)):
        groups[data.group] = data.owner
        owner = data.owner
      case .group(.transferred(let data)):
        owner = groups[data.group]
        groups[data.group] = data.owner
      case .group(.edited(let data)): owner = groups[data.group]
      case .group(.deleted(let data)): owner = groups[data.group]
      case .member(.roleSet(let data)): owner = groups[data.group]
      // Admins may also invite, approve and remove.
      case .member: owner = actor.id
      case let other: owner = other.users.first
      }
      #expect(owner == actor.id, "event \(moment.seq)")
    }
  }

  @Test("A core that reopens a log has the same state as the core that wrote it")
  func reopened() async throws {
    try await check(runs: Sweep.size(30, 90, 6_000)) { t in
      let environment = TestClock().environment
      let log = try await t.draw(.history(max: 60), "history").log(environment)
      let core = try await Core(log, environment: environment)
      let requests = t.draw(.array(of: .request(users: 5, isCommand: true), 0...60), "requests")
      _ = await core.perform(requests, photos: Self.photos)
      let anew = try await Core(log, environment: environment)
      for question in t.draw(.array(of: .request(users: 5), 20...20), "questions")
      where Registry.find(question.name)?.writes == false {
        let replies = (
          await core.perform([question], photos: Self.photos),
          await anew.perform([question], photos: Self.photos)
        )
        #expect(replies.0 == replies.1)
      }
    }
  }

  @Test(
    "After every event handles are unique, a chup's giver sees the workout, and counts equal edges")
  func laws() async throws {
    try await check(
      runs: Sweep.size(200, 600, 20_000), covering: ["a chup of a friend": 0.05]
    ) { t in
      let history = t.draw(.history(max: 80), "history")
      var (handles, friends) = ([UserID: String](), Set<Set<UserID>>())
      var open: Set<UserID> = []
      var (items, follows) = ([WorkoutID: WorkoutShared](), Set<[UserID]>())
      var blocks: Set<Set<UserID>> = []
      for (index, entry) in history.entries.enumerated() {
        switch entry.event {
        case .profile(.created(let data)):
          handles[data.user] = data.handle?.lowercased()
          if data.isPublic { open.insert(data.user) }
        case .profile(.edited(let data)):
          data.handle.apply(to: &handles[data.user])
          handles[data.user] = handles[data.user]?.lowercased()
          if data.isPublic == true { open.insert(data.user) }
          if data.isPublic == false { open.remove(data.user) }
        case .accountDeleted(let data):
          handles[data.user] = nil
          open.remove(data.user)
          friends = friends.filter { !$0.contains(data.user) }
          follows = follows.filter { !$0.contains(data.user) }
        case .friendship(.accepted(let data)): friends.insert([data.sender, data.receiver])
        case .friendship(.removed(let data)): friends.remove([data.user, data.friend])
        case .workout(.shared(let data)): items[data.workout] = data
        case .workout(.edited(let data)): items[data.workout]?.apply(data)
        case .block(.blocked(let data)): blocks.insert([data.user, data.other])
        case .block(.unblocked(let data)):
          let stands = history.entries[..<index].last {
            $0.event.isBlock(of: data.user, by: data.other)
          }
          if stands == nil || stands?.event.type == .userUnblocked {
            blocks.remove([data.user, data.other])
          }
        case .follow(.followed(let edge)):
          #expect(follows.insert([edge.follower, edge.followee]).inserted)
        case .follow(.unfollowed(let edge)):
          #expect(follows.remove([edge.follower, edge.followee]) != nil)
        case .chup(.given(let chup)):
          let item = try #require(items[chup.workout])
          let owner = item.owner
          let isFriend = friends.contains([owner, chup.user])
          let mayFollow = follows.contains([chup.user, owner]) && open.contains(owner)
          let isSeen =
            switch item.audience {
            case .private: false
            case .friends: isFriend
            case .followers, nil: isFriend || mayFollow
            case .public: isFriend || open.contains(owner)
            }
          #expect(owner == chup.user || isSeen && !blocks.contains([owner, chup.user]))
          #expect(handles[owner] != nil && handles[chup.user] != nil)
          t.label("a chup of a friend", if: owner != chup.user)
        default: break
        }
        #expect(Set(handles.values).count == handles.count, "after event \(index + 1)")
      }
      let core = try await Core(history.log())
      for (user, handle) in handles {
        let name = history.names[user]
        let found = try await SearchProfiles(core).execute(
          .init(query: handle, limit: 50), as: .service("test"))
        #expect(found.contains { $0.user == name } == open.contains(user), "\(name) in search")
        let counts = try await GetFollowCounts(core).execute(
          .init(user: name), as: .service("test"))
        #expect(counts.followers == follows.count { $0[1] == user })
        #expect(counts.following == follows.count { $0[0] == user })
        for other in handles.keys where other != user {
          let relationship = try await GetRelationship(core).execute(
            .init(other: history.names[other]), as: Caller(name))
          #expect(
            (relationship == .friends)
              == (friends.contains([user, other]) && !blocks.contains([user, other])))
        }
      }
    }
  }
}

extension Event {
  /// Whether this begins or ends a user's block by another.
  fileprivate func isBlock(of other: UserID, by user: UserID) -> Bool {
    guard case .block(let event) = self else { return false }
    switch event {
    case .blocked(let block), .unblocked(let block):
      return block == Block(user: user, other: other)
    }
  }
}
