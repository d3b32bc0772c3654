import PersonalLogs
import UseCases

/// The folder in which a phone keeps a personal log, its outbox and remembered answers.
///
/// Only its owner may read the files:
/// - `personal-log` is the personal log. Each new one replaces the file.
/// - `outbox` is a journal of commands, answers, changed parts and dismissals, a synced line each.
/// - `answers` has the last answers to queries that the personal log does not answer.
/// - `owner` names the person.
/// - `outbox.damaged` is a copy of an outbox with damaged lines, if there ever was one.
/// - `lock` is locked by the only process that writes.
package struct OfflineFolder: Sendable {
  /// A line of the outbox.
  package enum Record: Equatable, Sendable {
    case command(PendingCommand)
    case reply(OutboxReply)
    case dismissed(String)
    /// The parts of the personal log that changed since the phone's decision, for the outcome.
    case changed(String, [String])
    /// A line of a newer version, which is kept as it is.
    case unknown(String)
  }

  /// The identities and sizes of the files, to notice that another process changed them.
  package struct Stamp: Equatable, Sendable {
    fileprivate var files: [FileSystem.Status?]
  }

  private let path: String
  let files: FileSystem
  private var outbox: Int32?

  package init(_ path: String, _ files: FileSystem = .posix) {
    (self.path, self.files) = (path, files)
  }

  private var personalLogPath: String { path + "/personal-log" }
  private var outboxPath: String { path + "/outbox" }
  private var answersPath: String { path + "/answers" }
  private var ownerPath: String { path + "/owner" }

  /// Creates the folder if it is missing, and takes the lock of its writer.
  /// - Throws: `.locked` if another process has it.
  package func lock() throws(LogError) -> WriterLock {
    do throws(FileError) {
      let isNew = try files.makeDirectoryIfMissing(path)
      if isNew, !PlantedBug.doesNotSyncFolder.isPlanted {
        try files.syncDirectory(parentDirectory(path))
      }
    } catch {
      throw .file(error)
    }
    return try WriterLock(path, files)
  }

  package func stamp() throws(FileError) -> Stamp {
    var stamp = Stamp(files: [])
    for path in [personalLogPath, outboxPath, answersPath] {
      stamp.files.append(try ifFound(try files.status(path)))
    }
    return stamp
  }

  private func contents(_ path: String) throws(FileError) -> [UInt8]? {
    try ifFound(try files.contents(of: path))
  }

  private func replace(_ path: String, _ text: String) throws(FileError) {
    try files.replace(path, in: self.path, Array(text.utf8), as: .createPrivate)
  }

  /// Returns the id of the person whose folder this is; nil for a new folder.
  package func owner() throws(FileError) -> String? {
    try contents(ownerPath).map { String(decoding: $0, as: UTF8.self) }
  }

  package func store(owner: String) throws(FileError) { try replace(ownerPath, owner) }

  // MARK: The personal log

  /// Returns the personal log, and for each part the position at which it last changed. Nil if
  /// there is none, or it is damaged; then the phone fetches it again.
  package func personalLog() throws(FileError) -> (PersonalLog, [String: UInt64])? {
    guard let bytes = try contents(personalLogPath),
      let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      let head = try? JSONValue(object: Array(bytes[..<end])),
      case .object(let members)? = head["changed"], case .string(let sum)? = head["sum"]
    else { return nil }
    let rest = Array(bytes[(end + 1)...])
    let text = String(decoding: rest, as: UTF8.self)
    guard sum == hexHash(rest), let log = try? PersonalLog(text: text) else { return nil }
    let changed = members.map { ($0.name, $0.value.uint64 ?? 0) }
    return (log, Dictionary(changed, uniquingKeysWith: { _, last in last }))
  }

  package func store(_ log: PersonalLog, _ changed: [String: UInt64]) throws(FileError) {
    let text = log.text
    let members = changed.sorted { $0.key < $1.key }.map {
      JSONValue.Member($0.key, .int($0.value))
    }
    let head = JSONValue.object([
      .init("changed", .object(members)), .init("sum", .string(hexHash(Array(text.utf8)))),
    ])
    if PlantedBug.keepsOldFile.isPlanted, try contents(personalLogPath) != nil { return }
    try replace(personalLogPath, head.text + "\n" + text)
  }

  // MARK: Remembered answers

  package func answers() throws(FileError) -> [RememberedAnswer] {
    guard let bytes = try contents(answersPath) else { return [] }
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      (try? JSONValue(object: Array(line))).flatMap(RememberedAnswer.init)
    }
  }

  package func store(_ answers: [RememberedAnswer]) throws(FileError) {
    try replace(answersPath, answers.map { $0.json.text + "\n" }.joined())
  }

  // MARK: The outbox

  /// Returns the records, and the number of damaged lines. A power failure can damage only lines
  /// whose commands were not acknowledged.
  package func records() throws(FileError) -> (records: [Record], damaged: Int) {
    var (records, damaged): ([Record], Int) = ([], 0)
    let bytes = try contents(outboxPath) ?? []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let (sum, text) = (line.prefix(16), Array(line.dropFirst(17)))
      guard String(decoding: sum, as: UTF8.self) == hexHash(text),
        let json = try? JSONValue(object: text)
      else {
        damaged += 1
        continue
      }
      records.append(Record(json))
    }
    return (records, damaged)
  }

  /// Copies the outbox, so that its damaged lines are not lost.
  package func keepDamaged() throws(FileError) {
    let bytes = try contents(outboxPath) ?? []
    try files.replace(outboxPath + ".damaged", in: path, bytes, as: .createPrivate)
  }

  /// Replaces all records.
  package mutating func store(_ records: [Record]) throws(FileError) {
    close()
    try replace(outboxPath, records.map(Self.line).joined())
  }

  /// Adds records with one sync.
  package mutating func append(_ records: [Record]) throws(FileError) {
    if records.isEmpty { return }
    var lines = records.map(Self.line).joined()
    let file: Int32
    if let outbox {
      file = outbox
    } else {
      file = try opened()
      outbox = file
      // Ends an incomplete line that a power failure left.
      if !PlantedBug.continuesTornLines.isPlanted { lines = "\n" + lines }
    }
    do throws(FileError) {
      try files.writeAll(Array(lines.utf8), to: file, outboxPath)
      if !PlantedBug.acknowledgesBeforeSync.isPlanted { try files.sync(file, outboxPath) }
    } catch {
      close()
      throw error
    }
  }

  private func opened() throws(FileError) -> Int32 {
    if let file = try ifFound(try files.open(outboxPath, .append)) { return file }
    try replace(outboxPath, "")
    return try files.open(outboxPath, .append)
  }

  /// Closes the outbox. The next `append` opens it again.
  package mutating func close() {
    if let outbox { try? files.close(outbox, outboxPath) }
    outbox = nil
  }

  /// Deletes all files, for a person who signs out.
  package mutating func delete() throws(FileError) {
    close()
    try delete([
      personalLogPath, answersPath, outboxPath, outboxPath + ".damaged", ownerPath,
    ])
  }

  /// Deletes the personal log and the remembered answers.
  package func deletePersonalLog() throws(FileError) {
    if PlantedBug.keepsLogOfDeletedAccount.isPlanted { return }
    try delete([personalLogPath, answersPath])
  }

  private func delete(_ paths: [String]) throws(FileError) {
    // An interrupted replacement may have left a temporary file.
    for path in paths + paths.map({ $0 + ".tmp" }) {
      try ifFound(try files.remove(path))
    }
    try files.syncDirectory(path)
  }

  private static func line(_ record: Record) -> String {
    let text = record.json.text
    return "\(hexHash(Array(text.utf8))) \(text)\n"
  }
}

extension OfflineFolder.Record {
  fileprivate var json: JSONValue {
    switch self {
    case .command(let command): .object([.init("command", command.json)])
    case .reply(let reply): .object([.init("reply", reply.json)])
    case .dismissed(let key): .object([.init("dismissed", .string(key))])
    case .changed(let key, let parts):
      .object([.init("changed", .string(key)), .init("parts", .array(parts.map { .string($0) }))])
    case .unknown(let text): (try? JSONValue(text)) ?? .object([])
    }
  }

  fileprivate init(_ json: JSONValue) {
    if let command = json["command"].flatMap(PendingCommand.init) {
      self = .command(command)
    } else if let reply = json["reply"].flatMap(OutboxReply.init) {
      self = .reply(reply)
    } else if case .string(let key)? = json["dismissed"] {
      self = .dismissed(key)
    } else if case .string(let key)? = json["changed"], case .array(let parts)? = json["parts"] {
      self = .changed(
        key, parts.compactMap { if case .string(let part) = $0 { part } else { nil } })
    } else {
      self = .unknown(json.text)
    }
  }
}
