import Events

extension HistoryGenerator {
  mutating func postComment(_ names: inout Names) -> Act? {
    guard let (workout, user) = visit() else { return nil }
    let number = world.comments.count
    guard number < PairStates.firstLimit, let comment = try? names.comment("c\(number + 1)") else {
      return nil
    }
    let text = Texts.comment(&random)
    world.comments.append(
      CommentMarks(
        id: comment, workout: UInt32(workout), author: UInt32(user), text: fingerprint(text)))
    let last = Int(world.workouts[workout].lastComment) - 1
    let answers =
      last >= 0 && world.exists(comment: last) && random.oneIn(3)
      && !world.isBlocked(user, Int(world.comments[last].author))
    world.workouts[workout].lastComment = UInt32(number + 1)
    let data = CommentPosted(
      comment: comment, workout: world.workouts[workout].id, user: id(user), text: text,
      replyTo: answers ? world.comments[last].id : nil)
    return Act(event: .comment(.posted(data)), user: user)
  }

  mutating func editComment() -> Act? {
    guard let comment = someComment() else { return nil }
    let marks = world.comments[comment]
    guard world.sees(Int(marks.author), workout: Int(marks.workout)) else { return nil }
    let text = Texts.comment(&random)
    guard fingerprint(text) != marks.text else { return nil }
    world.comments[comment].text = fingerprint(text)
    let data = CommentEdited(comment: marks.id, text: text)
    return Act(event: .comment(.edited(data)), user: Int(marks.author))
  }

  /// The author deletes a comment or, one time in four, the workout's owner does.
  mutating func removeComment() -> Act? {
    guard let comment = someComment() else { return nil }
    let marks = world.comments[comment]
    let remover = Int(random.oneIn(4) ? world.workouts[Int(marks.workout)].owner : marks.author)
    guard world.sees(remover, workout: Int(marks.workout)) else { return nil }
    world.comments[comment].isRemoved = true
    return Act(event: .comment(.removed(CommentReference(comment: marks.id))), user: remover)
  }

  mutating func heart() -> Act? {
    for _ in 0..<8 {
      guard let comment = someComment(),
        let user = visitor(of: Int(world.comments[comment].workout)),
        world.hearts[comment, user] != GeneratedWorld.HeartState.hearted,
        !world.isBlocked(user, Int(world.comments[comment].author))
      else { continue }
      world.hearts[comment, user] = GeneratedWorld.HeartState.hearted
      let data = Heart(comment: world.comments[comment].id, user: id(user))
      return Act(event: .heart(.given(data)), user: user)
    }
    return nil
  }

  mutating func unheart() -> Act? {
    let hearted = GeneratedWorld.HeartState.hearted
    guard let (comment, user) = world.hearts.sample(hearted...hearted, &random),
      world.exists(comment: comment),
      world.sees(user, workout: Int(world.comments[comment].workout))
    else { return nil }
    world.hearts[comment, user] = GeneratedWorld.HeartState.ended
    let data = Heart(comment: world.comments[comment].id, user: id(user))
    return Act(event: .heart(.withdrawn(data)), user: user)
  }

  /// An existing comment, often a recent one.
  @inline(__always)
  private mutating func someComment() -> Int? {
    let count = world.comments.count
    guard count > 0 else { return nil }
    let comment = count - 1 - random.skewed(count)
    return world.exists(comment: comment) ? comment : nil
  }
}
