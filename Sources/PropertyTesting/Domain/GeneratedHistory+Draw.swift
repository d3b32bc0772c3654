import Aggregates
import Events
import UseCases

extension Generator where Value == GeneratedHistory {
  /// A history that the domain allows, of events of any type: each event is one that a use case
  /// would have appended.
  ///
  /// The number of events is uniform, from none to `max`. A few users do most of it, and some are
  /// popular; they unfollow and follow again, end friendships and ask again, delete comments,
  /// workouts and accounts. Events come in bursts: by one user, at one user, or between two.
  /// `t.label(history)` shows how much of that a property has seen.
  /// - Parameters:
  ///   - max: the maximum number of events.
  ///   - users: the maximum number of users.
  ///   - texts: the texts in it.
  /// - Precondition: the rules have a sport.
  /// - Complexity: some microseconds per event.
  public static func history(
    max: Int, users: Int = 8, texts: Generator<String> = .text(), rules: Rules = .climb
  ) -> Self {
    history(0...max, users, texts, rules, isHostile: false)
  }

  /// A history of events that the domain may forbid: about deleted users and unknown workouts,
  /// repeated, out of order. Imported logs may be like this. Sizes, users and bursts are as in
  /// `history`.
  /// - Parameters:
  ///   - min: the minimum number of events.
  ///   - max: the maximum number of events.
  public static func hostileHistory(
    min: Int = 0, max: Int, users: Int = 6, texts: Generator<String> = .text()
  ) -> Self {
    history(min...max, users, texts, .climb, isHostile: true)
  }

  private static func history(
    _ count: ClosedRange<Int>, _ users: Int, _ texts: Generator<String>, _ rules: Rules,
    isHostile: Bool
  ) -> Self {
    Self { t in
      let (start, first) = (
        HistoryMaker(users: users, texts, rules, isHostile: isHostile, t), t.choices.count
      )
      var maker = start
      var rounds: [Range<Int>] = []
      let aim = t.improvise { maker.cast.habits.size(&$0, count) }
      t.counted(count, GeneratedHistory.self, aim: aim) {
        let first = t.choices.count
        guard maker.round(t) else { return false }
        rounds.append(first..<t.choices.count)
        return true
      }
      t.keep(
        DrawnHistory(
          start: start, history: maker.history, rounds: rounds, range: first..<t.choices.count))
      return maker.history
    }
  }
}

/// Draws what a user might do next.
struct Draft {
  let cast: Cast
  let texts: Generator<String>
  let rules: Rules

  func event(_ t: Trial) -> Event {
    let types = Habits.types
    let choice = t.span(EventType.self) {
      t.choose(upTo: UInt64(types.count - 1)) { random in
        UInt64(cast.habits.type(&random, accounts: cast.accounts))
      }
    }
    let type = possible(types[Int(choice)].type)
    switch type {
    case .app: preconditionFailure("habits are of the core's own types")
    case .profileCreated: return .profile(.created(created(t)))
    case .profileEdited: return .profile(.edited(edited(t)))
    case .profilePhotoSet:
      let path = "photos/\(t.draw(Generator<Int>.int(1...9)))"
      return .profile(
        .photoSet(
          ProfilePhotoSet(
            user: cast.user(t), url: path, path: path, bytes: t.draw(.int(1...5_242_880)),
            contentType: t.draw(.element(of: ["image/jpeg", "image/png"])))))
    case .profilePhotoRemoved: return .profile(.photoRemoved(reference(t, .profilePhotoSet)))
    case .baseLocationSet:
      return .profile(
        .baseLocationSet(
          BaseLocationSet(
            user: cast.user(t), latitude: t.draw(.double(-90...90)),
            longitude: t.draw(.double(-180...180)), name: t.draw(.optional(nameTexts)))))
    case .baseLocationCleared: return .profile(.baseLocationCleared(reference(t, .baseLocationSet)))
    case .sportSet:
      return .profile(
        .sportSet(
          SportSet(
            user: cast.user(t), sport: sport(t), level: t.draw(.element(of: SkillLevel.allCases)),
            isMentor: t.draw(.bool))))
    case .sportRemoved:
      return .profile(
        .sportRemoved(
          SportRemoved(user: cast.user(t, undoing: .sportSet), sport: sport(t))))
    case .sendLogged:
      return .profile(.sendLogged(SendLogged(user: cast.user(t), climb: t.draw(.id))))
    case .weeklyGoalSet: return .profile(.weeklyGoalSet(weeklyGoal(t)))
    case .premiumRecorded: return .profile(.premiumRecorded(premium(t)))
    case .accountDeleted: return .accountDeleted(reference(t))
    case .userFollowed: return .follow(.followed(cast.newFollow(t)))
    case .userUnfollowed: return .follow(.unfollowed(cast.follow(t)))
    case .friendRequested: return .friendship(.requested(cast.newRequest(t)))
    case .friendRequestCancelled: return .friendship(.cancelled(cast.request(t)))
    case .friendRequestAccepted: return .friendship(.accepted(cast.request(t)))
    case .friendRequestRejected: return .friendship(.rejected(cast.request(t)))
    case .friendRemoved:
      let (friendship, isSender) = (cast.friendship(t), t.draw(.bool))
      let (a, b) = (friendship.sender, friendship.receiver)
      return .friendship(.removed(FriendRemoved(user: isSender ? a : b, friend: isSender ? b : a)))
    case .userBlocked: return .block(.blocked(cast.newBlock(t)))
    case .userUnblocked: return .block(.unblocked(cast.block(t)))
    case .workoutShared, .workoutEdited, .workoutDetailAttached, .workoutRemoved, .chupGiven,
      .chupWithdrawn, .commentPosted, .commentEdited, .commentRemoved, .commentHearted,
      .commentUnhearted, .reactionGiven, .reactionWithdrawn:
      return workoutEvent(type, t)
    case .groupCreated, .groupEdited, .groupTransferred, .groupDeleted, .memberInvited,
      .memberRequested, .memberJoined, .memberLeft, .memberRemoved, .memberRoleSet:
      return groupEvent(type, t)
    case .messageSent, .messageRemoved, .conversationRead, .notificationsRead, .contentReported,
      .reportClosed:
      return messageEvent(type, t)
    }
  }

  /// The type, or one that must come before it.
  private func possible(_ type: EventType) -> EventType {
    if cast.isHostile { return type }
    if cast.open.isEmpty { return .profileCreated }
    switch type {
    case .userUnblocked where cast.blocks.isEmpty: return possible(.userBlocked)
    case .userUnfollowed where cast.follows.isEmpty: return possible(.userFollowed)
    case .friendRequestAccepted, .friendRequestRejected, .friendRequestCancelled:
      return cast.requests.isEmpty ? possible(.friendRequested) : type
    case .friendRemoved where cast.friends.isEmpty: return possible(.friendRequestAccepted)
    case .userFollowed, .friendRequested, .userBlocked:
      return cast.open.count < 2 ? .profileCreated : type
    case .workoutEdited, .workoutDetailAttached, .workoutRemoved, .chupGiven, .commentPosted,
      .reactionGiven:
      return cast.workouts.isEmpty ? .workoutShared : type
    case .chupWithdrawn where cast.chups.isEmpty: return possible(.chupGiven)
    case .reactionWithdrawn where cast.reactions.isEmpty: return possible(.reactionGiven)
    case .commentEdited, .commentRemoved, .commentHearted:
      return cast.comments.isEmpty ? possible(.commentPosted) : type
    case .groupEdited, .groupTransferred, .groupDeleted, .memberInvited, .memberRequested,
      .memberJoined, .memberLeft, .memberRemoved, .memberRoleSet:
      return cast.groups.isEmpty ? .groupCreated : type
    case .messageSent where cast.friends.isEmpty: return possible(.friendRequestAccepted)
    case .messageRemoved, .conversationRead:
      return cast.messages.isEmpty ? possible(.messageSent) : type
    case .reportClosed where cast.reports.isEmpty: return .contentReported
    case .commentUnhearted where cast.hearts.isEmpty: return possible(.commentHearted)
    default: return type
    }
  }

  private func workoutEvent(_ type: EventType, _ t: Trial) -> Event {
    switch type {
    case .workoutShared: return .workout(.shared(shared(t)))
    case .workoutEdited: return .workout(.edited(workoutEdited(t)))
    case .workoutDetailAttached: return .workout(.detailAttached(detail(t)))
    case .workoutRemoved: return .workout(.removed(WorkoutReference(workout: cast.workout(t))))
    case .chupGiven:
      let workout = cast.workout(t)
      return .chup(
        .given(
          ChupGiven(workout: workout, user: cast.viewer(t, of: workout), big: t.draw(.bool))))
    case .chupWithdrawn: return .chup(.withdrawn(cast.chup(t)))
    case .reactionGiven:
      let workout = cast.workout(t)
      return .reaction(
        .given(
          Reaction(
            workout: workout, user: cast.viewer(t, of: workout),
            kind: t.draw(.element(of: rules.reactions)))))
    case .reactionWithdrawn: return .reaction(.withdrawn(cast.reaction(t)))
    case .commentPosted:
      let workout = cast.workout(t)
      let there = cast.comments.filter { $0.workout == workout }.map(\.comment)
      let replies = cast.isHostile ? cast.commentIDs : there
      return .comment(
        .posted(
          CommentPosted(
            comment: cast.newComment(t), workout: workout, user: cast.viewer(t, of: workout),
            text: t.draw(texts),
            replyTo: replies.isEmpty ? nil : t.draw(.optional(.element(of: replies))))))
    case .commentEdited:
      return .comment(.edited(CommentEdited(comment: cast.comment(t), text: t.draw(texts))))
    case .commentRemoved: return .comment(.removed(CommentReference(comment: cast.comment(t))))
    case .commentHearted:
      let comment = cast.comment(t)
      let user = cast.workout(of: comment).map { cast.viewer(t, of: $0) } ?? cast.user(t)
      return .heart(.given(Heart(comment: comment, user: user)))
    default: return .heart(.withdrawn(cast.heart(t)))
    }
  }
}
