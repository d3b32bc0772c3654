import FaultTesting
import Foundation
import Testing

/// The English of the documents and comments: plain words, short sentences, short paragraphs.
@Suite struct ProseTests {
  /// A paragraph, a list's item, or a cell of a table.
  struct Passage {
    var path: String
    var line: Int
    var words: [Substring]

    init(_ path: String, _ line: Int, _ text: String) {
      (self.path, self.line) = (path, line)
      words = Self.plain(text).split(whereSeparator: \.isWhitespace)
    }

    /// The text without links' targets, and with one word in place of each piece of code.
    static func plain(_ text: String) -> String {
      var plain = ""
      for (number, part) in text.split(separator: "`", omittingEmptySubsequences: false)
        .enumerated()
      {
        plain += number % 2 == 0 ? part : "code"
      }
      while let start = plain.range(of: "]("),
        let end = plain.range(of: ")", range: start.upperBound..<plain.endIndex)
      {
        plain.removeSubrange(start.lowerBound..<end.upperBound)
      }
      return plain
    }

    /// A sentence ends at `.`, `!`, `?`, `:` or `;` before a space.
    var sentences: [ArraySlice<Substring>] {
      var (sentences, start) = ([ArraySlice<Substring>](), 0)
      for (place, word) in words.enumerated() {
        let last = word.last { !")”\"’*_".contains($0) }
        guard last.map({ ".!?:;".contains($0) }) == true || place == words.count - 1 else {
          continue
        }
        sentences.append(words[start...place])
        start = place + 1
      }
      return sentences.map { $0.filter { $0.contains { $0.isLetter || $0.isNumber } }[...] }
    }

    /// The letters of each word, in lower case.
    var letters: [String] {
      words.map { $0.filter { $0.isLetter || $0 == "’" || $0 == "-" }.lowercased() }
    }
  }

  // MARK: Texts

  private static let repository = TidyTests.repository

  private static let pages: [String: [Passage]] = {
    var paths = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
    for folder in ["docs", "Sources"] {
      let names = FileManager.default.enumerator(atPath: repository.appending(path: folder).path)
      paths += (names?.allObjects as? [String] ?? []).filter { $0.hasSuffix(".md") }
        .map { "\(folder)/\($0)" }
    }
    var pages: [String: [Passage]] = [:]
    for path in paths {
      let text = try? String(contentsOf: repository.appending(path: path), encoding: .utf8)
      var lines = (text ?? "").components(separatedBy: "\n")
      if path == "CHANGELOG.md" {
        let versions = lines.indices.filter { lines[$0].hasPrefix("## ") }
        // Older parts stay as they were published.
        lines = Array(lines.prefix(versions.dropFirst().first ?? lines.count))
      }
      pages[path] = passages(of: lines, from: 1, path)
    }
    return pages
  }()

  /// The comments that begin with a mark, by module of `Sources` or test target.
  private static func comments(_ mark: String) -> [String: [Passage]] {
    var comments: [String: [Passage]] = [:]
    for source in TidyTests.sources + TidyTests.swiftFiles(under: "Tests") {
      var (block, start) = ([String](), 0)
      var found: [Passage] = []
      for (number, line) in (source.lines + [""]).enumerated() {
        let text = line.drop { $0 == " " }
        let slashes = text.prefix { $0 == "/" }.count
        if slashes == mark.count {
          if block.isEmpty { start = number + 1 }
          block.append(String(text.dropFirst(slashes)))
        } else if !block.isEmpty {
          found += passages(of: block, from: start, source.path)
          block = []
        }
      }
      comments[source.path.split(separator: "/").prefix(2).joined(separator: "/"), default: []] +=
        found
    }
    return comments
  }

  /// The pages and the doc comments.
  private static let texts = pages.merging(comments("///"), uniquingKeysWith: +)

  /// The passages of Markdown, without its blocks of code.
  private static func passages(of lines: [String], from first: Int, _ path: String) -> [Passage] {
    var passages: [Passage] = []
    var (open, start, isCode, isHidden) = ("", 0, false, false)
    func close() {
      if !open.isEmpty { passages.append(Passage(path, first + start, open)) }
      open = ""
    }
    for (number, line) in lines.enumerated() {
      var text = line.drop { $0.isWhitespace }
      if text.hasPrefix("```") {
        close()
        isCode.toggle()
        continue
      }
      isHidden = isHidden || text.hasPrefix("<!--")
      if isCode || isHidden {
        if text.contains("-->") { isHidden = false }
        continue
      }
      if text.hasPrefix("|") {
        close()
        for cell in text.split(separator: "|") where cell.contains(where: \.isLetter) {
          passages.append(Passage(path, first + number, String(cell)))
        }
        continue
      }
      let mark = text.prefix { !$0.isWhitespace }
      let isItem =
        ["-", "*", "+", ">"].contains(mark) || !mark.isEmpty && mark.allSatisfy { $0 == "#" }
        || mark.last == "." && mark.count > 1 && mark.dropLast().allSatisfy(\.isNumber)
      if text.isEmpty || isItem { close() }
      if isItem { text = text.dropFirst(mark.count) }
      if open.isEmpty { start = number }
      open += text.isEmpty ? "" : "\(text) "
      if mark.first == "#" { close() }
    }
    close()
    return passages
  }

  // MARK: Rules

  /// Words that this project once used in a sense of its own, or that make a reader stop.
  private static let privateWords = [
    "told", "look at", "looks at", "looked at", "looking at", "pass over", "passes over",
    "passed over", "anew", "take in", "takes in", "taken in", "bear on", "bears on",
    "bearing on", "of no account", "come to nothing", "comes to nothing", "came to nothing",
    "whoever", "whomever", "whatever", "sight", "slice", "slices", "society", "memento", "errand",
    "sieve", "line sum", "given up", "gives up", "give up", "all the same", "of which",
  ]

  @Test("Documents and comments use no private words")
  func words() {
    let phrases = Dictionary(
      grouping: Self.privateWords.map { $0.split(separator: " ").map(String.init) }, by: { $0[0] })
    let all = [Self.texts, Self.comments("//")].flatMap(\.values).joined()
    #expect(all.count > 5_000)
    for passage in all {
      let letters = passage.letters
      for (place, word) in letters.enumerated() {
        for phrase in phrases[word] ?? [] where letters[place...].starts(with: phrase) {
          let text = phrase.joined(separator: " ")
          let context = passage.words[max(0, place - 4)..<min(place + 6, letters.count)]
          Issue.record(
            "\(passage.path):\(passage.line): “\(text)” in “\(context.joined(separator: " "))”")
        }
      }
    }
  }

  @Test("No sentence has over 35 words, one in twelve over 25; paragraphs have at most 120")
  func lengths() {
    for (name, passages) in Self.texts {
      var (count, long) = (0, [String]())
      for passage in passages {
        let place = "\(passage.path):\(passage.line)"
        #expect(passage.words.count <= 120, "\(place): a paragraph of \(passage.words.count) words")
        for sentence in passage.sentences {
          count += 1
          let start = sentence.prefix(8).joined(separator: " ")
          #expect(sentence.count <= 35, "\(place): \(sentence.count) words: “\(start) …”")
          if sentence.count > 25 { long.append("\(place): “\(start) …”") }
        }
      }
      #expect(
        long.count * 12 <= count,
        "\(name): of \(count) sentences these have over 25 words:\n\(long.joined(separator: "\n"))")
    }
  }

  @Test("A sentence that begins with What or Who is a question")
  func nouns() {
    for passage in Self.texts.values.joined() {
      for sentence in passage.sentences where sentence.count > 4 {
        let isQuestion = sentence.last?.contains("?") == true
        #expect(
          isQuestion || !["What", "Who"].contains(sentence.first),
          "\(passage.path):\(passage.line): “\(sentence.prefix(8).joined(separator: " ")) …”")
      }
    }
  }

  @Test("The articles of the documentation show code that Tests/Consumer builds and runs")
  func articles() throws {
    func trimmed(_ lines: some Sequence<some StringProtocol>) -> String {
      lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }
    let programs = TidyTests.swiftFiles(under: "Tests/Consumer").map { trimmed($0.lines) }
    #expect(programs.count > 3)
    var count = 0
    for path in Self.pages.keys where path.contains(".docc/") {
      let page = try String(
        contentsOf: Self.repository.appending(path: path), encoding: .utf8)
      for block in page.components(separatedBy: "```swift\n").dropFirst() {
        let code = trimmed(block.components(separatedBy: "\n```")[0].components(separatedBy: "\n"))
        #expect(programs.contains { $0.contains(code) }, "\(path): \(code)")
        count += 1
      }
    }
    #expect(count > 8)
  }

  #if os(Linux)
    @Test(
      "Every public symbol of the modules that apps import is documented",
      arguments: [
        "Events", "EventLog", "Aggregates", "Projections", "Replaying", "UseCases",
        "UseCasesTesting", "PropertyTesting", "EventlogClient",
      ])
    func symbols(module: String) throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "symbols-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [
        "swift", "symbolgraph-extract", "-module-name", module, "-I",
        products.appending(path: "Modules").path, "-output-dir", folder.path,
        "-I", TidyTests.repository.appending(path: "Sources/CTimeMachine/include").path,
        "-target", "\(Self.machine)-unknown-linux-gnu", "-minimum-access-level", "public",
        "-skip-synthesized-members",
      ]
      try process.run()
      process.waitUntilExit()
      let data = try Data(contentsOf: folder.appending(path: "\(module).symbols.json"))
      let graph = try JSONDecoder().decode(SymbolGraph.self, from: data)
      let symbols = graph.symbols
      #expect(symbols.count > 10)
      let documented = Set(symbols.filter { $0.docComment != nil }.map(\.pathComponents))
      // A default implementation stands beside the requirement that it fulfils.
      let defaults = Set(
        graph.relationships.filter { $0.kind == "defaultImplementationOf" }.map(\.source))
      for symbol in symbols
      where symbol.docComment == nil && !defaults.contains(symbol.identifier.precise) {
        // The comment of an enumeration may describe all its cases.
        let isCase = symbol.kind.identifier == "swift.enum.case"
        if isCase, documented.contains(Array(symbol.pathComponents.dropLast())) { continue }
        let place = symbol.location.map { "\($0.uri):\($0.position.line + 1)" } ?? module
        Issue.record("\(place): \(symbol.pathComponents.joined(separator: ".")) has no comment")
      }
    }

    #if arch(x86_64)
      private static let machine = "x86_64"
    #else
      private static let machine = "aarch64"
    #endif

    private struct SymbolGraph: Decodable {
      struct Symbol: Decodable {
        struct Location: Decodable {
          struct Position: Decodable { var line: Int }
          var uri: String
          var position: Position
        }
        struct Comment: Decodable {}
        struct Kind: Decodable { var identifier: String }
        struct Identifier: Decodable { var precise: String }
        var kind: Kind
        var identifier: Identifier
        var pathComponents: [String]
        var docComment: Comment?
        var location: Location?
      }
      struct Relationship: Decodable { var kind, source: String }
      var symbols: [Symbol]
      var relationships: [Relationship]
    }
  #endif
}
