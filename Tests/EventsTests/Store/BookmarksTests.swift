import Foundation
import Testing

@testable import EventLog
@testable import Events

@Suite struct BookmarksTests {
  @Test("A bookmark names a revision until it is removed, and the log does not change")
  func use() async throws {
    let (folder, events) = try await SeekTests.random(3, 40)
    let view = try LogView(path: folder.log)
    let bookmarks = try #require(Bookmarks(view))
    #expect(try bookmarks.all() == [])
    try bookmarks.set("b", at: 7)
    try bookmarks.set("a-1", at: 40)
    try bookmarks.set("b", at: 0)
    #expect(try bookmarks.all().map(\.name) == ["a-1", "b"])
    #expect(try #require(Revision("a-1")).resolve(in: view) == 40)
    #expect(try #require(Revision("b")).resolve(in: view) == 0)
    let range = try #require(RevisionRange("b..a-1"))
    #expect(range.from == .bookmark("b") && range.to == .bookmark("a-1"))
    #expect(throws: LogError.noSuchRevision(.noSuchBookmark("c", known: ["a-1", "b"]))) {
      try Revision("c")?.resolve(in: view)
    }
    #expect(throws: LogError.self) { try bookmarks.set("c", at: 41) }
    try bookmarks.remove("b")
    #expect(throws: LogError.self) { try bookmarks.remove("b") }
    let again = try LogView(path: folder.log)
    #expect(try again.head().seq == 40 && again.tail == .none)
    var count = 0
    try again.forEachEvent { event in
      #expect(event == events[count])
      count += 1
      return true
    }
  }

  @Test("A bookmark of another log or a damaged bookmarks file is reported and not used")
  func foreign() async throws {
    let (one, _) = try await SeekTests.random(1, 30)
    let (other, _) = try await SeekTests.random(2, 30)
    try #require(Bookmarks(try LogView(path: one.log))).set("x", at: 9)
    let file = URL(filePath: other.log + "/bookmarks")
    try Data(contentsOf: URL(filePath: one.log + "/bookmarks")).write(to: file)
    let view = try LogView(path: other.log)
    #expect(throws: LogError.noSuchRevision(.foreignBookmark("x"))) {
      try Revision("x")?.resolve(in: view)
    }
    for text in ["nonsense\n", "{}\n", #"{"name":"x","seq":-1,"sum":"0"}"#, "\u{0}\u{1}"] {
      try Data(text.utf8).write(to: file)
      #expect(throws: LogError.self) { try #require(Bookmarks(view)).all() }
    }
    try Data().write(to: file)
    #expect(try #require(Bookmarks(view)).all() == [])
  }

  @Test("Valid bookmark names are accepted", arguments: ["a", "Before-the.fix_2", "ahead", "x1"])
  func names(name: String) { #expect(Bookmarks.isName(name)) }

  @Test(
    "Invalid bookmark names are refused",
    arguments: [
      "", "1a", "HEAD", "a b", "a/b", "a..b", "é", "-a", "01928f6e-0000-7000-8000-000000000000",
      "a1928f6e-0000-7000-8000-000000000000", String(repeating: "a", count: 65), "a\n", "50%",
    ])
  func noNames(name: String) { #expect(!Bookmarks.isName(name)) }
}
