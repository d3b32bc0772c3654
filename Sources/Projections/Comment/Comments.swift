import Events

/// The comments on each workout, oldest first, with their hearts.
///
/// ```swift
/// comments.of(run)               // [hello, reply]
/// comments[reply]?.replyTo       // hello
/// comments.hearts(of: hello)     // users, newest first
/// ```
/// Removing a comment removes its hearts, but not the replies to it. Removing a workout or deleting
/// an account removes its comments and hearts.
/// - Complexity: O(1) per event; a removal costs O(the workout's comments + the hearts removed).
public struct Comments: Projection {
  public static let name = "comments"
  public static let version = 2
  public static let handles = Ownership.handles.union(.comment).union(.heart)

  /// A comment as last edited.
  public struct Comment: Equatable, Sendable {
    /// The workout that the comment is on.
    public var workout: WorkoutID
    /// The author of the comment.
    public var user: UserID
    /// The text after the last edit.
    public var text: String
    /// The time at which the comment was posted.
    public var time: Timestamp
    /// The comment that this one replies to; nil if it is not a reply.
    public var replyTo: CommentID?
  }

  private var states = Records<Removable<Comment>>()
  /// The comments by workout, oldest first.
  private var lists = Lists(blank: CommentID(index: 0))
  /// The comments by author.
  private var byUser = Lists(blank: CommentID(index: 0))
  /// The edges from each comment to the users who gave it a heart.
  private var hearts = Edges()
  var ownership = Ownership()
  private var made: UInt32 = 0

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .comment(let event): apply(event, moment)
    case .heart(let event): apply(event)
    case .workout(let event): removeAll(ownership.apply(event))
    case .accountDeleted(let data):
      removeAll(ownership.removeAccount(data.user))
      for comment in Array(byUser[data.user.index]) { remove(comment) }
      hearts.removeAll(to: data.user.index)
    default: break
    }
  }

  /// Removes the comments on workouts that are gone.
  private mutating func removeAll(_ workouts: [WorkoutID]) {
    for workout in workouts {
      for comment in Array(lists[workout.index]) { remove(comment) }
    }
  }

  public mutating func prefetch(_ event: borrowing Event) {
    switch event {
    case .heart(.given(let data)): hearts.prefetch(data.comment.index, data.user.index)
    case .comment(.posted(let data)):
      lists.prefetchEnd(of: data.workout.index)
      byUser.prefetchEnd(of: data.user.index)
    default: break
    }
  }

  private mutating func apply(_ event: CommentEvent, _ moment: Moment) {
    switch event {
    case .posted(let data): post(data, moment)
    case .edited(let data):
      guard var comment = self[data.comment] else { return }
      comment.text = data.text
      states[data.comment.index] = .present(comment)
    case .removed(let data): remove(data.comment)
    }
  }

  private mutating func apply(_ event: HeartEvent) {
    switch event {
    case .given(let data):
      guard isPresent(data.comment), !ownership.isGone(data.user),
        hearts.insert(data.comment.index, data.user.index, age: made)
      else { return }
      made += 1
    case .withdrawn(let data): hearts.remove(data.comment.index, data.user.index)
    }
  }

  /// Returns whether there is such a comment, without decoding its text.
  private func isPresent(_ id: CommentID) -> Bool {
    states.read(id.index) { coder in Removable<Comment>.isPresent(&coder) } ?? false
  }

  private mutating func post(_ data: CommentPosted, _ moment: Moment) {
    guard !states.has(data.comment.index), !ownership.isGone(data.workout),
      !ownership.isGone(data.user)
    else { return }
    states[data.comment.index] = .present(
      Comment(
        workout: data.workout, user: data.user, text: data.text, time: moment.time,
        replyTo: data.replyTo))
    lists.append(data.comment, to: data.workout.index)
    byUser.append(data.comment, to: data.user.index)
  }

  private mutating func remove(_ id: CommentID) {
    if let comment = self[id] {
      lists.removeAll(in: comment.workout.index) { $0 == id }
      byUser.removeAll(in: comment.user.index) { $0 == id }
      hearts.removeAll(from: id.index)
    }
    states[id.index] = .removed
  }

  public mutating func code(with coder: inout StateCoder) {
    states.code(with: &coder)
    lists.code(with: &coder)
    byUser.code(with: &coder)
    hearts.code(with: &coder)
    ownership.code(with: &coder)
    coder(&made)
  }

  /// The comment with this id; nil if it was removed or never posted.
  public subscript(id: CommentID) -> Comment? { states[id.index]?.value }

  /// Returns the workout's comments, oldest first.
  public func of(_ workout: WorkoutID) -> [CommentID] { Array(lists[workout.index]) }

  /// Returns the user's comments, oldest first.
  func by(_ user: UserID) -> [CommentID] { Array(byUser[user.index]) }

  /// Returns the comments to which the user gave a heart, newest heart first.
  func hearted(by user: UserID) -> [CommentID] {
    hearts.to(user.index).map { CommentID(index: $0) }
  }

  /// Returns the users who gave the comment a heart, newest first.
  public func hearts(of comment: CommentID) -> Users { Users(hearts.from(comment.index)) }

  /// Returns whether the user gave the comment a heart.
  public func isHearted(_ comment: CommentID, by user: UserID) -> Bool {
    hearts.contains(comment.index, user.index)
  }

  /// Returns nil if each comment is listed once, under its workout, and neither removed workouts
  /// nor deleted accounts have comments or hearts; otherwise describes the fault.
  public func brokenInvariant(_ names: Names) -> String? {
    if let broken = hearts.brokenInvariant { return broken }
    var listed = 0
    for index in lists.indices {
      for id in lists[index] {
        listed += 1
        if self[id]?.workout.index != index {
          return "\(names[id]) is listed for \(names[WorkoutID(index: index)]), not its own"
        }
      }
    }
    var posted = 0
    for index in states.indices {
      let id = CommentID(index: index)
      guard let comment = self[id] else {
        if !hearts(of: id).isEmpty { return "\(names[id]) is not there and has hearts" }
        continue
      }
      posted += 1
      if ownership.isGone(comment.workout) || ownership.isGone(comment.user) {
        return "\(names[id]) is there, but its workout or its author is gone"
      }
    }
    return posted == listed ? nil : "\(posted) comments are there and \(listed) listed"
  }
}

extension Comments.Comment: Storable {
  public static var blank: Self {
    let (workout, user) = (WorkoutID(index: 0), UserID(index: 0))
    return Self(workout: workout, user: user, text: "", time: .earliest, replyTo: nil)
  }

  public mutating func code(with coder: inout RecordCoder) {
    coder(&workout)
    coder(&user)
    coder(&text)
    coder(&time)
    coder(&replyTo)
  }
}

extension StatePath.Kind {
  /// The paths `comment/COMMENT.MEMBER`: one for each field of a comment, and its hearts.
  public static let comment = StatePath.Kind(
    "comment", ".text, .user, .replyTo; .hearts: users who liked it", of: ["COMMENT"],
    members: [
      "workout": .id(of: .workout), "user": .id(of: .user), "text": .text, "time": .text,
      "replyTo": .id(of: .comment), "hearts": .list(of: .user).set(by: .heart),
    ],
    types: Comments.handles, sources: [.comment, .hearts],
    leads: [.commentPosted: [.comment, .workout]])

  /// The path `comments/WORKOUT`: the comments on a workout.
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

extension Reading {
  /// Returns the workout's comments.
  public func comments(on workout: WorkoutID) -> [CommentID] {
    read(.comments, workout) { $0.comments.of(workout) }
  }

  /// Returns the comment; nil if it was removed or never posted.
  public func comment(_ id: CommentID) -> Comments.Comment? {
    read(.comment, id) { $0.comments[id] }
  }

  /// Returns the users who gave the comment a heart.
  public func hearts(of comment: CommentID) -> Users {
    read(.comment, comment) { $0.comments.hearts(of: comment) }
  }

  /// Returns whether the user gave the comment a heart.
  public func isHearted(_ comment: CommentID, by user: UserID) -> Bool {
    read(.comment, comment) { $0.comments.isHearted(comment, by: user) }
  }
}
