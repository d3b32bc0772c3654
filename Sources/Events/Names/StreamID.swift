/// The stream of an event of a known type: the aggregate whose history the event is part of.
///
/// `Names.name(of:)` makes its name, such as `follow/alice/bob`. Streams of unknown types have a
/// name only.
public struct StreamID: Hashable, Sendable {
  /// The family: the first part of the name.
  public enum Kind: UInt8, CaseIterable, Sendable {
    case profile, follow, friendship, workout, chup, comment, heart, block, reaction
    case group, member, conversation, notifications, report

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

  public let kind: Kind
  /// The first id's number.
  package let a: UInt32
  /// The second id's number; 0 where the stream is of one id.
  package let b: UInt32

  public static func profile(_ user: UserID) -> StreamID {
    StreamID(kind: .profile, a: user.index, b: 0)
  }
  public static func follow(_ follower: UserID, _ followee: UserID) -> StreamID {
    StreamID(kind: .follow, a: follower.index, b: followee.index)
  }
  /// A pair has one stream, whichever user is named first.
  public static func friendship(_ one: UserID, _ other: UserID) -> StreamID {
    pair(.friendship, one, other)
  }
  private static func pair(_ kind: Kind, _ one: UserID, _ other: UserID) -> StreamID {
    StreamID(kind: kind, a: min(one.index, other.index), b: max(one.index, other.index))
  }
  public static func workout(_ workout: WorkoutID) -> StreamID {
    StreamID(kind: .workout, a: workout.index, b: 0)
  }
  public static func chup(_ workout: WorkoutID, _ user: UserID) -> StreamID {
    StreamID(kind: .chup, a: workout.index, b: user.index)
  }
  public static func comment(_ comment: CommentID) -> StreamID {
    StreamID(kind: .comment, a: comment.index, b: 0)
  }
  public static func heart(_ comment: CommentID, _ user: UserID) -> StreamID {
    StreamID(kind: .heart, a: comment.index, b: user.index)
  }
  public static func block(_ user: UserID, _ other: UserID) -> StreamID {
    StreamID(kind: .block, a: user.index, b: other.index)
  }
  public static func reaction(_ workout: WorkoutID, _ user: UserID) -> StreamID {
    StreamID(kind: .reaction, a: workout.index, b: user.index)
  }
  public static func group(_ group: GroupID) -> StreamID {
    StreamID(kind: .group, a: group.index, b: 0)
  }
  public static func member(_ group: GroupID, _ user: UserID) -> StreamID {
    StreamID(kind: .member, a: group.index, b: user.index)
  }
  /// A pair has one stream, whichever user is named first.
  public static func conversation(_ one: UserID, _ other: UserID) -> StreamID {
    pair(.conversation, one, other)
  }
  public static func notifications(_ user: UserID) -> StreamID {
    StreamID(kind: .notifications, a: user.index, b: 0)
  }
  public static func report(_ report: ReportID) -> StreamID {
    StreamID(kind: .report, a: report.index, b: 0)
  }
}

extension Names {
  /// The stream's name, such as `friendship/alice/bob` (a pair in the order of its bytes).
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

  private func append(_ table: NameTable, _ index: UInt32, to out: inout ByteBuffer) {
    table.withBytes(index) { out.append($0) }
  }

  private func append(
    _ first: NameTable, _ a: UInt32, _ second: NameTable, _ b: UInt32, to out: inout ByteBuffer
  ) {
    append(first, a, to: &out)
    out.append(UInt8(ascii: "/"))
    append(second, b, to: &out)
  }
}
