import Events

/// The comments on each workout, oldest first, with their hearts.
///
/// ```swift
/// comments.of(run)               // [hello, reply]
/// comments[reply]?.replyTo       // hello
/// comments.hearts(of: hello)     // users, newest first
/// ```
/// Removing a comment removes its hearts; replies to it stay. Removing a workout or deleting an
/// account removes its comments and hearts.
/// - Complexity: O(1) per event; a removal costs the workout's comments and the hearts removed.
public struct Comments: Projection {
  public static let name = "comments"
  public static let version = 2
  public static let handles = Ownership.handles.union(.comment).union(.heart)

  public struct Comment: Equatable, Sendable {
    public var workout: WorkoutID
    public var user: UserID
    public var text: String
    public var time: Timestamp
    public var replyTo: CommentID?
  }

  enum State: Equatable, Sendable {
    case removed
    case posted(Comment)
  }

  var states = Records<State>()
  /// By workout, oldest first.
  var lists = Lists(blank: CommentID(index: 0))
  /// By author.
  var byUser = Lists(blank: CommentID(index: 0))
  /// From comment to user.
  var hearts = Edges()
  var ownership = Ownership()
  private var made: UInt32 = 0

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .comment(let event): apply(event, moment)
    case .heart(let event): apply(event)
    case .workout(let event): drop(ownership.apply(event))
    case .accountDeleted(let data):
      drop(ownership.removeAccount(data.user))
      for comment in Array(byUser[data.user.index]) { remove(comment) }
      hearts.removeAll(to: data.user.index)
    default: break
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
      guard case .posted(var comment) = states[data.comment.index] else { return }
      comment.text = data.text
      states[data.comment.index] = .posted(comment)
    case .removed(let data): remove(data.comment)
    }
  }

  private mutating func apply(_ event: HeartEvent) {
    switch event {
    case .given(let data):
      guard self[data.comment] != nil, !ownership.isGone(data.user),
        hearts.insert(data.comment.index, data.user.index, age: made)
      else { return }
      made += 1
    case .withdrawn(let data): hearts.remove(data.comment.index, data.user.index)
    }
  }

  private mutating func post(_ data: CommentPosted, _ moment: Moment) {
    guard !states.has(data.comment.index), !ownership.isGone(data.workout),
      !ownership.isGone(data.user)
    else { return }
    states[data.comment.index] = .posted(
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

  private mutating func drop(_ workouts: [WorkoutID]) {
    for workout in workouts {
      for comment in Array(lists[workout.index]) { remove(comment) }
    }
  }

  public mutating func code(with coder: inout StateCoder) {
    states.code(with: &coder)
    lists.code(with: &coder)
    byUser.code(with: &coder)
    hearts.code(with: &coder)
    ownership.code(with: &coder)
    coder(&made)
  }

  /// The comment; nil if it is removed or was never posted.
  public subscript(id: CommentID) -> Comment? {
    if case .posted(let comment) = states[id.index] { return comment }
    return nil
  }

  /// The workout's comments, oldest first.
  public func of(_ workout: WorkoutID) -> [CommentID] { Array(lists[workout.index]) }

  /// The users whose hearts are on the comment, newest first.
  public func hearts(of comment: CommentID) -> Users { Users(hearts.from(comment.index)) }

  public func isHearted(_ comment: CommentID, by user: UserID) -> Bool {
    hearts.contains(comment.index, user.index)
  }
}

extension Comments.State: Storable {
  static var blank: Self { .removed }

  mutating func code(with coder: inout RecordCoder) {
    var comment: Comments.Comment?
    if case .posted(let present) = self { comment = present }
    coder(&comment)
    self = comment.map(Self.posted) ?? .removed
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
