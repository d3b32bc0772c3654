import Events

/// Why a backup or a restore did not finish.
public enum BackupError: StoreError, Equatable {
  /// The log could not be read or the backup not written.
  case log(LogError)
  /// The folder holds files that are not a backup's.
  case notABackup(path: String)
  /// The folder holds no finished backup.
  case noBackup(path: String)
  /// The backup is of another log, or the log has lost events since.
  case otherLog(path: String, reason: String)
  /// A file of the backup is missing or not as it was written.
  case damaged(path: String, reason: String)
  /// The folder for the new log is not empty.
  case occupied(path: String)
  /// The folder for the backup or the new log cannot be created.
  case cannotMake(FileError)
  /// Another process is making a backup in the folder.
  case inUse(path: String, holder: String)
  /// The backup's folder is inside the log's folder or the photos' folder.
  case within(path: String, folder: String)
  /// The log was rewritten repeatedly while it was read.
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

  /// Runs steps of a backup, and unwraps the `BackupError` in an error that they throw.
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
