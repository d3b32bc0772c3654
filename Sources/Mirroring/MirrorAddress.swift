/// The address of a mirror: `postgresql://user@host/database?schema=s` or `sqlite:FILE`.
package enum MirrorAddress: Equatable, Sendable {
  /// A PostgreSQL database: the address for libpq, and the schema of the tables.
  case postgresql(String, schema: String)
  /// An SQLite file.
  case sqlite(String)
}
