import Events

/// Why a backup or a restore did not finish.
public enum BackupError: StoreError, Equatable {
  case log(LogError)
  case notABackup(path: String)
  case noBackup(path: String)
  /// The backup is not of this log, or the log has lost events since.
  case otherLog(path: String, reason: String)
  case damaged(path: String, reason: String)
  case occupied(path: String)
  /// The folder for the backup or the new log cannot be made.
  case cannotMake(FileError)
  case inUse(path: String, holder: String)
  /// The backup's folder is in the log's or in that of the photos.
  case within(path: String, folder: String)
  /// The log was rewritten again and again while it was read.
  case neverStill(path: String)

  public var description: String {
    switch self {
    case .log(let error): "\(error)"
    case .notABackup(let path): "\(path) holds other files than a backup; name a new folder"
    case .noBackup(let path): "\(path): no finished backup; eventlog backup makes one"
    case .otherLog(let path, let reason): "\(path) is no backup of this log: \(reason)"
    case .damaged(let path, let reason): "\(path): the backup is damaged: \(reason)"
    case .occupied(let path): "\(path) holds something; name a new or an empty folder"
    case .cannotMake(let error): "\(error)"
    case .inUse(let path, let holder):
      "\(path): another backup is being made: \(holder); wait for it or stop it"
    case .within(let path, let folder): "\(path) is in \(folder); keep backups elsewhere"
    case .neverStill(let path): "\(path) changed whenever it was read; try again later"
    }
  }

  /// Unwraps the errors that the steps of a backup throw with `LogError.backup`.
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
