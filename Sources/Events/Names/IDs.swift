/// The kinds of ids; a `Names` table counts each of them from 0.
public enum IDKind: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case user, workout, comment, group, message, report
}

/// A user's dense number within one `Names` table.
public struct UserID: DenseID {
  public static let kind = IDKind.user
  public let index: UInt32
  public init(index: UInt32) { self.index = index }
}

/// A workout's dense number within one `Names` table.
public struct WorkoutID: DenseID {
  public static let kind = IDKind.workout
  public let index: UInt32
  public init(index: UInt32) { self.index = index }
}

/// A comment's dense number within one `Names` table.
public struct CommentID: DenseID {
  public static let kind = IDKind.comment
  public let index: UInt32
  public init(index: UInt32) { self.index = index }
}

/// A group's dense number within one `Names` table.
public struct GroupID: DenseID {
  public static let kind = IDKind.group
  public let index: UInt32
  public init(index: UInt32) { self.index = index }
}

/// A message's dense number within one `Names` table.
public struct MessageID: DenseID {
  public static let kind = IDKind.message
  public let index: UInt32
  public init(index: UInt32) { self.index = index }
}

/// A report's dense number within one `Names` table.
public struct ReportID: DenseID {
  public static let kind = IDKind.report
  public let index: UInt32
  public init(index: UInt32) { self.index = index }
}

/// An id as a dense number: 0, 1, 2 … in the order in which one `Names` table met the ids of its
/// kind.
///
/// It means nothing without its table and is never written to a log; arrays are indexed by it.
public protocol DenseID: Hashable, Sendable, BitwiseCopyable {
  static var kind: IDKind { get }
  var index: UInt32 { get }
  init(index: UInt32)
}

/// An id of any kind.
public struct AnyID: Hashable, Sendable, BitwiseCopyable {
  public let kind: IDKind
  public let index: UInt32

  public init(_ kind: IDKind, _ index: UInt32) { (self.kind, self.index) = (kind, index) }
  public init<ID: DenseID>(_ id: ID) { (kind, index) = (ID.kind, id.index) }

  func mapped(_ map: some IDMap) -> AnyID {
    switch kind {
    case .user: AnyID(map(UserID(index: index)))
    case .workout: AnyID(map(WorkoutID(index: index)))
    case .comment: AnyID(map(CommentID(index: index)))
    case .group: AnyID(map(GroupID(index: index)))
    case .message: AnyID(map(MessageID(index: index)))
    case .report: AnyID(map(ReportID(index: index)))
    }
  }
}

extension Sequence<AnyID> {
  /// Those of one kind, in their order.
  public func only<ID: DenseID>(_: ID.Type) -> [ID] {
    compactMap { $0.kind == ID.kind ? ID(index: $0.index) : nil }
  }
}

/// A sport's id, such as `rowing`; which ones there are is a matter of the rules.
public struct SportID: Hashable, Sendable {
  public let name: String

  /// - Throws: `InvalidID` if the text cannot be an id.
  public init(_ name: String) throws(InvalidID) {
    guard isValidID(name.utf8) else { throw InvalidID() }
    self.name = name
  }

  init(unchecked name: String) { self.name = name }
}

/// A text that cannot be an id: an id is 1…128 bytes of printable ASCII without space, `"`, `\`
/// and `/`, and neither `.` nor `..`.
public struct InvalidID: Error, Equatable {
  public init() {}
}

/// The longest id, in bytes.
public let longestID = 128

/// Whether these bytes may be an id of any kind, or that of a sport.
public func isValidID(_ bytes: some Collection<UInt8>) -> Bool {
  guard (1...longestID).contains(bytes.count), bytes.allSatisfy(isIDByte) else { return false }
  return !(bytes.count <= 2 && bytes.allSatisfy { $0 == UInt8(ascii: ".") })
}

@inline(__always)
func isIDByte(_ byte: UInt8) -> Bool {
  byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    && byte != UInt8(ascii: "/")
}
