#if PostgreSQL
  import EventLog
  import Events

  /// The address of a log on a PostgreSQL server: `postgresql://user@host:5432/database#schema`.
  ///
  /// All but the schema, which is `eventlog` if the address names none, is libpq's, with its
  /// parameters (`?sslmode=verify-full`), password file and environment.
  public struct PostgresAddress: Sendable {
    let connection: String
    let schema: PostgresSchema
    /// The address without a password.
    public let name: String

    public static func isOne(_ text: String) -> Bool {
      text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// - Throws: `RemoteFault.noLog` for a schema that cannot be.
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
              name, reason: "what follows # is the schema: small letters, digits and _, up to 40")))
      }
      self.schema = schema
    }
  }
#endif
