#if Server
  import Events
  import SQLite
  import Synchronization

  /// The SQLite file with the accounts, their sessions and their codes.
  ///
  /// Only the file's owner may read it. It contains hashes of passwords, of refresh tokens and of
  /// codes, but never these themselves. Several processes may have it open; they use it one after
  /// the other (`AccountFileLock`). A change is on the disk when its function returns.
  /// - Complexity: each function takes O(log accounts), unless its comment says otherwise.
  public final class AccountFile: Sendable {
    /// The version of the tables. A file of a newer version is refused.
    private static let version: Int64 = 1
    private let database: Mutex<AccountDatabase>
    private let lock: AccountFileLock
    /// Whether the write-ahead log may have rows of removed accounts.
    let mayHaveOldVersions = Mutex(false)
    /// The path of the file.
    public let path: String

    /// Opens the file, and creates an empty one if there is none.
    public init(_ path: String) throws(AccountFault) {
      self.path = path
      let database = try AccountDatabase(privateFile: path)
      let lock = try AccountFileLock(of: path)
      do {
        let held = try lock.take()
        defer { lock.release(held) }
        try Self.prepare(database, path)
      }
      self.database = Mutex(database)
      self.lock = lock
      // A process may have removed an account while another one read the file.
      try dropOldVersions()
    }

    private static func prepare(
      _ database: AccountDatabase, _ path: String
    ) throws(AccountFault) {
      try database.script(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
          + "PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF;")
      try database.transaction { () throws(AccountFault) in
        switch try database.rows("PRAGMA user_version").first?.int(0) ?? 0 {
        case Self.version: break
        case 0: try database.script(Self.tables + "PRAGMA user_version = \(Self.version);")
        case let other:
          throw AccountFault(
            "\(path): the accounts have the format \(other); this program reads \(Self.version)")
        }
      }
    }

    /// Calls `body` with the connection. Other threads and processes wait meanwhile.
    func use<T: Sendable>(
      _ body: (AccountDatabase) throws(AccountFault) -> T
    ) throws(AccountFault) -> T {
      try database.withLock { (database) throws(AccountFault) in
        let held = try lock.take()
        defer { lock.release(held) }
        return try body(database)
      }
    }

    /// Calls `body` with the connection, in one transaction.
    func change<T: Sendable>(
      _ body: (AccountDatabase) throws(AccountFault) -> T
    ) throws(AccountFault) -> T {
      try use { (database) throws(AccountFault) in
        try database.transaction { () throws(AccountFault) in try body(database) }
      }
    }

    // Times are in milliseconds since 1970.
    private static let tables = """
      CREATE TABLE users (
        id TEXT PRIMARY KEY, email TEXT UNIQUE, password TEXT,
        confirmed_at INTEGER, is_proven INTEGER NOT NULL DEFAULT 0,
        metadata TEXT NOT NULL DEFAULT '{}', disabled_at INTEGER,
        is_in_log INTEGER NOT NULL DEFAULT 0,
        created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, signed_in_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX users_unconfirmed ON users (created_at) WHERE confirmed_at IS NULL;
      CREATE TABLE identities (
        provider TEXT NOT NULL, subject TEXT NOT NULL,
        user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        id TEXT NOT NULL, data TEXT NOT NULL,
        created_at INTEGER NOT NULL, signed_in_at INTEGER NOT NULL,
        PRIMARY KEY (provider, subject)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX identities_of ON identities (user);
      CREATE TABLE sessions (
        id TEXT PRIMARY KEY, user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        method TEXT NOT NULL, created_at INTEGER NOT NULL, refreshed_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX sessions_of ON sessions (user);
      CREATE INDEX sessions_by_use ON sessions (refreshed_at);
      CREATE TABLE refresh_tokens (
        hash TEXT PRIMARY KEY,
        session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        parent TEXT, created_at INTEGER NOT NULL, used_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX refresh_tokens_of ON refresh_tokens (session);
      CREATE TABLE codes (
        user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, purpose TEXT NOT NULL,
        code TEXT NOT NULL, link TEXT NOT NULL UNIQUE, email TEXT NOT NULL,
        sent_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (user, purpose)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX codes_by_email ON codes (email);
      CREATE TABLE public_keys (
        x TEXT NOT NULL, y TEXT NOT NULL, valid_until INTEGER, PRIMARY KEY (x, y)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE refused (user TEXT PRIMARY KEY, valid_until INTEGER NOT NULL)
        STRICT, WITHOUT ROWID;
      CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

      """
  }
#endif
