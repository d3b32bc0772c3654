import Events

extension StatePath.Kind {
  /// The paths `comment/COMMENT.MEMBER`.
  public static let comment = StatePath.Kind(
    "comment", ".text, .user, .replyTo; .hearts: users who liked it", of: ["COMMENT"],
    members: [
      "workout": .id(of: .workout), "user": .id(of: .user), "text": .text, "time": .text,
      "replyTo": .id(of: .comment), "hearts": .list(of: .user).set(by: .heart),
    ],
    types: Comments.handles, sources: [.comment, .hearts],
    leads: [.commentPosted: [.comment, .workout]])

  /// The path `comments/WORKOUT`.
  public static let comments = StatePath.Kind(
    "comments", "comments on the workout, oldest first", of: ["WORKOUT"], root: .list(of: .comment),
    types: Comments.handles,
    sources: [.workout, .posts], leads: [.commentPosted: [.comment, .workout]])
}

extension Comments: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.comment, .comments, .workout]

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    if path.kind == .comment {
      guard let id = names.find(comment: path.ids[0]), let comment = self[id] else {
        return Values()
      }
      return Values(
        names.path("comment", id),
        [
          ("workout", text(names[comment.workout])), ("user", text(names[comment.user])),
          ("text", text(comment.text)), ("time", text("\(comment.time)")),
          ("replyTo", text(comment.replyTo.map { names[$0] })),
        ])
    }
    guard path.kind == .workout, let id = names.find(workout: path.ids[0]) else { return Values() }
    let count = of(id).count
    guard count > 0 || ownership.owner(of: id) != nil else { return Values() }
    return Values(Fact(names.path("workout", id) + ".comments", .int(count)))
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
      var found = StateList(names.path("comments", id), ids: of(id), names)
      found.isNewestFirst = false
      return [found]
    default: return []
    }
  }
}
