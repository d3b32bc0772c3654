import Events

/// A backup of a log in a folder, with its photos and its other files.
///
/// ```
/// let backup = Backup(of: "my.log", photos: "my.log/photos", in: "/backups/my")
/// let report = try backup.run()          // beside a running server
/// try Restoration(from: "/backups/my").run(to: "again.log")
/// ```
/// Each run copies the events, photos and files that are new or changed since the last run. The
/// folder keeps the last finished backup until a run's last step replaces it. An interrupted run
/// leaves that backup unchanged; the next run reuses the files that it copied.
///
/// Writers can append during a run: the copied events are then the log's first events. The run
/// copies each photo that these events name. It also copies the other files in the log's folder, in
/// a state no newer than the last copied event. It leaves out only files that the log recreates:
/// `lock`, `checkpoints`, temporary files.
///
/// If the log was rewritten since the last run, the run copies all events again. It then removes
/// the old events and the erased people's photos from the backup's folder.
/// - Complexity: O(new bytes), and for each photo a `stat` call and some hundred bytes of memory.
public struct Backup: Sendable {
  /// The results of one backup run.
  public struct Report: Equatable, Sendable {
    /// The position of the last copied event.
    public var head: UInt64
    /// The checksum of the last copied event's line.
    public var sum: UInt64
    /// The number of events that this run copied.
    public var newEvents: UInt64
    /// The number of photos in the backup.
    public var photos: Int
    /// The number of photos that this run copied.
    public var newPhotos: Int
    /// The number of photos that this run removed from the folder.
    public var removedPhotos: Int
    /// The copied files other than segments and photos, as paths relative to the log's folder.
    public var files: [String]
    /// Whether the log was rewritten since the last run.
    public var wasRewritten: Bool
    /// The paths of photos that new events name but that the run did not find.
    public var missingPhotos: [String]
  }

  let log: String
  let photos: String
  let folder: String
  let files: FileSystem
  let environment: RuntimeEnvironment

  /// - Parameters:
  ///   - log: the log's folder.
  ///   - photos: the folder of photos; it need not exist.
  ///   - folder: the backup's folder: missing, empty, or used by an earlier run.
  public init(
    of log: String, photos: String, in folder: String, files: FileSystem = .posix,
    environment: RuntimeEnvironment = .system
  ) {
    (self.log, self.photos, self.folder) = (log, photos, folder)
    (self.files, self.environment) = (files, environment)
  }

  /// Creates the backup, or updates an earlier backup in the same folder.
  /// - Parameter progress: receives `events` or `photos`, and the number of bytes copied so far.
  /// - Throws: `BackupError`; the last finished backup is then unchanged.
  @discardableResult
  public func run(progress: (String, Int) -> Void = { _, _ in }) throws(BackupError) -> Report {
    try BackupError.unwrapping { () throws(LogError) in
      // Refuses a folder that is not a log before it creates a folder.
      _ = try LogView(path: log, files: files)
      try makeFolder()
      try checkPlace()
      let lock = try WriterLock(folder, files)
      defer { lock.release() }
      let last = try lastManifest()
      for _ in 0..<5 {
        do throws(LogError) {
          var run = try BackupRun(self, last)
          return try run.finish(progress)
        } catch {
          // The log was replaced during the run. The next attempt reads the new log.
          guard error.isOfMovingLog else { throw error }
        }
      }
      throw .backup(.neverStill(path: log))
    }
  }

  private func makeFolder() throws(LogError) {
    do throws(FileError) {
      if try files.makeDirectoryIfMissing(folder) {
        try files.syncDirectory(parentDirectory(folder))
      }
    } catch {
      throw .backup(.cannotMake(error))
    }
  }

  /// Returns the manifest of the folder's last finished backup; nil if there is none.
  /// - Throws: `.notABackup` if the folder holds files that are not a backup's; `.damaged` if the
  ///   manifest is damaged.
  private func lastManifest() throws(LogError) -> BackupManifest? {
    if let manifest = try BackupManifest(in: folder, files) { return manifest }
    let known = [
      "lock", "log-1", BackupRun.photoFolder, BackupRun.progressName, "files-1",
      BackupManifest.fileName + ".tmp",
    ]
    guard try io(files.list(folder)).allSatisfy(known.contains) else {
      throw .backup(.notABackup(path: folder))
    }
    return nil
  }

  /// Checks that the backup's folder is outside the log's folder and the photos' folder.
  /// - Throws: `.within` if it is inside one of them.
  private func checkPlace() throws(LogError) {
    for source in [log, photos] {
      guard let outer = try? files.status(source) else { continue }
      var path = folder
      var inner = try io(files.status(path))
      for _ in 0..<64 {
        if inner.identity == outer.identity { throw .backup(.within(path: folder, folder: source)) }
        path += "/.."
        guard let parent = try? files.status(path), parent.identity != inner.identity else { break }
        inner = parent
      }
    }
  }
}

extension LogError {
  /// Whether another process changed the log during a read. The backup then opens the log again.
  fileprivate var isOfMovingLog: Bool {
    switch self {
    case .rewritten: true
    case .file(let error): error.isStale
    default: false
    }
  }
}
