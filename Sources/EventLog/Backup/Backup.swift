import Events

/// A backup of a log in a folder, with its photos and its other files.
///
/// ```
/// let backup = Backup(of: "my.log", photos: "my.log/photos", in: "/backups/my")
/// let report = try backup.run()          // beside a running server
/// try Restoration(from: "/backups/my").run(to: "again.log")
/// ```
/// Each run copies the events, photos and files that are new or changed since the last one. The
/// folder holds the last finished backup until a run's last step replaces it. A run that was
/// interrupted leaves that backup as it was, and the next run keeps the copies it made.
///
/// Nobody has to stop writing. The copied events are a prefix of the log. Each photo that they name
/// is copied, and so are the files beside the segments, as they were no later than the last copied
/// event. Left out is only what the log makes again: `lock`, `checkpoints` and temporary files.
///
/// If the log was rewritten since the last run, the run copies all events again, and the old ones
/// and the photos of the forgotten leave the folder.
/// - Complexity: O(new bytes), and a `stat` for each photo; memory some hundred bytes a photo.
public struct Backup: Sendable {
  public struct Report: Equatable, Sendable {
    /// The last copied event and its sum.
    public var head: UInt64
    public var sum: UInt64
    /// How many events were copied by this run.
    public var newEvents: UInt64
    /// How many photos there are, how many were copied, and how many left the folder.
    public var photos: Int
    public var newPhotos: Int
    public var removedPhotos: Int
    /// The other files, by their paths in the log's folder.
    public var files: [String]
    public var wasRewritten: Bool
    /// Photos that the new events name and that were not there.
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
  ///   - folder: the backup's folder: a new or empty one, or that of an earlier run.
  public init(
    of log: String, photos: String, in folder: String, files: FileSystem = .posix,
    environment: RuntimeEnvironment = .system
  ) {
    (self.log, self.photos, self.folder) = (log, photos, folder)
    (self.files, self.environment) = (files, environment)
  }

  /// Makes or continues the backup.
  /// - Parameter progress: gets a label and the bytes copied so far.
  /// - Throws: `BackupError`; the last finished backup is then unchanged.
  @discardableResult
  public func run(progress: (String, Int) -> Void = { _, _ in }) throws(BackupError) -> Report {
    try BackupError.unwrapping { () throws(LogError) in
      // Refuses what is not a log before it makes a folder.
      _ = try LogView(path: log, files: files)
      try makeFolder()
      try checkPlace()
      let lock = try LogLock(folder, files)
      defer { lock.release() }
      let last = try lastManifest()
      for _ in 0..<5 {
        do throws(LogError) {
          var run = try BackupRun(self, last)
          return try run.finish(progress)
        } catch {
          // The next try begins with the new log.
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

  /// The last finished backup; nil if this is the first.
  /// - Throws: `.notABackup` if the folder holds something else; `.damaged`.
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

  /// - Throws: `.within` if a run would copy its own copies.
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
  /// Whether a log that is opened again can be read.
  fileprivate var isOfMovingLog: Bool {
    switch self {
    case .rewritten: true
    case .file(let error): error.isStale
    default: false
    }
  }
}
