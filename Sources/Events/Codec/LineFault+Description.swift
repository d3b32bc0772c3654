extension LineFault: CustomStringConvertible {
  /// The error message for people, such as `data.follower: expected an id, at byte 97 of the line`.
  public var description: String {
    let place = offset > 0 ? ", at byte \(offset) of the line" : ""
    return (path.map { "\($0): " } ?? "") + kind.sentence + place
  }
}

extension LineFault.Kind {
  fileprivate var sentence: String {
    switch self {
    case .byteOrderMark: "a byte order mark; write plain UTF-8 without one"
    case .utf16: "this looks like UTF-16; the log is UTF-8"
    case .notUTF8: "bytes that are not UTF-8"
    case .blankLine: "a blank line; every line is one event"
    case .carriageReturn: "a lone carriage return"
    case .tooLong(let limit): "a line of more than \(limit) bytes"
    case .expected(let what): "expected \(what)"
    case .controlCharacter: "a raw control character in a string; write it as \\u00xx"
    case .badEscape: "an escape that JSON does not have"
    case .loneSurrogate: "half of a surrogate pair"
    case .badNumber: "a number that JSON does not allow"
    case .duplicateMember: "the same member twice"
    case .tooDeep(let limit): "nested deeper than \(limit) levels"
    case .trailingBytes: "more bytes after the event"
    case .notAnObject: "expected a JSON object"
    case .truncated: "the line ends in the middle of its JSON"
    case .missingMember: "this member is missing"
    case .unknownMember: "no such member in this type of event"
    case .missingInVersion(let version):
      "this member is missing, and version \(version) of the event requires it; "
        + "'v' states the version"
    case .unknownInVersion(let version):
      "version \(version) of the event has no such member; 'v' states the version"
    case .wrongType(let expected): "expected \(expected)"
    case .outOfRange(let range): "out of range: \(range)"
    case .unknownType(let name): "unknown event type '\(name)'"
    case .unknownVersion(let type, let version):
      "unknown version \(version) of event type '\(type)'"
    case .wrongStream(let expected): "the stream of this event must be \(expected)"
    case .sumNotLast: "expected the line to end in its sum, ,\"sum\":\"16 hex digits\"}"
    case .wrongSum: "the checksum is wrong: this line or the one before it was changed"
    case .wrongSequence(let expected): "expected seq \(expected)"
    case .partOfLog(let expected):
      "expected seq \(expected); to read a part of a log, leave out seq, rev and sum"
    case .timeGoesBack: "recorded before the event it follows"
    case .earlier(let time, let previous):
      "\(time) is before \(previous), the time of the event before it"
    case .wrongRevision(let expected): "expected rev \(expected)"
    case .brokenBatch: "a commit of several events is incomplete"
    case .duplicateID: "two events of a commit have the same id"
    }
  }
}
