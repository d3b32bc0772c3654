/// A kind of id, such as a user's. A `Names` table numbers the ids of each kind from 0.
public enum IDKind: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case user, workout, comment, group, message, report
}

/// A user's id, as its dense number in one `Names` table.
public struct UserID: DenseID {
  public static let kind = IDKind.user
  public let index: UInt32
  public init(index: UInt32) { self.index = index }
}

/// A workout's id, as its dense number in one `Names` table.
public struct WorkoutID: DenseID {
  public static let kind = IDKind.workout
  public let index: UInt32
  public init(index: UInt32) { self.index = index }
}

/// A comment's id, as its dense number in one `Names` table.
public struct CommentID: DenseID {
  public static let kind = IDKind.comment
  public let index: UInt32
  public init(index: UInt32) { self.index = index }
}

/// A group's id, as its dense number in one `Names` table.
public struct GroupID: DenseID {
  public static let kind = IDKind.group
  public let index: UInt32
  public init(index: UInt32) { self.index = index }
}

/// A message's id, as its dense number in one `Names` table.
public struct MessageID: DenseID {
  public static let kind = IDKind.message
  public let index: UInt32
  public init(index: UInt32) { self.index = index }
}

/// A report's id, as its dense number in one `Names` table.
public struct ReportID: DenseID {
  public static let kind = IDKind.report
  public let index: UInt32
  public init(index: UInt32) { self.index = index }
}

/// An id as a dense number: 0, 1, 2 … in the order in which a `Names` table first saw the ids of
/// its kind.
///
/// The number is only valid with its `Names` table and is never written to a log. It can be used as
/// an index of arrays.
public protocol DenseID: Hashable, Sendable, BitwiseCopyable {
  /// The kind of thing that the id identifies, such as a user.
  static var kind: IDKind { get }
  /// The id's dense number in its `Names` table.
  var index: UInt32 { get }
  /// Creates an id from its dense number.
  init(index: UInt32)
}

/// An id whose kind is known only at run time. It consists of the kind, and of the id's dense
/// number among the ids of that kind.
public struct AnyID: Hashable, Sendable, BitwiseCopyable {
  /// The kind of thing that the id identifies, such as a user.
  public let kind: IDKind
  /// The id's dense number among the ids of its kind, in one `Names` table.
  public let index: UInt32

  /// Creates an id from its kind and its dense number.
  public init(_ kind: IDKind, _ index: UInt32) { (self.kind, self.index) = (kind, index) }
  /// Creates an `AnyID` from an id whose kind is known by its type, such as a `UserID`.
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
  /// Returns the sequence's ids of one kind, in their order.
  public func only<ID: DenseID>(_: ID.Type) -> [ID] {
    compactMap { $0.kind == ID.kind ? ID(index: $0.index) : nil }
  }
}

/// A sport's id, such as `rowing`. The `Rules` list the valid sports.
public struct SportID: Hashable, Sendable {
  /// The sport's id as text.
  public let name: String

  /// Creates the id of a sport from its text.
  /// - Throws: `InvalidID` if the text is not a valid id.
  public init(_ name: String) throws(InvalidID) {
    guard isValidID(name.utf8) else { throw InvalidID() }
    self.name = name
  }

  init(unchecked name: String) { self.name = name }
}

/// The error for a text that is not a valid id.
///
/// A valid id has 1…128 bytes of printable ASCII, without space, `"`, `\` and `/`. It is not `.` or
/// `..`.
public struct InvalidID: Error, Equatable {
  /// Creates the error for an invalid id.
  public init() {}
}

/// The length of the longest valid id, in bytes.
public let longestID = 128

/// Whether the bytes form a valid id of any kind, including a sport's.
public func isValidID(_ bytes: some Collection<UInt8>) -> Bool {
  guard (1...longestID).contains(bytes.count), bytes.allSatisfy(isIDByte) else { return false }
  return !(bytes.count <= 2 && bytes.allSatisfy { $0 == UInt8(ascii: ".") })
}

/// Returns whether a text is a valid id. In other modules this is several times as fast as the
/// generic function, which the compiler does not specialise there.
package func isValidID(_ name: String) -> Bool {
  var name = name
  return name.withUTF8 { isValidID($0) }
}

@inline(__always)
func isIDByte(_ byte: UInt8) -> Bool {
  byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    && byte != UInt8(ascii: "/")
}
