#if PostgreSQL
  import Events

  /// The address of a log on a PostgreSQL server: `postgresql://user@host:5432/database#schema`.
  ///
  /// All but the schema, which is `eventlog` if the address names none, is libpq's, with its
  /// parameters (`?sslmode=verify-full`), password file and environment.
  public struct PostgresAddress: Sendable {
    /// What libpq connects to.
    let connection: String
    let schema: Schema
    /// The address without a password.
    public let name: String

    public static func isOne(_ text: String) -> Bool {
      text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// - Throws: `RemoteFault.noLog` for a schema that cannot be.
    public init(_ text: String) throws(LogError) {
      let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      connection = String(parts[0])
      name = Self.masked(text)
      guard let schema = Schema(parts.count > 1 ? String(parts[1]) : Schema.standard) else {
        throw .store(
          StoreFailure(
            RemoteFault.noLog(
              name, reason: "what follows # is the schema: small letters, digits and _, up to 40")))
      }
      self.schema = schema
    }

    /// The text without what stands between the user and the host, and without a parameter that
    /// is a password.
    private static func masked(_ text: String) -> String {
      var text = text
      if let scheme = text.range(of: "://"),
        let end = text[scheme.upperBound...].firstIndex(where: { "/?#".contains($0) })
          ?? Optional(text.endIndex),
        let at = text[scheme.upperBound..<end].lastIndex(of: "@"),
        let colon = text[scheme.upperBound..<at].firstIndex(of: ":")
      {
        text.replaceSubrange(colon..<at, with: ":***")
      }
      if let start = text.range(of: "password=")?.upperBound {
        let end = text[start...].firstIndex { "&#".contains($0) } ?? text.endIndex
        text.replaceSubrange(start..<end, with: "***")
      }
      return text
    }
  }

  extension String {
    fileprivate func range(of part: String) -> Range<Index>? {
      indices.lazy.first { self[$0...].hasPrefix(part) }.map {
        $0..<self.index($0, offsetBy: part.count)
      }
    }
  }
#endif
