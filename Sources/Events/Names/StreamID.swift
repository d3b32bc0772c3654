/// The stream of events of a known type. It identifies the aggregate that the events are about.
///
/// `Names.name(of:)` returns the stream's name, such as `follow/alice/bob`. Streams of unknown or
/// apps' own event types only have a name, and no `StreamID`.
public struct StreamID: Hashable, Sendable {
  /// The family of a stream, which is the first part of the stream's name.
  public enum Kind: UInt8, CaseIterable, Sendable {
    case profile, follow, friendship, workout, chup, comment, heart, block, reaction
    case group, member, conversation, notifications, report

    /// The family's name, which is the first part of the stream's name.
    public var name: StaticString {
      switch self {
      case .profile: "profile"
      case .follow: "follow"
      case .friendship: "friendship"
      case .workout: "workout"
      case .chup: "chup"
      case .comment: "comment"
      case .heart: "heart"
      case .block: "block"
      case .reaction: "reaction"
      case .group: "group"
      case .member: "member"
      case .conversation: "conversation"
      case .notifications: "notifications"
      case .report: "report"
      }
    }
  }

  /// The stream's family.
  public let kind: Kind
  /// The dense number of the first id in the stream's name.
  package let a: UInt32
  /// The dense number of the second id in the stream's name; 0 if the name has only one id.
  package let b: UInt32

  package init(_ kind: Kind, _ id: some DenseID) {
    (self.kind, a, b) = (kind, id.index, 0)
  }

  private init(_ kind: Kind, _ first: some DenseID, _ second: some DenseID) {
    (self.kind, a, b) = (kind, first.index, second.index)
  }

  /// Creates the stream of a pair of users. The order of the users does not matter.
  private init(_ kind: Kind, pair one: UserID, _ other: UserID) {
    (self.kind, a, b) = (kind, min(one.index, other.index), max(one.index, other.index))
  }

  /// Returns the stream of a user's profile.
  public static func profile(_ user: UserID) -> Self { Self(.profile, user) }
  /// Returns the stream of the follow from `follower` to `followee`.
  public static func follow(_ follower: UserID, _ followee: UserID) -> Self {
    Self(.follow, follower, followee)
  }
  /// Returns the stream of the friendship of two users. The order of the users does not matter.
  public static func friendship(_ one: UserID, _ other: UserID) -> Self {
    Self(.friendship, pair: one, other)
  }
  /// Returns the stream of a workout.
  public static func workout(_ workout: WorkoutID) -> Self { Self(.workout, workout) }
  /// Returns the stream of a user's chup on a workout.
  public static func chup(_ workout: WorkoutID, _ user: UserID) -> Self {
    Self(.chup, workout, user)
  }
  /// Returns the stream of a comment.
  public static func comment(_ comment: CommentID) -> Self { Self(.comment, comment) }
  /// Returns the stream of a user's heart on a comment.
  public static func heart(_ comment: CommentID, _ user: UserID) -> Self {
    Self(.heart, comment, user)
  }
  /// Returns the stream of `user`'s block of `other`.
  public static func block(_ user: UserID, _ other: UserID) -> Self { Self(.block, user, other) }
  /// Returns the stream of a user's reactions to a workout.
  public static func reaction(_ workout: WorkoutID, _ user: UserID) -> Self {
    Self(.reaction, workout, user)
  }
  /// Returns the stream of a group.
  public static func group(_ group: GroupID) -> Self { Self(.group, group) }
  /// Returns the stream of a user's membership in a group.
  public static func member(_ group: GroupID, _ user: UserID) -> Self {
    Self(.member, group, user)
  }
  /// Returns the stream of the conversation of two users. The order of the users does not matter.
  public static func conversation(_ one: UserID, _ other: UserID) -> Self {
    Self(.conversation, pair: one, other)
  }
  /// Returns the stream of a user's notifications.
  public static func notifications(_ user: UserID) -> Self { Self(.notifications, user) }
  /// Returns the stream of a report of content.
  public static func report(_ report: ReportID) -> Self { Self(.report, report) }
}

extension Names {
  /// Returns a stream's name, such as `friendship/alice/bob`. If the order of two users does not
  /// matter, their ids are sorted as bytes.
  public func name(of stream: StreamID) -> String {
    var buffer = ByteBuffer()
    append(stream, to: &buffer)
    return buffer.text
  }

  func append(_ stream: StreamID, to out: inout ByteBuffer) {
    out.append(stream.kind.name)
    out.append(UInt8(ascii: "/"))
    switch stream.kind {
    case .profile, .notifications: append(users, stream.a, to: &out)
    case .workout: append(workouts, stream.a, to: &out)
    case .comment: append(comments, stream.a, to: &out)
    case .group: append(groups, stream.a, to: &out)
    case .report: append(reports, stream.a, to: &out)
    case .follow, .block: append(users, stream.a, users, stream.b, to: &out)
    case .member: append(groups, stream.a, users, stream.b, to: &out)
    case .chup, .reaction: append(workouts, stream.a, users, stream.b, to: &out)
    case .heart: append(comments, stream.a, users, stream.b, to: &out)
    case .friendship, .conversation:
      let inOrder = users.precedes(stream.a, stream.b)
      append(
        users, inOrder ? stream.a : stream.b, users, inOrder ? stream.b : stream.a, to: &out)
    }
  }

  private func append(_ table: NameInterner, _ index: UInt32, to out: inout ByteBuffer) {
    table.withBytes(index) { out.append($0) }
  }

  private func append(
    _ first: NameInterner, _ a: UInt32, _ second: NameInterner, _ b: UInt32,
    to out: inout ByteBuffer
  ) {
    append(first, a, to: &out)
    out.append(UInt8(ascii: "/"))
    append(second, b, to: &out)
  }
}
