import Events

extension StatePath.Kind {
  /// `comment/COMMENT.MEMBER`.
  public static let comment = StatePath.Kind(
    "comment", ".text, .user, .replyTo; .hearts is who liked it", of: ["COMMENT"],
    members: [
      "workout": .id(of: .workout), "user": .id(of: .user), "text": .text, "time": .text,
      "replyTo": .id(of: .comment), "hearts": .list(of: .user).set(by: .heart),
    ],
    types: Comments.handles, sources: [.comment, .hearts],
    leads: [.commentPosted: [.comment, .workout]])

  /// `comments/WORKOUT`.
  public static let comments = StatePath.Kind(
    "comments", "its comments, oldest first", of: ["WORKOUT"], root: .list(of: .comment),
    types: Comments.handles,
    sources: [.workout, .posts], leads: [.commentPosted: [.comment, .workout]])
}

extension Comments: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.comment, .comments, .workout]

  public static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    func both(_ workout: WorkoutID) -> [Touch] {
      [.path(.comments, workout, names), .path(.workout, workout, names)]
    }
    func posted(_ event: Event) -> [Touch] {
      guard case .comment(.posted(let data)) = event else { return [] }
      return [.path(.comment, data.comment, names)] + both(data.workout)
    }
    switch event {
    case .workout(let event):
      return Event.workout(event).ids.only(WorkoutID.self).flatMap {
        both($0) + [.each(EventIndex.Key(.posts, $0), posted)]
      }
    case .comment(.posted): return posted(copy event)
    case .comment(.edited(let data)): return [.path(.comment, data.comment, names)]
    case .comment(.removed(let data)):
      return [.each(EventIndex.Key(.comment, data.comment), posted)]
    case .heart(let event):
      return Event.heart(event).ids.only(CommentID.self).map { .path(.comment, $0, names) }
    case .accountDeleted(let data):
      return [EventIndex.Role.owner, .giver].map { role in
        .each(EventIndex.Key(role, data.user)) { event in
          // The comment may have been posted on other workouts too.
          if case .comment(.posted(let data)) = event {
            return [.each(EventIndex.Key(.comment, data.comment), posted)]
          }
          return touches(event, names)
        }
      }
    default: return []
    }
  }

  public func facts(_ names: Names) -> [Fact] {
    names.workouts().flatMap { facts(about: $0, names) }
      + names.comments().flatMap { facts(about: $0, names) }
  }

  func facts(about id: WorkoutID, _ names: Names) -> [Fact] {
    let list = of(id)
    let count =
      list.isEmpty && ownership.owner(of: id) == nil
      ? nil : Fact(names.path("workout", id) + ".comments", .int(list.count))
    return [Fact(names.path("comments", id), list: list.map { names[$0] }), count]
      .compactMap { $0 }
  }

  func facts(about id: CommentID, _ names: Names) -> [Fact] {
    guard let comment = self[id] else { return [] }
    let path = names.path("comment", id)
    let hearts = Fact("\(path).hearts", list: names.list(hearts(of: id)))
    return Projections.facts(
      path,
      [
        ("workout", text(names[comment.workout])), ("user", text(names[comment.user])),
        ("text", text(comment.text)), ("time", text("\(comment.time)")),
        ("replyTo", text(comment.replyTo.map { names[$0] })),
      ]) + (hearts.map { [$0] } ?? [])
  }

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    switch path.kind {
    case .comment:
      guard let id = names.find(comment: path.ids[0]) else { return Values() }
      return Values(facts(about: id, names).filter { !$0.path.hasSuffix(".hearts") })
    case .workout:
      guard let id = names.find(workout: path.ids[0]) else { return Values() }
      return Values(facts(about: id, names).filter { path.contains($0.path) })
    default: return Values()
    }
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    switch path.kind {
    case .comment:
      guard let id = names.find(comment: path.ids[0]) else { return [] }
      let hearts = hearts(of: id)
      return [
        StateList(names.path("comment", id) + ".hearts", hearts, names) { isHearted(id, by: $0) }
      ]
    case .comments:
      guard let id = names.find(workout: path.ids[0]) else { return [] }
      let list = of(id)
      var found = StateList(
        names.path("comments", id), count: list.count, key: { UInt64(list[$0].index) },
        name: { names[CommentID(index: UInt32($0))] })
      found.isNewestFirst = false
      return [found]
    default: return []
    }
  }
}
