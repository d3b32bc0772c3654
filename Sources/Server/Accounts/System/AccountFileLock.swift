#if Server
  import EventLog
  import Events

  /// The lock that a process holds while it uses the accounts' file: the file `FILE.lock`.
  ///
  /// SQLite has locks of its own. But before version 3.51.3 (3.50.7, 3.44.6), if one process moves
  /// the write-ahead log into the file while another one writes, SQLite may take later changes for
  /// moved ones and lose them. This lock keeps the two apart.
  struct AccountFileLock: Sendable {
    /// The longest wait for other processes.
    private static let patience: Duration = .seconds(8)
    private let path: String
    private let files = FileSystem.posix

    /// Creates the lock's file if there is none. Only its owner may read it.
    init(of file: String) throws(AccountFault) {
      path = file + ".lock"
      release(try take())
      try makePrivate(path)
    }

    /// Takes the lock, and waits for other processes up to eight seconds.
    /// - Returns: the lock's open file, for `release`.
    func take() throws(AccountFault) -> Int32 {
      do throws(FileError) {
        let file = try files.open(path, .lock)
        let start = ContinuousClock.now
        do throws(FileError) {
          repeat {
            if try files.lock(file, path) { return file }
          } while ContinuousClock.now - start < Self.patience
        } catch {
          release(file)
          throw error
        }
        release(file)
      } catch {
        throw AccountFault("\(error)")
      }
      throw AccountFault("\(path): another program uses the accounts; try again")
    }

    /// Releases the lock. The system releases it when the file is closed.
    func release(_ file: Int32) { try? files.close(file, path) }
  }
#endif
