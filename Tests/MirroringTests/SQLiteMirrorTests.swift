#if SQLite
  import Events
  import Foundation
  import Mirroring
  import SQLite
  import Tables
  import Testing
  import UseCases

  @Suite struct SQLiteMirrorTests {
    // MARK: Tables

    static let people = TableSchema(
      name: "people", about: "People; \"quoted\" words -- and dashes.",
      columns: [
        .init("id", .user, "The person's id.", isOptional: false),
        .init("name", .text, "The name.", isOptional: true),
      ], key: [0], indexes: [[1]])

    static let values = TableSchema(
      name: "order", about: "A row of each type, in a table whose name is a keyword.",
      columns: [
        .init("id", .uuid, "The key.", isOptional: false),
        .init("number", .integer, "The second part of the key.", isOptional: false),
        .init("text", .text, "A text.", isOptional: true),
        .init("date", .date, "A date.", isOptional: true),
        .init("yes", .bool, "A truth.", isOptional: true),
        .init("double", .double, "A number.", isOptional: true),
        .init("time", .time, "A time.", isOptional: true),
        .init("end", .time, "The end of a period.", isOptional: true, isEnd: true),
        .init("json", .json, "A value.", isOptional: true),
        .init("user", .user, "A person.", isOptional: true),
      ], key: [0, 1], references: [.init(column: 9, table: "people")], indexes: [[9], [6, 9]])

    static let pairs = TableSchema(
      name: "pairs", about: "Rows that are keys.",
      columns: [
        .init("a", .integer, "The first part.", isOptional: false),
        .init("b", .text, "The second part.", isOptional: false),
      ], key: [0, 1])

    static let numbers = TableSchema(
      name: "numbers", about: "Rows with a number.",
      columns: [
        .init("n", .integer, "The key.", isOptional: false),
        .init("text", .text, "A text.", isOptional: true),
      ], key: [0])

    static let schemas = [people, values, pairs, numbers, people.history]

    static func state(_ position: UInt64, rewritings: Int = 0) -> MirrorState {
      MirrorState(
        position: position, sum: .max - 1, time: .latest, rewritings: rewritings,
        rules: #"{"a":"é"}"#, hasHistory: true, tables: "people,order,pairs,numbers",
        layout: "ab12", policies: "")
    }

    /// A row of `values` with its key, a text and a time.
    static func row(_ id: String, _ number: Int64, _ more: [TableValue] = []) -> [TableValue] {
      [.text(id), .int(number)] + more + Array(repeating: .null, count: 8 - more.count)
    }

    /// Rows with awkward values, sorted by key as bytes.
    static let awkward: [[TableValue]] = [
      row("", .min),
      row(
        "", .max,
        [
          .text("a\0b'\"\\;--\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{FFFD}\n"),
          .text("0000-01-01"), .bool(true), .double(-0.0), .time(.earliest), .time(.earliest),
          .json(.null), .text("ann"),
        ]),
      row(
        "A", 0,
        [
          .text("\0"), .text("9999-12-31"), .bool(false), .double(.greatestFiniteMagnitude),
          .time(.latest), .time(.latest),
          .json(.object([.init("a\0", .array([.number("1.50e300"), .string("\u{0}'")]))])),
          .text("Ann"),
        ]),
      row(
        "a", -1,
        [
          .text(""), .null, .null, .double(.leastNonzeroMagnitude), .time(.epoch),
          .time(Timestamp(milliseconds: -1)), .json(.string("")),
        ]),
      row("a\0", 1, [.text("1"), .null, .null, .double(3), .null, .null, .json(.int(1))]),
      row("é", 1), row("\u{FFFF}", 1), row("\u{1F600}", 1),
    ]

    // MARK: Helpers

    final class Folder {
      let path = NSTemporaryDirectory() + "eventlog-mirror-" + UUID().uuidString
      var file: String { path + "/mirror.db" }

      init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      }

      deinit { try? FileManager.default.removeItem(atPath: path) }

      /// A connection with foreign keys of its own, as another program opens the file.
      func open() throws -> SQLiteDatabase<MirrorFault> {
        if !FileManager.default.fileExists(atPath: file) {
          _ = FileManager.default.createFile(atPath: file, contents: nil)
        }
        return try SQLiteDatabase(file)
      }

      func mirror(_ rows: [[TableValue]] = [], at position: UInt64 = 1) throws -> SQLiteMirror {
        let mirror = SQLiteMirror(file)
        try mirror.build(SQLiteMirrorTests.schemas) { (writer) throws(MirrorFault) in
          try writer.append([.text("ann"), .text("Ann")], to: 0)
          try writer.append([.text("Ann"), .null], to: 0)
          for row in rows.reversed() { try writer.append(row, to: 1) }
          return SQLiteMirrorTests.state(position)
        }
        return mirror
      }
    }

    static func rows(
      _ mirror: SQLiteMirror, _ schema: TableSchema, at position: UInt64 = 1
    ) throws -> [[TableValue]] {
      var rows: [[TableValue]] = []
      try mirror.forEachRow(of: schema, at: position) { row throws(MirrorFault) in
        rows.append(row)
      }
      return rows
    }

    static func isRefused(_ error: (any Error)?, _ words: String...) -> Bool {
      guard case .refused(let text)? = error as? MirrorFault else { return false }
      return words.allSatisfy(text.contains)
    }

    // MARK: Tests

    @Test("All types keep awkward values, in a build and in a change, sorted by the key's bytes")
    func roundTrip() throws {
      let folder = try Folder()
      let mirror = try folder.mirror(Self.awkward)
      let rows = try Self.rows(mirror, Self.values)
      for (row, expected) in zip(rows, Self.awkward) { #expect(row == expected) }
      #expect(rows.count == Self.awkward.count)
      #expect(try mirror.state() == Self.state(1))
      let zero = try folder.open().rows(#"SELECT "double" FROM "order" WHERE number > 9"#)
      #expect(zero.first?.values == [.double(0)])

      var change = MirrorChanges(from: 1, state: Self.state(2), tables: [])
      var table = MirrorChanges.Table(schema: Self.values)
      // The rows exchange their values, but not their keys.
      let changed = zip(Self.awkward, Self.awkward.reversed()).map { $0[..<2] + $1[2...] }
      table.rows = changed.map { Array($0) }
      change.tables = [table]
      #expect(try mirror.write(change))
      #expect(try Self.rows(mirror, Self.values, at: 2) == table.rows)
      #expect(try folder.open().rows("PRAGMA foreign_key_check").isEmpty)
      #expect(try folder.open().rows("PRAGMA integrity_check").first?.text(0) == "ok")
    }

    @Test("Texts of times compare like the times, and an open period ends after all others")
    func times() throws {
      let folder = try Folder()
      _ = try folder.mirror(Self.awkward)
      let database = try folder.open()
      let times = try database.rows(
        #"SELECT "time" FROM "order" WHERE "time" IS NOT NULL ORDER BY "time""#)
      #expect(
        times.map { $0.text(0) } == [
          "0000-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z",
        ])
      let ends = try database.rows(#"SELECT "end", count(*) FROM "order" GROUP BY 1 ORDER BY 1"#)
      #expect(
        ends.map { $0.text(0) } == [
          "-0001-12-31T23:59:59.999Z", "1969-12-31T23:59:59.998Z", "9999-12-31T23:59:59.998Z",
          "9999-12-31T23:59:59.999Z",
        ])
      #expect(ends.last?.int(1) == 5)
    }

    @Test("A change is written once, and only at its position")
    func exactlyOnce() throws {
      let folder = try Folder()
      #expect(
        try !SQLiteMirror(folder.file).write(.init(from: 1, state: Self.state(2), tables: [])))
      let mirror = try folder.mirror()
      var table = MirrorChanges.Table(schema: Self.pairs)
      table.rows = [[.int(1), .text("a")], [.int(2), .text("b")]]
      let change = MirrorChanges(from: 1, state: Self.state(5), tables: [table])
      #expect(try mirror.write(change))
      #expect(try !mirror.write(change))
      #expect(try !SQLiteMirror(folder.file).write(change))
      table.rows[1][1] = .text("c")
      table.removed = [[.int(2), .text("b")], [.int(3), .text("none")]]
      // The first row exists already, and all its columns are its key.
      #expect(
        try mirror.write(.init(from: 5, state: Self.state(6, rewritings: 1), tables: [table])))
      #expect(try mirror.state() == Self.state(6, rewritings: 1))
      #expect(
        try Self.rows(mirror, Self.pairs, at: 6) == [
          [.int(1), .text("a")], [.int(2), .text("c")],
        ])
      #expect { try Self.rows(mirror, Self.pairs, at: 5) } throws: {
        Self.isRefused($0, "position 6, not 5")
      }
    }

    @Test("A change that fails leaves the rows and the position")
    func failedChange() throws {
      let folder = try Folder()
      let mirror = try folder.mirror(Self.awkward)
      var good = MirrorChanges.Table(schema: Self.people)
      good.rows = [[.text("new"), .null]]
      for bad in [[.null, .null], [.text("a")], [.text("a"), .double(1), .null]] as [[TableValue]] {
        var table = MirrorChanges.Table(schema: Self.numbers)
        table.rows = [bad]
        let change = MirrorChanges(from: 1, state: Self.state(2), tables: [good, table])
        #expect { try mirror.write(change) } throws: { Self.isRefused($0) }
        #expect(try mirror.state() == Self.state(1))
        #expect(try Self.rows(mirror, Self.people).count == 2)
      }
      #expect(try mirror.write(.init(from: 1, state: Self.state(2), tables: [good])))
    }

    @Test("A build that fails leaves the old tables, or an empty file")
    func failedBuild() throws {
      let folder = try Folder()
      let none = SQLiteMirror(folder.file)
      #expect(try none.state() == nil)
      #expect(!FileManager.default.fileExists(atPath: folder.file))
      func fail(_ mirror: SQLiteMirror) {
        #expect(throws: MirrorFault.lost("stop")) {
          try mirror.build([Self.people]) { (writer) throws(MirrorFault) in
            try writer.append([.text("zoe"), .null], to: 0)
            throw .lost("stop")
          }
        }
      }
      fail(none)
      #expect(try none.state() == nil)
      let mirror = try folder.mirror(Self.awkward)
      fail(mirror)
      #expect(try Self.rows(mirror, Self.values) == Self.awkward)
      #expect(try Self.rows(mirror, Self.people).count == 2)
    }

    @Test("Readers have the old tables until a build ends, and then the new ones")
    func readersDuringBuild() throws {
      let folder = try Folder()
      let mirror = try folder.mirror(Self.awkward)
      let other = SQLiteMirror(folder.file)
      try mirror.build([Self.people, Self.pairs]) { (writer) throws(MirrorFault) in
        try writer.append([.int(1), .text("a")], to: 1)
        var count = 0
        try other.forEachRow(of: Self.values, at: 1) { _ throws(MirrorFault) in count += 1 }
        #expect(count == Self.awkward.count)
        return Self.state(9)
      }
      #expect(try other.state()?.position == 9)
      #expect(try Self.rows(other, Self.pairs, at: 9).count == 1)
      let tables = try folder.open().rows(
        "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      #expect(tables.compactMap { $0.text(0) } == ["eventlog_mirror", "pairs", "people"])
    }

    @Test(
      "A build keeps the user's tables and views, and refuses to replace them",
      arguments: [
        "CREATE TABLE Pairs (mine)", "CREATE VIEW pairs AS SELECT 1",
        "CREATE TABLE mine (a); CREATE INDEX people_name_idx ON mine (a)",
        "CREATE TABLE eventlog_mirror (mine)",
      ])
    func usersTables(script: String) throws {
      let folder = try Folder()
      let database = try folder.open()
      try database.script("CREATE TABLE notes (text); INSERT INTO notes VALUES ('keep'); \(script)")
      #expect { try folder.mirror() } throws: {
        Self.isRefused($0, "mirror.db", "rename it")
      }
      let count = try database.rows("SELECT count(*) FROM sqlite_schema").first?.int(0)
      #expect(count == (script.contains("INDEX") ? 3 : 2))
      #expect(try database.rows("SELECT text FROM notes").first?.text(0) == "keep")

      let free = try Folder()
      try free.open().script(
        "CREATE TABLE notes (text); CREATE VIEW names AS SELECT name FROM people")
      _ = try free.mirror()
      _ = try free.mirror(at: 2)
      #expect(try free.open().rows("SELECT name FROM names").count == 2)
      #expect(try free.open().rows("SELECT * FROM notes").isEmpty)
    }

    @Test("A version ends one position before the next, and the open one is the last")
    func history() throws {
      let folder = try Folder()
      let mirror = try folder.mirror()
      let history = Self.people.history
      func version(_ name: String, _ from: Int64) -> [TableValue] {
        [
          .text("ann"), .text(name), .int(from), .int(TableSchema.noEnd),
          .time(Timestamp(milliseconds: from * 1_000)), .null, .text("ann"), .text("named"),
          .text("id-\(from)"),
        ]
      }
      for position in [2, 3, 5] as [Int64] {
        var table = MirrorChanges.Table(schema: Self.people)
        table.ended = [
          .init(
            key: [.text("ann")], position: position - 1,
            time: Timestamp(milliseconds: position * 1_000))
        ]
        table.versions = [version("name \(position)", position)]
        let from = try #require(try mirror.state()?.position)
        let state = Self.state(UInt64(position))
        #expect(try mirror.write(.init(from: from, state: state, tables: [table])))
      }
      let rows = try Self.rows(mirror, history, at: 5)
      #expect(rows.map { $0[3] } == [.int(2), .int(4), .int(TableSchema.noEnd)])
      #expect(
        rows.map { $0[5] } == [
          .time(Timestamp(milliseconds: 3_000)), .time(Timestamp(milliseconds: 5_000)), .null,
        ])
      let ends = try folder.open().rows(
        "SELECT valid_to FROM people_history ORDER BY from_position")
      #expect(
        rows.map { mirror.text($0[5], in: TableSchema.endColumns[1]) } == ends.map { $0.text(0) })
      for (time, name) in [(2_999, "name 2"), (3_000, "name 3"), (5_000, "name 5")] {
        let found = try folder.open().rows(
          "SELECT name FROM people_history WHERE ? BETWEEN valid_from AND valid_to",
          [.text("\(Timestamp(milliseconds: Int64(time)))")])
        #expect(found.map { $0.text(0) } == [name])
      }
    }

    @Test("A file that is no database, a newer mirror and a damaged state are refused")
    func refused() throws {
      let folder = try Folder()
      try String(repeating: "no database ", count: 100)
        .write(toFile: folder.file, atomically: true, encoding: .utf8)
      #expect { try SQLiteMirror(folder.file).state() } throws: {
        Self.isRefused($0, "mirror.db", "not a database")
      }
      #expect { try folder.mirror() } throws: { Self.isRefused($0, "not a database") }
      try FileManager.default.removeItem(atPath: folder.file)

      let mirror = try folder.mirror()
      try folder.open().script("UPDATE eventlog_mirror SET sum = 'x'")
      #expect { try mirror.state() } throws: { Self.isRefused($0, "damaged") }
      try folder.open().script("UPDATE eventlog_mirror SET format = 2")
      #expect { try mirror.state() } throws: { Self.isRefused($0, "newer eventlog") }
      #expect { try folder.mirror() } throws: { Self.isRefused($0, "newer eventlog") }
      // The mirror notices that its file is another one now.
      for end in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: folder.file + end)
      }
      #expect(try mirror.state() == nil)
    }

    @Test("A value that another program wrote is returned as it is stored")
    func foreignValues() throws {
      let folder = try Folder()
      let mirror = try folder.mirror([Self.row("a", 1)])
      try folder.open().script(
        #"UPDATE "order" SET "time" = 'soon', "yes" = 7, "json" = '{', "end" = 'late'"#)
      let row = try #require(try Self.rows(mirror, Self.values).first)
      #expect(row[4] == .int(7) && row[6] == .text("soon"))
      #expect(row[7] == .text("late") && row[8] == .text("{"))
    }

    @Test("Deleted and replaced values are in no file of a mirror after a rewriting")
    func erasure() throws {
      let folder = try Folder()
      let mirror = try folder.mirror()
      var table = MirrorChanges.Table(schema: Self.people)
      table.rows = [[.text("ann"), .text("a secret")], [.text("zoe"), .text("a secret")]]
      #expect(try mirror.write(.init(from: 1, state: Self.state(2), tables: [table])))
      table.rows = [[.text("ann"), .null]]
      table.removed = [[.text("zoe")]]
      func hasSecret() throws -> Bool {
        try ["", "-wal"].contains { end in
          try Data(contentsOf: URL(filePath: folder.file + end))
            .range(of: Data("a secret".utf8)) != nil
        }
      }
      let state = Self.state(3, rewritings: 1)
      #expect(try mirror.write(.init(from: 2, state: state, tables: [table])))
      #expect(try !hasSecret())

      // Another program's query keeps the old rows until it ends.
      table.rows = [[.text("ann"), .text("a secret")]]
      let filled = Self.state(4, rewritings: 1)
      #expect(try mirror.write(.init(from: 3, state: filled, tables: [table])))
      table.rows = [[.text("ann"), .null]]
      let reader = try folder.open()
      try reader.script("BEGIN; SELECT * FROM people")
      let emptied = Self.state(5, rewritings: 2)
      #expect(try mirror.write(.init(from: 4, state: emptied, tables: [table])))
      #expect(try hasSecret())
      // Another process tries too.
      for each in [mirror, SQLiteMirror(folder.file)] {
        #expect(try !each.removeOldVersions(patience: 1))
      }
      try reader.script("COMMIT")
      #expect(try mirror.removeOldVersions(patience: 0))
      #expect(try !hasSecret())
    }

    @Test(
      "A check finds triggers, dropped indexes, and tables that are new, changed or gone",
      arguments: [
        ("CREATE TRIGGER spy AFTER INSERT ON people BEGIN SELECT 1; END", "trigger spy"),
        ("DROP INDEX people_name_idx", "index people_name_idx"),
        (
          #"DROP INDEX people_name_idx; CREATE INDEX people_name_idx ON people (id)"#,
          "index people_name_idx"
        ),
        ("CREATE TABLE copy AS SELECT * FROM people", "table copy"),
        ("ALTER TABLE pairs ADD COLUMN more TEXT", "table pairs"),
        ("DROP TABLE numbers", "table numbers"),
        ("CREATE VIEW names AS SELECT name FROM people; CREATE INDEX mine ON numbers (text)", nil),
      ])
    func objects(script: String, name: String?) throws {
      let folder = try Folder()
      let mirror = try folder.mirror()
      #expect(try mirror.objectDifferences(Self.schemas) == [])
      try folder.open().script(script)
      let found = try mirror.objectDifferences(Self.schemas)
      #expect(found.count == (name == nil ? 0 : 1), "\(found)")
      guard let difference = found.first else { return }
      guard case .object(name, let mirrored, let declared) = difference.kind else {
        Issue.record("\(difference)")
        return
      }
      #expect(mirrored != declared)
    }

    @Test("Without a rewriting, a program that reads old rows does not matter")
    func noErasure() throws {
      let folder = try Folder()
      let mirror = try folder.mirror()
      let reader = try folder.open()
      try reader.script("BEGIN; SELECT * FROM people")
      #expect(try mirror.write(.init(from: 1, state: Self.state(2), tables: [])))
      for each in [mirror, SQLiteMirror(folder.file)] {
        #expect(try each.removeOldVersions(patience: 0))
      }
    }

    @Test("The printed SQL creates the tables in sqlite3, with their comments")
    func printed() throws {
      let folder = try Folder()
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      let script = SQLiteDialect.statements(Self.schemas).map { $0 + ";\n" }.joined()
      process.arguments = ["sqlite3", "-bail", folder.file, script]
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      let tables = try folder.open().rows("SELECT name, sql FROM sqlite_schema ORDER BY name")
      _ = try Folder().mirror()
      let other = try Folder()
      _ = try other.mirror()
      let built = try other.open().rows("SELECT name, sql FROM sqlite_schema ORDER BY name")
      #expect(tables.map(\.values) == built.map(\.values))
      let people = try #require(tables.first { $0.text(0) == "people" }?.text(1))
      #expect(
        people == """
          CREATE TABLE "people" ( -- People; "quoted" words -- and dashes.
            "id" TEXT NOT NULL, -- The person's id.
            "name" TEXT, -- The name.
            PRIMARY KEY ("id")
          ) STRICT, WITHOUT ROWID
          """)
      let order = try #require(tables.first { $0.text(0) == "order" }?.text(1))
      #expect(
        order.contains(
          """
            FOREIGN KEY ("user") REFERENCES "people" ("id") DEFERRABLE INITIALLY DEFERRED
          """))
      let alone = SQLiteDialect.statements([Self.values])
      #expect(!alone.contains { $0.contains("FOREIGN KEY") })
    }
  }
#endif
