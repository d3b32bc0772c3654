/// A user's dense number within one `Names` table.
public struct UserID: DenseID {
  public let index: UInt32
  public init(index: UInt32) { self.index = index }
}

/// A workout's dense number within one `Names` table.
public struct WorkoutID: DenseID {
  public let index: UInt32
  public init(index: UInt32) { self.index = index }
}

/// A comment's dense number within one `Names` table.
public struct CommentID: DenseID {
  public let index: UInt32
  public init(index: UInt32) { self.index = index }
}

/// An id as a dense number: 0, 1, 2 … in the order in which one `Names` table met the ids.
///
/// It means nothing without its table and is never written to a log; arrays are indexed by it.
public protocol DenseID: Hashable, Sendable, BitwiseCopyable {
  var index: UInt32 { get }
  init(index: UInt32)
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

/// Whether these bytes may be the id of a user, workout, comment or sport.
public func isValidID(_ bytes: some Collection<UInt8>) -> Bool {
  guard (1...longestID).contains(bytes.count), bytes.allSatisfy(isIDByte) else { return false }
  return !(bytes.count <= 2 && bytes.allSatisfy { $0 == UInt8(ascii: ".") })
}

@inline(__always)
func isIDByte(_ byte: UInt8) -> Bool {
  byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    && byte != UInt8(ascii: "/")
}
