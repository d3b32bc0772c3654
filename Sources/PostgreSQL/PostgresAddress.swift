#if PostgreSQL
  import EventLog
  import Events

  /// The address of a log on a PostgreSQL server: `postgresql://user@host:5432/database#schema`.
  ///
  /// The schema is `eventlog` if the address names none. The rest is passed to libpq, which also
  /// reads its parameters (`?sslmode=verify-full`), password file and environment.
  public struct PostgresAddress: Sendable {
    let connection: String
    let schema: PostgresSchema
    /// The address without a password.
    public let name: String

    /// Whether a text begins like such an address.
    public static func isOne(_ text: String) -> Bool {
      text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// - Throws: `RemoteFault.noLog` for an invalid schema name.
    public init(_ text: String) throws(LogError) {
      let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      connection = String(parts[0])
      name = Clone.masked(text)
      guard
        let schema = PostgresSchema(parts.count > 1 ? String(parts[1]) : PostgresSchema.standard)
      else {
        throw .store(
          StoreFailure(
            RemoteFault.noLog(
              name, reason: "after # comes the schema: small letters, digits and _, up to 40")))
      }
      self.schema = schema
    }
  }
#endif
