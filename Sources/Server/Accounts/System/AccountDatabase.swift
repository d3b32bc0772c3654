#if Server
  import EventLog
  import Events
  import SQLite

  /// The connection to the accounts' file.
  typealias AccountDatabase = SQLiteDatabase<AccountFault>

  extension AccountFault: SQLiteFailure {
    package init(_ fault: SQLiteFault) { self.init(fault.description) }
  }

  extension AccountDatabase {
    /// Opens a database, and creates an empty one if there is no file. Only the owner of the file
    /// may read and write it.
    convenience init(privateFile path: String) throws(AccountFault) {
      do throws(FileError) {
        let files = FileSystem.posix
        if try ifFound(files.status(path)) == nil {
          try files.close(files.open(path, .createPrivate), path)
        }
      } catch {
        throw AccountFault("\(error)")
      }
      try makePrivate(path)
      try self.init(path)
    }
  }
#endif
