import Events

/// The list of a finished backup's contents, stored in the file `backup` in the backup's folder.
///
/// The file is text. It has one JSON line for the whole backup, one for each copied file, and a
/// last line with the checksum of all earlier lines. A backup's last step replaces the file
/// atomically. The file therefore always describes the last finished backup, even while a later run
/// is in progress.
struct BackupManifest {
  static let fileName = "backup"
  static let format = 1

  /// A copied photo, or a copied file from the log's folder that is not a segment.
  struct File: Equatable {
    /// The source file's path, relative to the log's folder or the photos' folder.
    var path: String
    var size: Int
    var hash: UInt64
    var stored: String
    /// The source file's identity (`FileSystem.Status`) when the run copied it.
    var identity: UInt64 = 0
    var changed: Int64 = 0
  }

  /// The number of this backup among the finished backups in this folder, from 1.
  var run = 0
  var time = Timestamp(milliseconds: 0)
  var head: UInt64 = 0
  var sum: UInt64 = 0
  /// The number of times that the log had been rewritten before this backup.
  var rewritings = 0
  var logFolder = "log-1"
  var segments: [(name: String, size: Int)] = []
  var sides: [File] = []
  var photos: [String: File] = [:]

  var text: [UInt8] {
    var out = ByteBuffer()
    func line(_ members: [JSONValue.Member]) {
      out.append(.object(members))
      out.append("\n")
    }
    line([
      .init("backup", .int(Self.format)), .init("run", .int(run)),
      .init("time", .string("\(time)")), .init("events", .int(head)),
      .init("sum", .string(sum.padded(to: 16, radix: 16))),
      .init("rewritings", .int(rewritings)), .init("log", .string(logFolder)),
    ])
    for segment in segments {
      line([.init("segment", .string(segment.name)), .init("size", .int(segment.size))])
    }
    for file in sides { line(file.members("file")) }
    for (_, file) in photos.sorted(by: { $0.key < $1.key }) { line(file.members("photo")) }
    let hash = XXH64.hash(out.array, seed: 0)
    line([.init("end", .string(hash.padded(to: 16, radix: 16)))])
    return out.array
  }

  /// Parses a manifest's text.
  /// - Throws: `.damaged` if its checksum is wrong or a line is invalid.
  init(_ text: [UInt8], path: String) throws(LogError) {
    let damage = LogError.backup(.damaged(path: path, reason: "it is not what a backup wrote"))
    guard text.last == 0x0a, let last = text.dropLast().lastIndex(of: 0x0a) else { throw damage }
    let body = Array(text[...last])
    guard let end = try? JSONValue(object: text[(last + 1)...].dropLast()),
      end.sum("end") == XXH64.hash(body, seed: 0)
    else { throw damage }
    for (number, line) in body.split(separator: 0x0a).enumerated() {
      guard let value = try? JSONValue(object: line) else { throw damage }
      if number == 0 {
        guard let format: Int = value.number("backup") else { throw damage }
        guard format <= Self.format else {
          throw .backup(.damaged(path: path, reason: "it is of a newer format, \(format)"))
        }
        try readHead(value, damage)
      } else if let name = value.string("segment"), let size: Int = value.number("size"), size >= 0,
        SegmentName.first(name) != nil
      {
        segments.append((name, size))
      } else if let file = File(value, "file") {
        sides.append(file)
      } else if let file = File(value, "photo") {
        photos[file.path] = file
      } else {
        throw damage
      }
    }
  }

  init() {}

  /// Reads the manifest of the last finished backup in a folder; nil if there is none.
  init?(in folder: String, _ files: FileSystem) throws(LogError) {
    let path = folder + "/" + Self.fileName
    guard let text = try ifPresent(files.contents(of: path)) else { return nil }
    try self.init(text, path: path)
  }

  private mutating func readHead(_ value: JSONValue, _ damage: LogError) throws(LogError) {
    guard let run: Int = value.number("run"),
      let time = value.string("time").flatMap({ Timestamp($0) }),
      let head: Int = value.number("events"), head >= 0, let sum = value.sum("sum"),
      let rewritings: Int = value.number("rewritings"), let folder = value.string("log"),
      Self.isPath(folder)
    else { throw damage }
    (self.run, self.time, self.head, self.sum) = (run, time, UInt64(head), sum)
    (self.rewritings, logFolder) = (rewritings, folder)
  }

  /// Whether a relative path has no empty, `.` or `..` component, so that it cannot leave its
  /// folder.
  static func isPath(_ text: String) -> Bool {
    text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
      !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
        && !$0.contains(0)
    }
  }
}

extension BackupManifest.File {
  func members(_ kind: String) -> [JSONValue.Member] {
    [
      .init(kind, .string(path)), .init("size", .int(size)),
      .init("hash", .string(hash.padded(to: 16, radix: 16))), .init("stored", .string(stored)),
      .init("identity", .string(identity.padded(to: 16, radix: 16))),
      .init("changed", .int(changed)),
    ]
  }

  init?(_ value: JSONValue, _ kind: String) {
    guard let path = value.string(kind), let size: Int = value.number("size"), size >= 0,
      let hash = value.sum("hash"), let stored = value.string("stored"),
      let identity = value.sum("identity"), let changed: Int64 = value.number("changed"),
      BackupManifest.isPath(path), BackupManifest.isPath(stored)
    else { return nil }
    self.init(
      path: path, size: size, hash: hash, stored: stored, identity: identity,
      changed: changed)
  }

  func isUnchanged(_ status: FileSystem.Status) -> Bool {
    size == status.size && identity == status.identity && changed == status.changed
  }
}
