import Events

/// Why a backup or a restore did not finish.
public enum BackupError: Error, Equatable, CustomStringConvertible {
  /// The log cannot be read.
  case log(LogError)
  /// The backup's folder holds something else.
  case notABackup(path: String)
  /// There is no finished backup in the folder.
  case noBackup(path: String)
  /// The backup is not of this log, or the log has lost events since.
  case otherLog(path: String, reason: String)
  /// Something in the backup is not what was written.
  case damaged(path: String, reason: String)
  /// The place to restore to holds something.
  case occupied(path: String)
  /// The folder for the backup or the new log cannot be made.
  case cannotMake(FileError)
  /// Another process makes a backup in the folder.
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
}

/// Turns errors of the log into errors of a backup.
func backingUp<T>(_ body: () throws(LogError) -> T) throws(BackupError) -> T {
  do throws(LogError) {
    return try body()
  } catch {
    throw .log(error)
  }
}

/// Turns errors of the operating system into errors of a backup.
func storing<T>(_ body: () throws(FileError) -> T) throws(BackupError) -> T {
  do throws(FileError) {
    return try body()
  } catch {
    throw .log(.file(error))
  }
}
