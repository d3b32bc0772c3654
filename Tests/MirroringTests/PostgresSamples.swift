#if PostgreSQL
  import Events
  import Mirroring
  import PostgresTesting
  import Tables
  import Testing
  import UseCases

  /// Small tables and rows for the tests of mirrors in PostgreSQL.
  enum PostgresSamples {
    static let people = TableSchema(
      name: "people", about: "People; each one's \"rows\" are \\unique.",
      columns: [
        Column("id", .user, "The person's id.", isOptional: false),
        Column("name", .text, "The name.", isOptional: true),
        Column("token", .uuid, "A UUID.", isOptional: true),
        Column("born", .date, "A date.", isOptional: true),
        Column("is_public", .bool, "A flag.", isOptional: true),
        Column("count", .integer, "A number.", isOptional: true),
        Column("score", .double, "A fraction.", isOptional: true),
        Column("seen", .time, "A time.", isOptional: true),
        Column("data", .json, "JSON.", isOptional: true),
        Column("until", .time, "The end of a period.", isOptional: false, isEnd: true),
      ],
      key: [0], indexes: [[1], [4, 5]])

    static let posts = TableSchema(
      name: "posts", about: "Posts.",
      columns: [
        Column("author", .user, "The author.", isOptional: false),
        Column("number", .integer, "The post's number.", isOptional: false),
        Column("order", .text, "A column whose name is a reserved word.", isOptional: true),
      ],
      key: [0, 1], references: [.init(column: 0, table: "people")])

    static let tags = TableSchema(
      name: "tags", about: "Tags.",
      columns: [
        Column("name", .text, "The tag.", isOptional: false),
        Column("user", .user, "The user.", isOptional: false),
      ],
      key: [1, 0])

    static let all = [people, posts, tags, people.history]

    typealias Column = TableSchema.Column

    /// Returns a row of `people`.
    static func person(
      _ id: String, name: TableValue = .null, count: Int64 = 0, seen: TableValue = .null,
      score: TableValue = .null, data: TableValue = .null, until: TableValue = .null
    ) -> [TableValue] {
      [
        .text(id), name, .text("018f3f3a-0000-7000-8000-0000000000ff"), .text("2001-02-03"),
        .bool(true), .int(count), score, seen, data, until,
      ]
    }

    /// Returns a version of a row of `people`.
    static func version(
      _ row: [TableValue], from: Int64, to: Int64 = TableSchema.noEnd, until: TableValue = .null
    ) -> [TableValue] {
      row + [
        .int(from), .int(to), .time(Timestamp(milliseconds: from * 1_000)), until, .text("ana"),
        .text("Changed"), .text("018f3f3a-0000-7000-8000-000000000001"),
      ]
    }

    static func state(_ position: UInt64, policies: String = "") -> MirrorState {
      MirrorState(
        position: position, sum: UInt64.max - position, time: Timestamp(milliseconds: 1_700),
        rewritings: 3, rules: #"{"a":"'"}"#, hasHistory: true, tables: "people,posts,tags",
        layout: "abc", policies: policies)
    }

    /// Returns a mirror in a schema of the tests' server.
    static func mirror(
      _ server: PostgresServer, _ schema: String, port: Int? = nil
    ) -> PostgresMirror {
      let address = "postgresql://postgres@127.0.0.1:\(port ?? server.port)/postgres"
      return PostgresMirror(address, schema: schema, name: address) { Issue.record("\($0)") }
    }

    /// Returns a function for `MirrorDatabase.build` that writes rows.
    static func filling(
      _ rows: [Int: [[TableValue]]], _ state: MirrorState
    ) -> (any MirrorWriter) throws(MirrorFault) -> MirrorState {
      { (writer) throws(MirrorFault) in
        for (table, rows) in rows { for row in rows { try writer.append(row, to: table) } }
        return state
      }
    }
  }

  extension PostgresMirror {
    /// Returns all rows of a table.
    func rows(_ table: TableSchema, at position: UInt64) throws -> [[TableValue]] {
      var rows: [[TableValue]] = []
      try forEachRow(of: table, at: position) { (row) throws(MirrorFault) in rows.append(row) }
      return rows
    }
  }
#endif
