/// What is wrong with one line: a kind, the byte offset in the line, and the member it concerns.
///
/// It carries no text of the line, which may be private; names of members and types are the
/// format's, not people's.
public struct LineFault: Error, Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    // Bytes
    case byteOrderMark, utf16, notUTF8, blankLine, carriageReturn
    case tooLong(limit: Int)
    // JSON (RFC 8259)
    case expected(StaticText)
    case controlCharacter, badEscape, loneSurrogate, badNumber
    case duplicateMember
    case tooDeep(limit: Int)
    case trailingBytes, notAnObject, truncated
    // Members
    case missingMember, unknownMember
    case wrongType(expected: StaticText)
    case outOfRange(StaticText)
    case unknownType(String)
    case unknownVersion(type: String, version: Int)
    case wrongStream(expected: String)
    case sumNotLast
    // The chain
    case wrongSum
    case wrongSequence(expected: UInt64)
    case timeGoesBack
    /// A foreign line's time, which is before that of the event it follows.
    case earlier(time: Timestamp, than: Timestamp)
    case wrongRevision(expected: UInt64)
    case brokenBatch, duplicateID
    case partOfLog(expected: UInt64)
  }

  public var kind: Kind
  /// Bytes from the start of the line.
  public var offset: Int
  /// The member, such as `data.intervals[2].meters`; nil where the line as a whole is at fault.
  public var path: String?

  /// Whether this code does not know the event's type or version.
  public var isUnknown: Bool {
    switch kind {
    case .unknownType, .unknownVersion: true
    default: false
    }
  }

  public init(_ kind: Kind, at offset: Int = 0, path: String? = nil) {
    self.kind = kind
    self.offset = offset
    self.path = path
  }
}

/// A literal that can be compared.
public struct StaticText: Equatable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  let text: StaticString
  public init(stringLiteral value: StaticString) { text = value }
  public var description: String { "\(text)" }
  public static func == (a: Self, b: Self) -> Bool { a.description == b.description }
}
