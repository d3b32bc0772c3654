#if PostgreSQL
  import EventLog
  import Events

  /// The address of a log on a PostgreSQL server: `postgresql://user@host:5432/database#schema`.
  ///
  /// The part after `#` is the schema's name; without it, the name is `eventlog`. The library libpq
  /// receives the part before `#`, with parameters such as `?sslmode=verify-full`. libpq also reads
  /// its password file and its environment variables.
  public struct PostgresAddress: Sendable {
    let connection: String
    let schema: PostgresSchema
    /// The address without its password, for messages.
    public let name: String

    /// Returns whether a text begins like the address of a PostgreSQL server.
    public static func isOne(_ text: String) -> Bool {
      text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// Parses an address.
    /// - Throws: `RemoteFault.noLog` if the schema's name is invalid.
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
