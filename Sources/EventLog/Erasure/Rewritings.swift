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

  /// One rewriting of the log: an erasure of people or items.
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

  /// Returns whether a copy of a log can be an earlier state of the log with this ledger. A ledger
  /// alone does not prove that: a log that was never rewritten seems to be an earlier state of any.
  ///
  /// Before the last event of the first missing rewriting, only the time of the copy's last event
  /// can be compared, because a rewriting keeps times.
  /// - Parameters:
  ///   - count: the number of rewritings that the copy has.
  ///   - copy: the copy's last event.
  ///   - now: the event that the log has at that position.
  package func continues(_ count: Int, _ copy: LogHead, as now: LogHead) -> Bool {
    if copy.sum == now.sum { return true }
    let missing = entries.dropFirst(count)
    guard let rewriting = missing.first, let first = missing.map(\.first).min() else {
      return false
    }
    guard copy.time == now.time, copy.seq >= first, copy.seq <= rewriting.head else { return false }
    return copy.seq < rewriting.head || copy.sum == rewriting.before
  }

  /// Returns the last rewriting that may have changed the event at a position; nil if none did.
  public func last(at position: UInt64) -> Entry? {
    entries.last { $0.first <= position && position <= $0.head }
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
  /// Returns the log's ledger of rewritings; it is empty for an input that is not a log in a
  /// folder.
  /// - Throws: `.file`, `.notALog`.
  public func rewritings() throws(LogError) -> Rewritings {
    guard case .files(let files, _) = source else { return Rewritings() }
    // If a rewriting is decided but not finished, its new ledger is valid even before it is
    // renamed.
    let listing = try io(files.list(path))
    let new = try PendingRewriting.names(in: path, listing, files) ?? []
    let file = Rewritings.fileName + PendingRewriting.suffix
    if new.contains(Rewritings.fileName), listing.contains(file) {
      let pending = try Rewritings(path: path + "/" + file, files: files)
      if !pending.entries.isEmpty { return pending }
    }
    return try Rewritings(folder: path, files: files)
  }
}
