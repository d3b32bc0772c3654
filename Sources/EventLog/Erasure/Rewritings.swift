import Events

/// The ledger of a log's rewritings, oldest first. It is the file `rewritings` in the log's folder,
/// with one line for each rewriting.
///
/// ```
/// {"time":"2026-05-01T09:00:00.000Z","first":17,"head":300,"before":"e743…","after":"51c0…",…}
/// ```
/// The ledger names no person. A clone of the log reads the ledger to find the first changed line,
/// and fetches the lines from there on again.
public struct Rewritings: Equatable, Sendable {
  static let fileName = "rewritings"

  /// One rewriting of the log: an erasure of people or items, or a repair.
  public struct Entry: Equatable, Sendable {
    /// The time of the rewriting.
    public var time: Timestamp
    /// The position of the first changed line.
    public var first: UInt64
    /// The log's last position before the rewriting.
    public var head: UInt64
    /// The checksum of the line at `head` before the rewriting.
    public var before: UInt64
    /// The checksum of the line at `head` after the rewriting.
    public var after: UInt64
    /// The operator's reason; may be empty.
    public var reason: String
    /// Whether erased people's names were also replaced in other people's texts.
    public var changesMentions = false
    /// A keyed hash of each erased person and item, if the operator gave a key.
    public var marks: [String] = []
    /// The positions of the events that a repair left out; nil for an erasure, which keeps all
    /// events.
    public var lost: [ClosedRange<UInt64>]?
    /// The time that a repair set in place of all later ones; nil if it changed no times.
    public var latest: Timestamp?
  }

  /// The rewritings, oldest first.
  public var entries: [Entry]

  /// Creates a ledger from its entries.
  public init(_ entries: [Entry] = []) { self.entries = entries }

  /// Reads the ledger in a log's folder; it is empty if there is no file.
  /// - Throws: `.file`; `.notALog` if a line is not an entry of a ledger.
  public init(folder: String, files: FileSystem = .posix) throws(LogError) {
    try self.init(path: folder + "/" + Self.fileName, files: files)
  }

  /// Reads a ledger from a file; it is empty if there is no file.
  /// - Throws: `.file`; `.notALog` if a line is not an entry of a ledger.
  public init(path: String, files: FileSystem = .posix) throws(LogError) {
    let text = try ifPresent(files.contents(of: path, limit: 256 << 20))
    try self.init(text: text ?? [], of: path)
  }

  /// Parses a ledger's text.
  /// - Parameter name: the name of the text's source, for the error.
  /// - Throws: `.notALog` if a line is not an entry of a ledger.
  package init(text: [UInt8], of name: String) throws(LogError) {
    entries = []
    for (number, line) in text.split(separator: 0x0a).enumerated() {
      guard let value = try? JSONValue(object: line), let entry = Entry(value) else {
        throw .notALog(path: name, reason: "line \(number + 1) is not an entry of the ledger")
      }
      entries.append(entry)
    }
  }

  var text: String { entries.reduce(into: "") { $0 += $1.json.text + "\n" } }

  /// Returns the first repair, after the first `count` rewritings, that changed the events up to a
  /// position; nil if there is none. A copy of the log up to that position may have events that
  /// the repair left out.
  func repair(after count: Int, upTo position: UInt64) -> Entry? {
    entries.dropFirst(count).first { $0.lost != nil && $0.first <= position }
  }

  /// Returns the last erasure that may have changed the event at a position; nil if none did.
  public func last(at position: UInt64) -> Entry? {
    entries.last { $0.lost == nil && $0.first <= position && position <= $0.head }
  }
}

extension Rewritings.Entry {
  init?(_ json: JSONValue) {
    guard let time = json.string("time").flatMap({ Timestamp($0) }),
      let first: UInt64 = json.number("first"), let head: UInt64 = json.number("head"),
      let before = json.sum("before"), let after = json.sum("after"),
      let reason = json.string("reason")
    else { return nil }
    self.init(
      time: time, first: first, head: head, before: before, after: after, reason: reason)
    changesMentions = json["mentions"] == .bool(true)
    if case .array(let values)? = json["marks"] {
      marks = values.compactMap { if case .string(let mark) = $0 { mark } else { nil } }
    }
    if case .array(let values)? = json["lost"] {
      var ranges: [ClosedRange<UInt64>] = []
      for value in values {
        guard case .array(let ends) = value, ends.count == 2, let from = ends[0].uint64,
          let to = ends[1].uint64, (ranges.last?.upperBound ?? 0) < from, from <= to
        else { return nil }
        ranges.append(from...to)
      }
      lost = ranges
    }
    latest = json.string("latest").flatMap { Timestamp($0) }
  }

  /// The entry as JSON, like a line of the ledger.
  public var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("time", .string("\(time)")), .init("first", .int(first)), .init("head", .int(head)),
      .init("before", .string(before.padded(to: 16, radix: 16))),
      .init("after", .string(after.padded(to: 16, radix: 16))), .init("reason", .string(reason)),
    ]
    if changesMentions { members.append(.init("mentions", .bool(true))) }
    if !marks.isEmpty { members.append(.init("marks", .array(marks.map(JSONValue.string)))) }
    if let lost {
      let ranges = lost.map { JSONValue.array([.int($0.lowerBound), .int($0.upperBound)]) }
      members.append(.init("lost", .array(ranges)))
    }
    if let latest { members.append(.init("latest", .string("\(latest)"))) }
    return .object(members)
  }
}

// Reading the fields of a JSON object in one of the files beside the segments.
extension JSONValue {
  func string(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  func number<Number: FixedWidthInteger>(_ name: String) -> Number? {
    if case .number(let text)? = self[name] { Number(text) } else { nil }
  }

  /// Returns the hexadecimal checksum in a field; nil if there is none.
  func sum(_ name: String) -> UInt64? { string(name).flatMap { UInt64($0, radix: 16) } }
}

extension LogView {
  /// Returns the log's ledger of rewritings, as it was when the log was opened; it is empty for an
  /// input that is not a log in a folder.
  /// - Throws: `.file`, `.notALog`.
  public func rewritings() throws(LogError) -> Rewritings {
    guard case .files(let files, _) = source, ledgerSize > 0 else { return Rewritings() }
    // If a rewriting is decided but not finished, its new ledger is valid even before it is
    // renamed.
    let listing = try io(files.list(path))
    let new = try PendingRewriting.names(in: path, listing, files) ?? []
    let file = Rewritings.fileName + PendingRewriting.suffix
    let isNew = new.contains(Rewritings.fileName) && listing.contains(file)
    let name = path + "/" + (isNew ? file : Rewritings.fileName)
    let found = try io { () throws(FileError) in
      try PendingRewriting.wherever(name) { (name) throws(FileError) in
        try files.contents(of: name, limit: 256 << 20)
      }
    }
    // The ledger only grows: later lines are of rewritings that this view does not reflect.
    return try Rewritings(text: Array(found.prefix(ledgerSize)), of: name)
  }
}
