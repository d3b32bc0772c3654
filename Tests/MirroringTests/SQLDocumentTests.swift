import FaultTesting
import Foundation
import Tables
import Testing
import UseCases

/// `docs/sql.md` must match the code. `EVENTLOG_UPDATE_GOLDEN=1` rewrites its list of tables.
/// Review the difference, because it changes all mirrors.
@Suite struct SQLDocumentTests {
  private let file = FaultTesting.repository.appending(path: "docs/sql.md")

  private func row(_ index: Int, of schema: TableSchema) -> String {
    let column = schema.columns[index]
    var marks: [String] = []
    if schema.key.contains(index) { marks.append("key") }
    if let reference = schema.references.first(where: { $0.column == index }) {
      marks.append("a row of `\(reference.table)`")
    }
    if column.isOptional { marks.append("may be null") }
    let note = marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))"
    let type = column.type == .user ? ColumnType.text : column.type
    return "| `\(column.name)` | \(type.rawValue) | \(column.about)\(note) |\n"
  }

  private var tables: String {
    TableState.schemas.map { schema in
      let rows = schema.columns.indices.map { row($0, of: schema) }.joined()
      let heading = "| column | type | |\n|---|---|---|\n"
      return "\n### \(schema.name)\n\n\(schema.about)\n\n\(heading)\(rows)"
    }.joined()
  }

  @Test("docs/sql.md lists the tables and columns of a mirror")
  func tablesAreCurrent() throws {
    let (start, end) = ("<!-- tables -->\n", "\n<!-- end -->")
    let text = try String(contentsOf: file, encoding: .utf8)
    let from = try #require(text.range(of: start)?.upperBound)
    let to = try #require(text.range(of: end)?.lowerBound)
    if ProcessInfo.processInfo.environment["EVENTLOG_UPDATE_GOLDEN"] == "1" {
      try text.replacingCharacters(in: from..<to, with: tables)
        .write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8).contains(start + tables + end))
  }

  #if SQLite
    /// Runs a command line with the built products and the examples' logs in a new folder.
    private func run(_ command: String, in folder: URL) throws -> (output: String, code: Int32) {
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", command]
      process.currentDirectoryURL = folder
      let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
      process.environment = ["PATH": products.path + ":" + path, "LC_ALL": "C.UTF-8"]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return (String(decoding: output, as: UTF8.self), process.terminationStatus)
    }

    @Test("The queries in docs/sql.md answer what it says, and the mirror of the demo is right")
    func queries() throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let logs = FaultTesting.repository.appending(path: "eventlogs").path
      #expect(try run("ln -s '\(logs)' eventlogs; command -v sqlite3", in: folder).code == 0)
      let text = try String(contentsOf: file, encoding: .utf8)
      let mirror = try #require(text.firstMatch(of: #/(?m)^eventlog mirror sqlite:demo.*$/#))
      #expect(try run("\(mirror.output)", in: folder).code == 0)
      let check = "eventlog mirror check sqlite:demo.db --log eventlogs/demo"
      #expect(try run(check, in: folder).output.hasSuffix("no difference\n"))
      let pattern = #/```sql\n((?:(?!```)[\s\S])*)```\n\n```text\n((?:(?!```)[\s\S])*)```/#
      var count = 0
      for match in text.matches(of: pattern) {
        let query = folder.appending(path: "query.sql")
        try String(match.output.1).write(to: query, atomically: true, encoding: .utf8)
        let output = try run("sqlite3 -header demo.db < query.sql", in: folder).output
        #expect(output == match.output.2)
        count += 1
      }
      #expect(count == 2)
      let shown = try run("eventlog show 130 followers/alice.count --format csv", in: folder)
      #expect(shown.output.contains("followers/alice.count,7\n"))
    }
  #endif
}
