/// The fault of one line: its kind, the byte offset in the line, and the member concerned.
///
/// It contains no text of the line, which may be private; the names of members and types belong to
/// the format.
public struct LineFault: Error, Equatable, Sendable {
  /// The kind of a fault.
  public enum Kind: Equatable, Sendable {
    /// The line has a byte order mark or a lone carriage return, or is UTF-16, not UTF-8 or blank.
    case byteOrderMark, utf16, notUTF8, blankLine, carriageReturn
    /// The line has more bytes than the limit.
    case tooLong(limit: Int)
    /// The parser expected something else, such as `','` or a value.
    case expected(StaticText)
    /// A string or a number that JSON does not allow.
    case controlCharacter, badEscape, loneSurrogate, badNumber
    /// An object has the same member twice.
    case duplicateMember
    /// Arrays and objects are nested deeper than the limit.
    case tooDeep(limit: Int)
    /// Bytes follow the value, the value is not an object, or the line ends too early.
    case trailingBytes, notAnObject, truncated
    /// A required member is missing, or the type of event has no such member.
    case missingMember, unknownMember
    /// A member's value has another type or form.
    case wrongType(expected: StaticText)
    /// A value is outside its range.
    case outOfRange(StaticText)
    /// This code does not know the event's type.
    case unknownType(String)
    /// This code does not know the version of the event's type.
    case unknownVersion(type: String, version: Int)
    /// The line names another stream than its event has.
    case wrongStream(expected: String)
    /// The line does not end in its checksum.
    case sumNotLast
    /// The checksum is wrong: this line or the one before it was changed.
    case wrongSum
    /// The line's position is not the next one of the log.
    case wrongSequence(expected: UInt64)
    /// The line's time is before the previous event's.
    case timeGoesBack
    /// An imported line's time is before the previous event's.
    case earlier(time: Timestamp, than: Timestamp)
    /// The line's revision is not the next one of its stream.
    case wrongRevision(expected: UInt64)
    /// A commit of several events is incomplete, or has the same id twice.
    case brokenBatch, duplicateID
    /// An imported line's position is not its line number, so the input may be a part of a log.
    case partOfLog(expected: UInt64)
  }

  /// The kind of the fault.
  public var kind: Kind
  /// The bytes from the start of the line.
  public var offset: Int
  /// The member's path, such as `data.intervals[2].meters`; nil for a fault of the whole line.
  public var path: String?

  /// Whether this code does not know the event's type or version.
  public var isUnknown: Bool {
    switch kind {
    case .unknownType, .unknownVersion: true
    default: false
    }
  }

  /// Creates a fault.
  public init(_ kind: Kind, at offset: Int = 0, path: String? = nil) {
    (self.kind, self.offset, self.path) = (kind, offset, path)
  }
}

/// A literal that can be compared.
public struct StaticText: Equatable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  let text: StaticString
  public init(stringLiteral value: StaticString) { text = value }
  public var description: String { "\(text)" }
  public static func == (a: Self, b: Self) -> Bool { a.description == b.description }
}
