#if SQLite
  import SQLite
  import Tables

  extension SQLiteMirror {
    /// Compares the SQL that SQLite stores for each table, index and trigger with the statements
    /// that `build` runs. Further tables are differences, because rows that were erased may be in
    /// them; tables of SQLite itself are not.
    package func objectDifferences(
      _ schemas: [TableSchema]
    ) throws(MirrorFault) -> [MirrorDifference] {
      guard let database = try open(creates: false) else { throw .refused("\(path): no mirror") }
      var declared: [String: (table: String, sql: String)] = [:]
      for object in SQLiteDialect.objects(schemas) {
        declared[object.name] = (object.table, object.sql)
      }
      let found = try database.rows(
        """
        SELECT type || ' ' || name, tbl_name, sql FROM sqlite_schema
        WHERE type <> 'view' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY 1
        """)
      var differences: [MirrorDifference] = []
      for row in found {
        let (name, sql) = (row.text(0) ?? "", row.text(2))
        let expected = declared.removeValue(forKey: name)?.sql
        // Further indexes change no row.
        let isDifferent = sql != expected && !(expected == nil && name.hasPrefix("index "))
        if isDifferent {
          differences.append(
            MirrorDifference(
              table: row.text(1) ?? "", key: [],
              kind: .object(name, mirrored: sql, declared: expected)))
        }
      }
      for (name, object) in declared.sorted(by: { $0.key < $1.key }) {
        differences.append(
          MirrorDifference(
            table: object.table, key: [],
            kind: .object(name, mirrored: nil, declared: object.sql)))
      }
      return differences
    }
  }
#endif
