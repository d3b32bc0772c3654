#if SQLite || PostgreSQL
  import Mirroring
  import Tables
#endif

/// The database of a mirror.
struct MirrorTarget: Sendable {
  let address: MirrorAddress

  /// Parses a mirror's address.
  /// - Parameter exists: whether an SQLite file must exist already.
  /// - Throws: exit 64 for another address, or if this program lacks the database's library; exit
  ///   66 if the file does not exist.
  init(_ text: String, exists: Bool) throws(Failure) {
    do throws(MirrorAddress.Fault) {
      address = try MirrorAddress(text)
    } catch {
      throw .usage(error.description)
    }
    #if SQLite
      if exists, case .sqlite(let path) = address, (try? FileSystem.posix.status(path)) == nil {
        throw Failure(.noInput, "\(path) does not exist")
      }
    #endif
    if !hasLibrary { throw missingLibrary }
  }

  private var hasLibrary: Bool {
    switch address {
    case .postgresql:
      #if PostgreSQL
        return true
      #else
        return false
      #endif
    case .sqlite:
      #if SQLite
        return true
      #else
        return false
      #endif
    }
  }

  /// The failure of a build without the database's library.
  var missingLibrary: Failure {
    let (library, package, trait) =
      if case .sqlite = address {
        ("libsqlite3", "libsqlite3-dev", "SQLite")
      } else {
        ("libpq", "libpq-dev", "PostgreSQL")
      }
    return .usage(
      "\(address.name): this eventlog was built without \(library): install \(package), then swift "
        + "build -c release --traits \(trait)")
  }
}

#if SQLite || PostgreSQL
  extension MirrorTarget {
    /// Opens the database.
    func database() throws -> any MirrorDatabase {
      switch address {
      case .postgresql(let address, let schema):
        #if PostgreSQL
          return PostgresMirror(
            address, schema: schema, name: self.address.name, says: { Output.remark($0) })
        #else
          throw missingLibrary
        #endif
      case .sqlite(let path):
        #if SQLite
          return SQLiteMirror(path)
        #else
          throw missingLibrary
        #endif
      }
    }

    /// Returns the SQL statements that create tables.
    func statements(_ schemas: [TableSchema]) -> [String] {
      switch address {
      case .postgresql(_, let schema): PostgresDialect.statements(schemas, schema: schema)
      case .sqlite: SQLiteDialect.statements(schemas)
      }
    }

    /// Returns the SQL statements that create tables and row-level security, with all settings.
    func allStatements(_ schemas: [TableSchema], policies: String) -> [String] {
      guard case .postgresql(_, let schema) = address else { return statements(schemas) }
      return statements(schemas) + PostgresDialect.withoutStatistics(schemas, in: schema)
        + (policies.isEmpty ? [] : PostgresAccess.policies(in: schema))
    }

    /// Returns the form in which the database stores a value.
    func stored(_ value: TableValue) -> TableValue {
      if case .postgresql = address { PostgresText.stored(value) } else { value }
    }
  }
#endif
