import Events

// Notifications of comments, replies and hearts, and their removal with a workout.
extension Notifications {
  /// The author and the workout of a comment.
  struct Post: BitwiseCopyable, Sendable {
    static let none = Post(number: 0, workout: WorkoutID(index: 0))

    /// The author's number plus one; 0 for no comment.
    private var number: UInt32
    var workout: WorkoutID
    var author: UserID? { number == 0 ? nil : UserID(index: number - 1) }

    private init(number: UInt32, workout: WorkoutID) {
      (self.number, self.workout) = (number, workout)
    }
    init(author: UserID, workout: WorkoutID) {
      self.init(number: author.index + 1, workout: workout)
    }
  }

  mutating func apply(_ event: CommentEvent, _ moment: Moment) {
    switch event {
    case .posted(let data):
      guard let owner = ownership.owner(of: data.workout), told[data.comment.index] == 0 else {
        return
      }
      told[data.comment.index] = owner.index + 1
      if let seq = tell(owner, .comment(data.comment, data.workout), by: data.user, moment) {
        comments[data.comment.index] = seq
      }
      posts[data.comment.index] = Post(author: data.user, workout: data.workout)
      if data.user != owner { posters.append(data.user, to: data.workout.index) }
      // The owner gets one notification of a comment, even if it answers the owner's own comment.
      if let parent = data.replyTo, let author = posts[parent.index].author, author != owner,
        let seq = tell(author, .reply(data.comment, data.workout), by: data.user, moment)
      {
        // In an import a reply and the comment that it answers may be on different workouts.
        posters.append(author, to: data.workout.index)
        replies[data.comment.index] = seq
        repliedTo[data.comment.index] = author
      }
    case .removed(let data):
      let comment = data.comment
      guard told[comment.index] > 0 else { return }
      remove(comments[comment.index], from: UserID(index: told[comment.index] - 1))
      if replies[comment.index] > 0 {
        remove(replies[comment.index], from: repliedTo[comment.index])
      }
      if let author = posts[comment.index].author {
        lists.removeAll(in: author.index) { $0.isHeart(on: comment) }
      }
      posts[comment.index] = .none
    case .edited: break
    }
  }

  /// Returns the user who was notified that the comment answers their own; nil if nobody was.
  func answered(by comment: CommentID) -> UserID? {
    replies[comment.index] > 0 ? repliedTo[comment.index] : nil
  }

  mutating func apply(_ event: HeartEvent, _ moment: Moment) {
    switch event {
    case .given(let data):
      guard let author = takeBack(data) else { return }
      let workout = posts[data.comment.index].workout
      if let seq = tell(author, .heart(data.comment, workout), by: data.user, moment) {
        hearts.set(KeyTable.key(data.comment.index, data.user.index), seq)
      }
    case .withdrawn(let data): _ = takeBack(data)
    }
  }

  /// Removes a heart's notification and returns the comment's author; nil if the comment is gone.
  private mutating func takeBack(_ heart: Heart) -> UserID? {
    let post = posts[heart.comment.index]
    guard let author = post.author, !ownership.isGone(post.workout) else { return nil }
    takeBack(hearts.take(KeyTable.key(heart.comment.index, heart.user.index)), from: author)
    return author
  }

  mutating func apply(_ event: WorkoutEvent) {
    switch event {
    case .removed(let data):
      if let owner = ownership.owner(of: data.workout) {
        lists.removeAll(in: owner.index) { $0.isAbout(data.workout) }
      }
      remove(data.workout)
    case .shared, .edited, .detailAttached: break
    }
    _ = ownership.apply(event)
  }

  /// Removes the notifications of a workout from the users who commented on it.
  mutating func remove(_ workout: WorkoutID) {
    for author in Set(posters[workout.index]) {
      lists.removeAll(in: author.index) { $0.isAbout(workout) }
    }
    posters.removeAll(in: workout.index)
  }
}
