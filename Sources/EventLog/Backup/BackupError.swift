import Events

/// The reason why a backup or a restore did not finish.
public enum BackupError: StoreError, Equatable {
  /// The log could not be read, or the backup could not be written.
  case log(LogError)
  /// The folder chosen for the backup holds files that are not a backup's.
  case notABackup(path: String)
  /// The folder holds no finished backup.
  case noBackup(path: String)
  /// The folder holds a backup of another log, or the log lost events after its last backup.
  case otherLog(path: String, reason: String)
  /// A file of the backup is missing, or its bytes differ from those written.
  case damaged(path: String, reason: String)
  /// The folder for the new log is not empty.
  case occupied(path: String)
  /// The folder for the backup or the new log cannot be created.
  case cannotMake(FileError)
  /// Another process is making a backup in the folder.
  case inUse(path: String, holder: String)
  /// The backup's folder is inside the log's folder or the photos' folder.
  case within(path: String, folder: String)
  /// Each time that the backup read the log, another process rewrote the log.
  case neverStill(path: String)

  public var description: String {
    switch self {
    case .log(let error): "\(error)"
    case .notABackup(let path): "\(path) holds files that are not a backup; choose a new folder"
    case .noBackup(let path): "\(path): there is no finished backup; 'eventlog backup' makes one"
    case .otherLog(let path, let reason): "\(path) is not a backup of this log: \(reason)"
    case .damaged(let path, let reason): "\(path): the backup is damaged: \(reason)"
    case .occupied(let path): "\(path) is not empty; choose a new or an empty folder"
    case .cannotMake(let error): "\(error)"
    case .inUse(let path, let holder):
      "\(path): another backup is being made: \(holder); wait for it or stop it"
    case .within(let path, let folder): "\(path) is in \(folder); keep backups elsewhere"
    case .neverStill(let path): "\(path) kept changing while it was read; try again later"
    }
  }

  /// Runs `body`, returns its result, and converts a thrown `LogError` to a `BackupError`.
  static func unwrapping<T>(_ body: () throws(LogError) -> T) throws(BackupError) -> T {
    do throws(LogError) {
      return try body()
    } catch {
      if case .locked(let path, let holder) = error { throw .inUse(path: path, holder: holder) }
      if case .store(let failure) = error, let fault = failure.reason as? BackupError {
        throw fault
      }
      throw .log(error)
    }
  }
}

extension LogError {
  static func backup(_ error: BackupError) -> LogError { .store(StoreFailure(error)) }
}
