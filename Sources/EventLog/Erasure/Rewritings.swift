import Events

/// The rewritings of a log, the oldest first: the file `rewritings` in its folder, a line each.
///
/// ```
/// {"time":"2026-05-01T09:00:00.000Z","first":17,"head":300,"before":"e743…","after":"51c0…",…}
/// ```
/// It names nobody. Copies of the log learn from it that their events from `first` on are no longer
/// those of the log, and are to be fetched anew.
public struct Rewritings: Equatable, Sendable {
  static let fileName = "rewritings"

  public struct Entry: Equatable, Sendable {
    public var time: Timestamp
    /// The position of the first line that is another.
    public var first: UInt64
    /// The log's last position before the rewriting, and the sums of the event there.
    public var head: UInt64
    public var before: UInt64
    public var after: UInt64
    /// What the operator gave as the reason; perhaps empty.
    public var reason: String
    /// Whether other people's texts that named somebody were changed.
    public var changesMentions = false
    /// A keyed mark for each person and item that was forgotten, if a key was given.
    public var marks: [String] = []
  }

  public var entries: [Entry]

  public init(_ entries: [Entry] = []) { self.entries = entries }

  /// The ledger in a folder; empty if there is none.
  /// - Throws: `.file`, and `.notALog` if a line is none of a ledger.
  public init(folder: String, files: FileSystem = .posix) throws(LogError) {
    try self.init(path: folder + "/" + Self.fileName, files: files)
  }

  /// - Throws: as above.
  public init(path: String, files: FileSystem = .posix) throws(LogError) {
    let text = try ifPresent(files.contents(of: path, limit: 256 << 20))
    try self.init(text: text ?? [], of: path)
  }

  /// - Parameter name: where the text is from, for the error.
  /// - Throws: `.notALog` if a line is none of a ledger.
  package init(text: [UInt8], of name: String) throws(LogError) {
    entries = []
    for (number, line) in text.split(separator: 0x0a).enumerated() {
      guard let value = try? JSONValue(object: line), let entry = Entry(value) else {
        throw .notALog(path: name, reason: "line \(number + 1) is none of a ledger of rewritings")
      }
      entries.append(entry)
    }
  }

  var text: String { entries.reduce(into: "") { $0 += $1.json.text + "\n" } }

  /// The last rewriting that changed an event at a position; nil if none did.
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

// Members of files beside the segments.
extension JSONValue {
  func string(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  func number<Number: FixedWidthInteger>(_ name: String) -> Number? {
    if case .number(let text)? = self[name] { Number(text) } else { nil }
  }

  /// A checksum in hexadecimal.
  func sum(_ name: String) -> UInt64? { string(name).flatMap { UInt64($0, radix: 16) } }
}

extension LogView {
  /// The rewritings of the log; none of an unsealed input.
  /// - Throws: `.file`, `.notALog`.
  public func rewritings() throws(LogError) -> Rewritings {
    guard case .files(let files, _) = source else { return Rewritings() }
    // The new ledger of a decided rewriting counts, whether it is renamed or not.
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
