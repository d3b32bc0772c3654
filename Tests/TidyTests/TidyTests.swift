import Foundation
import Testing

/// Style that a formatter does not check, and the direction of the dependencies.
@Suite struct TidyTests {
  struct Source {
    var path: String
    var lines: [String]
  }

  static let repository = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func swiftFiles(under folder: String) -> [Source] {
    let root = repository.appending(path: folder)
    let names = FileManager.default.enumerator(atPath: root.path)
    return (names?.allObjects as? [String] ?? [])
      .filter { $0.hasSuffix(".swift") && !"/\($0)".contains("/.") }.sorted()
      .compactMap { name in
        guard let text = try? String(contentsOf: root.appending(path: name), encoding: .utf8)
        else { return nil }
        return Source(path: folder + "/" + name, lines: text.components(separatedBy: "\n"))
      }
  }

  static let sources = swiftFiles(under: "Sources")

  @Test("Modules import only those below them, and core modules do not import Foundation")
  func dependencies() {
    let allowed: [String: Set<String>] = [
      "Events": [],
      "Aggregates": ["Events"],
      "Projections": ["Events"],
      "EventLog": ["Events"],
      "Columns": ["Events", "EventLog"],
      "Replaying": ["Events", "EventLog", "Projections"],
      "UseCases": ["Events", "EventLog", "Aggregates", "Projections", "Replaying"],
      "Tables": ["Events", "EventLog", "Aggregates", "Projections", "Replaying", "UseCases"],
      "PersonalLogs": ["Events", "EventLog", "Aggregates", "Projections", "UseCases"],
      "EventlogClient": [
        "UseCases", "PersonalLogs", "Foundation", "FoundationNetworking", "Security",
      ],
      "UseCasesTesting": ["Events", "Aggregates", "UseCases", "PersonalLogs"],
      "TimeMachine": [
        "Events", "EventLog", "Aggregates", "Projections", "UseCases", "CTimeMachine",
      ],
      "PropertyTesting": [
        "Events", "EventLog", "Aggregates", "UseCases", "TimeMachine", "HistoryGeneration",
        "Testing", "Foundation",
      ],
      "HistoryGeneration": ["Events", "EventLog", "Aggregates"],
      "SQLite": ["Events"],
      "Server": [
        "Events", "EventLog", "Aggregates", "UseCases", "Tables", "PersonalLogs", "SQLite",
      ],
      "EventlogServer": ["Events", "Aggregates", "Projections", "UseCases", "Server"],
      "PostgreSQL": ["Events", "EventLog"],
      "Mirroring": [
        "Events", "EventLog", "Aggregates", "Projections", "Replaying", "UseCases", "Tables",
        "SQLite", "PostgreSQL",
      ],
      "eventlog-cli": [
        "Events", "EventLog", "Aggregates", "Columns", "Projections", "Replaying", "UseCases",
        "TimeMachine", "HistoryGeneration", "Server", "PostgreSQL", "Tables", "Mirroring",
      ],
    ]
    let system: Set<String> = ["Synchronization", "Dispatch"]
    let platform: Set<String> = ["Glibc", "Musl", "Darwin"]
    #expect(Self.sources.count > 50)
    for source in Self.sources {
      let parts = source.path.split(separator: "/")
      let module = String(parts[1])
      for line in source.lines.map({ $0.trimmingCharacters(in: .whitespaces) }) {
        let line = line.replacing("@_exported ", with: "")
        guard line.hasPrefix("import ") else { continue }
        let name = String(line.dropFirst(7))
        let mayTouchPlatform =
          module == "eventlog-cli" || source.path.hasPrefix("Sources/EventLog/")
          || source.path.hasPrefix("Sources/Events/Platform/")
        let isAllowed =
          allowed[module]?.contains(name) == true || system.contains(name)
          || platform.contains(name) && mayTouchPlatform
          || name == "CImaging" && source.path == "Sources/UseCases/Ports/JPEGEncoder.swift"
          || name == "CPostgreSQL" && source.path.hasPrefix("Sources/PostgreSQL/Connection/")
          || name == "CServer"
            && ["Listening/", "Tokens/", "Accounts/System/", "Peers/System/"].contains {
              source.path.hasPrefix("Sources/Server/" + $0)
            }
          || name == "CSQLite" && source.path.hasPrefix("Sources/SQLite/")
        #expect(isAllowed, "\(source.path) imports \(name)")
      }
    }
  }

  @Test("The codec, the names and the reading of a history need no files, locks or threads")
  func portableRooms() {
    let rooms = ["Sources/Events/Codec/", "Sources/Events/History/", "Sources/Events/Names/"]
    let found = Self.sources.filter { source in rooms.contains(where: source.path.hasPrefix) }
    #expect(found.count > 20)
    for source in found {
      for (number, line) in source.lines.enumerated() {
        let words = line.components(separatedBy: "//")[0].split { !$0.isLetter && $0 != "_" }
        for word in ["import", "Mutex", "Task", "async", "FileSystem", "any", "memchr"] {
          #expect(!words.contains(Substring(word)), "\(source.path):\(number + 1): \(line)")
        }
      }
    }
  }

  @Test("Unsafe code and unchecked Sendable stay in the listed folders")
  func unsafeRooms() {
    let rooms = [
      "Sources/EventLog/", "Sources/Events/Codec/", "Sources/Events/Names/",
      "Sources/Events/History/", "Sources/Events/Tables/", "Sources/Events/Platform/",
      "Sources/Events/Embedded.swift", "Sources/TimeMachine/WebAssembly/",
      "Sources/TimeMachine/Page/Gzip.swift",
      "Sources/eventlog-cli/Terminal/", "Sources/Server/Listening/",
      "Sources/Server/Peers/System/",
      "Sources/PostgreSQL/Connection/", "Sources/SQLite/",
    ]
    for source in Self.sources where !rooms.contains(where: source.path.hasPrefix) {
      for (number, line) in source.lines.enumerated() {
        let code = line.components(separatedBy: "//")[0]
        let isUnsafe =
          code.contains("@unchecked Sendable") || code.contains("Unsafe")
          || code.contains("nonisolated(unsafe)") || code.contains("unsafeBitCast")
        #expect(!isUnsafe, "\(source.path):\(number + 1): \(line)")
      }
    }
  }

  @Test("Lines have at most 100 characters, files at most 500 lines, and no open tasks")
  func sizes() {
    // A generated test is as wide as its events.
    for source in Self.sources + Self.swiftFiles(under: "Tests")
    where !source.path.hasSuffix("FromHistoryTests.swift") {
      #expect(source.lines.count <= 501, "\(source.path) has \(source.lines.count) lines")
      for (number, line) in source.lines.enumerated() {
        #expect(line.count <= 100, "\(source.path):\(number + 1) is \(line.count) wide")
        let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
        #expect(!marks.contains(where: line.contains), "\(source.path):\(number + 1): \(line)")
      }
    }
  }

  @Test("Functions have at most 70 lines")
  func functions() {
    for source in Self.sources {
      var start: (line: Int, indent: Int)?
      for (number, line) in source.lines.enumerated() {
        let indent = line.prefix { $0 == " " }.count
        let text = line.dropFirst(indent)
        // A requirement of a protocol has no body.
        if let open = start, indent < open.indent, text.hasPrefix("}") { start = nil }
        if let open = start, indent == open.indent, text.hasPrefix("}") {
          let length = number - open.line + 1
          #expect(length <= 70, "\(source.path):\(open.line + 1) is \(length) lines long")
          start = nil
        }
        guard start == nil, !text.isEmpty, !text.hasPrefix("//") else { continue }
        if text.contains("func ") || text.contains(/^([a-z]+ )*init[?<(]/) {
          if !(text.hasSuffix("}") && text.contains("{")) { start = (number, indent) }
        }
      }
    }
  }

  @Test("A switch that ignores families of events handles the others as a whole")
  func families() {
    // With `default:` beside `case .follow(.followed…)`, a new event of the family would be ignored
    // by mistake.
    let folders = ["Sources/Aggregates/", "Sources/Projections/"]
    for source in Self.sources where folders.contains(where: source.path.hasPrefix) {
      var body: [String]?
      for line in source.lines {
        if line.contains("borrowing Event"),
          line.contains(/func (apply|evolve)\(.*borrowing Event\b/)
        {
          body = []
        }
        body?.append(line)
        guard line == "  }", let lines = body else { continue }
        let parts = lines.filter { $0.contains(/case \.\w+\(\./) }
        let ignores = lines.contains { $0.contains("default:") }
        #expect(!ignores || parts.isEmpty, "\(source.path): \(parts.joined())")
        body = nil
      }
    }
  }

  @Test("The domain has no clock and no randomness of its own")
  func purity() {
    for source in Self.sources
    where ["Aggregates", "Projections"].contains(where: { source.path.hasPrefix("Sources/\($0)/") })
    {
      for line in source.lines {
        for word in ["Date()", "UUID()", ".random(", "SystemRandom", "clock_gettime"] {
          #expect(!line.contains(word), "\(source.path): \(line)")
        }
      }
    }
  }

  @Test("Test names cover the 46 faults in docs/reliability.md, and no others")
  func faults() throws {
    func text(_ path: String) throws -> String {
      try String(contentsOf: Self.repository.appending(path: path), encoding: .utf8)
    }
    let listed = try text("docs/reliability.md").split(separator: "\n").compactMap { line in
      line.firstMatch(of: #/^\| (\d+) \| /#).flatMap { Int($0.output.1) }
    }
    #expect(listed == Array(1...46))
    var named: Set<Int> = []
    for source in Self.swiftFiles(under: "Tests") {
      for line in source.lines {
        guard line.contains("\"fault"),
          let found = line.firstMatch(of: #/"faults? ([0-9–, ]+): /#)
        else { continue }
        for part in found.output.1.split(separator: ",") {
          let ends = part.split(separator: "–").compactMap { Int($0.drop { $0 == " " }) }
          if let first = ends.first, let last = ends.last { named.formUnion(first...last) }
        }
      }
    }
    #expect(named == Set(listed), "\(named.symmetricDifference(listed).sorted())")
  }
}
