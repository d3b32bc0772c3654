import Events

/// The rules that a log records, oldest first, as stored in `rules.json` in its folder.
///
/// ```
/// {"rules":[{"after":0,"rules":{"base":"climb"}},{"after":300,"rules":{"base":"erg"}}]}
/// ```
/// An entry's rules apply from the event after the position `after` until the next entry. The first
/// entry's rules also apply to earlier events. `Rules.init(json:)` decodes an entry's `rules`. A
/// clone copies the file from its shared log.
public struct RecordedRules: Sendable {
  /// The file's name in a log's folder.
  public static let fileName = "rules.json"

  /// Rules and the position after which they apply.
  public struct Entry: Equatable, Sendable {
    /// The position of the last event before the rules were recorded.
    public var after: UInt64
    /// The rules, as a JSON object for `Rules.init(json:)`.
    public var rules: JSONValue

    /// Creates an entry.
    public init(after: UInt64, rules: JSONValue) { (self.after, self.rules) = (after, rules) }
  }

  /// The entries, oldest first; empty if the log records no rules.
  public var entries: [Entry]
  /// The path of the file, or the name of the shared log, that the entries were read from. For
  /// messages.
  public let source: String

  /// Creates rules from entries.
  /// - Parameter source: the file or shared log that the entries come from, for messages.
  public init(_ entries: [Entry] = [], from source: String = "") {
    (self.entries, self.source) = (entries, source)
  }

  /// Reads the rules in a log's folder. There are no entries if the file or the folder is missing.
  /// - Throws: `RulesRefusal.unreadable` if the file does not hold rules; `.file`.
  public init(folder: String, files: FileSystem = .posix) throws(LogError) {
    source = folder + "/" + Self.fileName
    entries = []
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try files.contents(of: source, limit: 16 << 20)
    } catch {
      if error.isNotFound || (try? files.status(folder).kind) != .directory { return }
      throw .file(error)
    }
    let value: JSONValue
    do throws(LineFault) {
      value = try JSONValue(object: bytes)
    } catch {
      throw .rules(.unreadable(source, reason: "\(error)"))
    }
    guard case .object(let members) = value, members.count == 1,
      case .array(let values)? = value["rules"]
    else { throw .rules(.unreadable(source, reason: #"{"rules":[…]} is expected"#)) }
    for value in values {
      guard case .number(let text)? = value["after"], let after = UInt64(text),
        let rules = value["rules"], case .object = rules, after >= entries.last?.after ?? 0
      else {
        let place = "rules[\(entries.count)]"
        throw .rules(
          .unreadable(source, reason: #"\#(place): {"after":POSITION,"rules":{…}} is expected"#))
      }
      entries.append(Entry(after: after, rules: rules))
    }
  }

  var text: String {
    let values = entries.map { entry in
      JSONValue.object([
        .init("after", .number("\(entry.after)")), .init("rules", entry.rules),
      ])
    }
    return JSONValue.object([.init("rules", .array(values))]).text + "\n"
  }

  func write(to folder: String, _ files: FileSystem) throws(LogError) {
    try io(files.replace(folder + "/" + Self.fileName, in: folder, Array(text.utf8)))
  }

  /// Writes the rules into the folder of a log that was created from this one.
  /// - Parameter position: returns the position in the new log of the last event that it has up to
  ///   a position in this log.
  public func copy(
    to folder: String, files: FileSystem = .posix, position: (UInt64) -> UInt64
  ) throws(LogError) {
    if entries.isEmpty { return }
    var copy = self
    for index in copy.entries.indices {
      copy.entries[index].after = position(copy.entries[index].after)
    }
    try copy.write(to: folder, files)
  }
}

/// A conflict between a log's rules and those of a program, a clone or a shared log.
public enum RulesRefusal: StoreError, Equatable {
  /// The rules given by a program differ from those that the log records.
  case other(recorded: String, given: String, source: String)
  /// A log's file, or a shared log's table row, does not hold rules.
  case unreadable(String, reason: String)
  /// A shared log and its clone record different rules: the shared log's entries do not begin with
  /// the clone's entries. Holds the shared log's name and the path of the clone's rules.
  case parted(String, clone: String)
  /// Others recorded different rules in a shared log.
  case changed(String)
  /// The rules were recorded after an event that the log does not have.
  case beyondHead(String, after: UInt64, head: UInt64)

  public var description: String {
    switch self {
    case .other(let recorded, let given, let source):
      "the log has the rules \(recorded) (\(source)), not \(given); 'eventlog rules' changes them"
    case .unreadable(let source, let reason):
      "\(source): the rules cannot be read: \(reason). Restore the file from a backup, or delete "
        + "it and record the rules again with 'eventlog rules'"
    case .parted(let name, let clone):
      "the rules of \(name) do not continue those of this clone (\(clone)): the shared log was "
        + "restored or replaced. If it only lacks the last rules, 'eventlog push' records the "
        + "clone's rules there"
    case .changed(let name):
      "\(name): others changed the rules; pull, then print them with 'eventlog rules'"
    case .beyondHead(let source, let after, let head):
      "\(source): rules were recorded after event \(after), but the log ends at \(head): its last "
        + "events are missing"
    }
  }
}

extension LogError {
  package static func rules(_ refusal: RulesRefusal) -> LogError { .store(StoreFailure(refusal)) }

  /// The `RulesRefusal` that this error holds; nil for other errors.
  public var rulesRefusal: RulesRefusal? {
    if case .store(let failure) = self { failure.reason as? RulesRefusal } else { nil }
  }
}

extension LogView {
  /// Returns the rules that the log records; none for an input that is not a log in a folder.
  /// - Throws: `RulesRefusal.unreadable`, `.file`.
  public func recordedRules() throws(LogError) -> RecordedRules {
    guard case .files(let files, _) = source else { return RecordedRules() }
    return try RecordedRules(folder: path, files: files)
  }
}

extension ReadOnlyLog {
  public func recordedRules() async throws(LogError) -> RecordedRules {
    try await history().recordedRules()
  }
}

extension FileLog {
  public func recordedRules() async throws(LogError) -> RecordedRules {
    try RecordedRules(folder: path, files: files)
  }

  /// Records the rules that apply from the next event on. A clone first records them in its shared
  /// log. Programs that already have the log open keep their old rules until they open it again.
  /// - Throws: `RulesRefusal`, `.file`, `RemoteFault`.
  public func record(rules: JSONValue) async throws(LogError) {
    var recorded = try await recordedRules()
    if recorded.entries.last?.rules == rules { return }
    recorded.entries.append(.init(after: await head(), rules: rules))
    if let remote { try await remote.record(recorded) }
    try recorded.write(to: path, files)
  }

  /// Copies the shared log's rules into a clone's folder.
  func pullRules(from remote: any RemoteLog) async throws(LogError) {
    let theirs = try await remote.rules()
    // If the clone's file is damaged, it is replaced from the shared log.
    let ours = (try? RecordedRules(folder: path, files: files)) ?? RecordedRules()
    if theirs.entries == ours.entries { return }
    guard theirs.entries.starts(with: ours.entries) else {
      throw .rules(.parted(remote.name, clone: ours.source))
    }
    try theirs.write(to: path, files)
  }

  /// Records in a shared log the entries that it lacks, from the rules of a log in a folder.
  static func pushRules(
    _ folder: String, to remote: any RemoteLog, _ files: FileSystem
  ) async throws(LogError) {
    let ours = try RecordedRules(folder: folder, files: files)
    if ours.entries.isEmpty { return }
    let theirs = try await remote.rules()
    if ours.entries.count > theirs.entries.count {
      try await remote.record(ours)
    } else if !theirs.entries.starts(with: ours.entries) {
      throw .rules(.parted(remote.name, clone: ours.source))
    }
  }
}

extension FolderRemote {
  public func rules() async throws(LogError) -> RecordedRules {
    try RecordedRules(folder: path, files: files)
  }

  public func record(_ rules: RecordedRules) async throws(LogError) {
    try await locked { (_) throws(LogError) in
      let theirs = try RecordedRules(folder: path, files: files)
      if theirs.entries == rules.entries { return }
      guard rules.entries.starts(with: theirs.entries) else { throw .rules(.changed(path)) }
      try rules.write(to: path, files)
    }
  }
}
