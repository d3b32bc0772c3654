import Events

/// Numbers that a reading adds to the lengths of lists, for state that has only some of the edges.
///
/// A personal log has no edges between other people, only the numbers of their followers, chups and
/// so on. A core has no remainders.
package struct Remainders: Sendable {
  /// A kind of number. The ids are those of users, workouts, comments or groups.
  package enum Kind: UInt8, CaseIterable, Sendable {
    case followers, following, friends, sends
    case chups, bigChups, comments
    case fire, strong, clap, wow, laugh
    case hearts, members
  }

  private var numbers: [UInt64: Int] = [:]

  package init() {}

  package subscript(kind: Kind, id: some DenseID) -> Int {
    get { numbers[UInt64(kind.rawValue) << 32 | UInt64(id.index)] ?? 0 }
    set { numbers[UInt64(kind.rawValue) << 32 | UInt64(id.index)] = newValue }
  }
}

extension Remainders.Kind {
  package init(_ kind: ReactionKind) {
    self =
      switch kind {
      case .fire: .fire
      case .strong: .strong
      case .clap: .clap
      case .wow: .wow
      case .laugh: .laugh
      }
  }
}

// The numbers that answers show. They count what a personal log leaves out.
extension Reading {
  private func rest(_ kind: Remainders.Kind, _ id: some DenseID) -> Int {
    remainders.map { $0[kind, id] } ?? 0
  }

  /// Returns the number of the user's followers.
  public func followerCount(of user: UserID) -> Int {
    followers(of: user).count + rest(.followers, user)
  }

  /// Returns the number of users whom the user follows.
  public func followingCount(of user: UserID) -> Int {
    following(of: user).count + rest(.following, user)
  }

  /// Returns the number of the user's friends.
  public func friendCount(of user: UserID) -> Int {
    friends(of: user).count + rest(.friends, user)
  }

  /// Returns the number of climbs that the user logged.
  public func sendCount(of user: UserID) -> Int {
    (profile(of: user)?.sendCount ?? 0) + rest(.sends, user)
  }

  /// Returns the number of the workout's chups.
  public func chupCount(of workout: WorkoutID) -> Int {
    chups(of: workout).count + rest(.chups, workout)
  }

  /// Returns the number of big chups of the workout.
  public func bigChupCount(of workout: WorkoutID) -> Int {
    read(.chups, workout) { $0.chups.bigCount(of: workout) } + rest(.bigChups, workout)
  }

  /// Returns the number of comments on the workout.
  public func commentCount(on workout: WorkoutID) -> Int {
    comments(on: workout).count + rest(.comments, workout)
  }

  /// Returns the number of the workout's reactions of a kind.
  public func reactionCount(_ workout: WorkoutID, _ kind: ReactionKind) -> Int {
    read(.reactions, workout) { $0.reactions.count(workout, kind) }
      + rest(Remainders.Kind(kind), workout)
  }

  /// Returns the number of hearts given to the comment.
  public func heartCount(of comment: CommentID) -> Int {
    hearts(of: comment).count + rest(.hearts, comment)
  }

  /// Returns the number of the group's members.
  public func memberCount(of group: GroupID) -> Int {
    members(of: group).count + rest(.members, group)
  }
}
