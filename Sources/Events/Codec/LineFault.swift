/// The error for one line that is not valid: the kind of fault, the byte offset in the line, and
/// the field concerned.
///
/// It contains no text from the line, because the text may be private. Only names of fields and
/// types appear, which belong to the format.
public struct LineFault: Error, Equatable, Sendable {
  /// The kind of fault in a line.
  public enum Kind: Equatable, Sendable {
    /// The line starts with a byte order mark, is UTF-16 or not UTF-8, is blank, or has a lone
    /// carriage return.
    case byteOrderMark, utf16, notUTF8, blankLine, carriageReturn
    /// The line has more bytes than `limit` allows.
    case tooLong(limit: Int)
    /// The parser expected this text at the offset, such as `','` or a value, but found another.
    case expected(StaticText)
    /// A string or a number in the line is not valid JSON.
    case controlCharacter, badEscape, loneSurrogate, badNumber
    /// An object has the same field twice.
    case duplicateMember
    /// Arrays and objects in the line are nested deeper than the limit.
    case tooDeep(limit: Int)
    /// Bytes follow the line's JSON value, the value is not an object, or the line ends too early.
    case trailingBytes, notAnObject, truncated
    /// A required field is missing, or the line has a field that the event's type does not have.
    case missingMember, unknownMember
    /// A field is missing that this version of the event's type requires.
    case missingInVersion(Int)
    /// The line has a field that only later versions of the event's type have.
    case unknownInVersion(Int)
    /// A field's value has another type or form than expected.
    case wrongType(expected: StaticText)
    /// A field's value is outside its valid range.
    case outOfRange(StaticText)
    /// This code does not know the event's type.
    case unknownType(String)
    /// This code does not know the version of the event's type.
    case unknownVersion(type: String, version: Int)
    /// The line's `stream` is not the stream to which its event belongs.
    case wrongStream(expected: String)
    /// The line does not end with its checksum.
    case sumNotLast
    /// The line's checksum is wrong: this line or the previous one was changed after it was
    /// written.
    case wrongSum
    /// The line's position (`seq`) is not one more than the previous line's.
    case wrongSequence(expected: UInt64)
    /// The line's time is before the previous line's time.
    case timeGoesBack
    /// An imported line's time is before the previous line's time.
    case earlier(time: Timestamp, than: Timestamp)
    /// The line's revision (`rev`) is not one more than the previous revision in its stream.
    case wrongRevision(expected: UInt64)
    /// A commit of several events is incomplete, or two of its events have the same id.
    case brokenBatch, duplicateID
    /// An imported line's position is not its line number, so the input may be only a part of a
    /// log.
    case partOfLog(expected: UInt64)
  }

  /// The kind of the fault.
  public var kind: Kind
  /// The offset of the fault, in bytes from the start of the line.
  public var offset: Int
  /// The field's path, such as `data.intervals[2].meters`; nil for a fault of the whole line.
  public var path: String?

  /// Whether the fault is an event type or version that this code does not know.
  public var isUnknown: Bool {
    switch kind {
    case .unknownType, .unknownVersion: true
    default: false
    }
  }

  /// Creates a fault from its kind, its offset in the line and the field's path.
  public init(_ kind: Kind, at offset: Int = 0, path: String? = nil) {
    (self.kind, self.offset, self.path) = (kind, offset, path)
  }
}

/// A string literal that can be compared with another.
public struct StaticText: Equatable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  let text: StaticString
  public init(stringLiteral value: StaticString) { text = value }
  public var description: String { "\(text)" }
  public static func == (a: Self, b: Self) -> Bool { a.description == b.description }
}
