import Events

// What is told of comments, replies and hearts, and of workouts that are gone.
extension Notifications {
  /// Where a comment is, and who wrote it.
  struct Post: BitwiseCopyable, Sendable {
    static let none = Post(number: 0, workout: WorkoutID(index: 0))

    /// The author's and one; 0 for no comment.
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
      if tell(owner, .comment(data.comment, data.workout), by: data.user, moment) {
        comments[data.comment.index] = UInt32(truncatingIfNeeded: moment.seq)
      }
      posts[data.comment.index] = Post(author: data.user, workout: data.workout)
      if data.user != owner { posters.append(data.user, to: data.workout.index) }
      // The owner is told of every comment once.
      if let parent = data.replyTo, let author = posts[parent.index].author, author != owner,
        tell(author, .reply(data.comment, data.workout), by: data.user, moment)
      {
        // An import may have replies on other workouts than what they answer.
        posters.append(author, to: data.workout.index)
        replies[data.comment.index] = UInt32(truncatingIfNeeded: moment.seq)
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

  /// Who was told of a comment as a reply to theirs.
  func answered(by comment: CommentID) -> UserID? {
    replies[comment.index] > 0 ? repliedTo[comment.index] : nil
  }

  mutating func apply(_ event: HeartEvent, _ moment: Moment) {
    switch event {
    case .given(let data):
      guard let author = takeBack(data) else { return }
      if tell(
        author, .heart(data.comment, posts[data.comment.index].workout), by: data.user, moment)
      {
        hearts.set(
          KeyTable.key(data.comment.index, data.user.index), UInt32(truncatingIfNeeded: moment.seq))
      }
    case .withdrawn(let data): _ = takeBack(data)
    }
  }

  /// - Returns: who has been told of it; nil if the comment is gone.
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

  /// Removes what those who commented on a workout are told of.
  mutating func remove(_ workout: WorkoutID) {
    for author in Set(posters[workout.index]) {
      lists.removeAll(in: author.index) { $0.isAbout(workout) }
    }
    posters.removeAll(in: workout.index)
  }
}
