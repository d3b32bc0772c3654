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

  package init(_ kind: Kind, _ id: some DenseID) {
    (self.kind, a, b) = (kind, id.index, 0)
  }

  private init(_ kind: Kind, _ first: some DenseID, _ second: some DenseID) {
    (self.kind, a, b) = (kind, first.index, second.index)
  }

  /// A pair has one stream, whichever user is named first.
  private init(_ kind: Kind, pair one: UserID, _ other: UserID) {
    (self.kind, a, b) = (kind, min(one.index, other.index), max(one.index, other.index))
  }

  public static func profile(_ user: UserID) -> Self { Self(.profile, user) }
  public static func follow(_ follower: UserID, _ followee: UserID) -> Self {
    Self(.follow, follower, followee)
  }
  public static func friendship(_ one: UserID, _ other: UserID) -> Self {
    Self(.friendship, pair: one, other)
  }
  public static func workout(_ workout: WorkoutID) -> Self { Self(.workout, workout) }
  public static func chup(_ workout: WorkoutID, _ user: UserID) -> Self {
    Self(.chup, workout, user)
  }
  public static func comment(_ comment: CommentID) -> Self { Self(.comment, comment) }
  public static func heart(_ comment: CommentID, _ user: UserID) -> Self {
    Self(.heart, comment, user)
  }
  public static func block(_ user: UserID, _ other: UserID) -> Self { Self(.block, user, other) }
  public static func reaction(_ workout: WorkoutID, _ user: UserID) -> Self {
    Self(.reaction, workout, user)
  }
  public static func group(_ group: GroupID) -> Self { Self(.group, group) }
  public static func member(_ group: GroupID, _ user: UserID) -> Self {
    Self(.member, group, user)
  }
  public static func conversation(_ one: UserID, _ other: UserID) -> Self {
    Self(.conversation, pair: one, other)
  }
  public static func notifications(_ user: UserID) -> Self { Self(.notifications, user) }
  public static func report(_ report: ReportID) -> Self { Self(.report, report) }
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
