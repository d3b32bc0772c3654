import Testing

@testable import EventLog
@testable import Events

/// Imports that first sort their lines by time.
@Suite struct SortingTests {
  private static func line(_ from: String, _ to: String, _ second: Int?, _ more: String = "")
    -> String
  {
    let time = second.map { Timestamp(milliseconds: 1_767_225_600_000 + Int64($0) * 1_000) }
    return ImportingTests.line(from, to, (time.map { #""time":"\#($0)","# } ?? "") + more)
  }

  private static func run(
    _ text: String, into store: some EventStore, memory: Int = 1 << 20,
    _ policy: ForeignEvents.Policy = .init(), in folder: ScratchFolder = ScratchFolder()
  ) async throws -> (report: Import.Report, error: ImportError?) {
    folder.write(Array(text.utf8), to: "in.jsonl")
    var job = Import(
      try ForeignLines(path: folder.path + "/in.jsonl"), policy,
      sorter: LineSorter(folder: folder.path, memory: memory))
    do throws(ImportError) {
      try await job.run(into: store)
      return (job.report, nil)
    } catch {
      return (job.report, error)
    }
  }

  /// The followees of the events, in order.
  private static func followees(_ store: some EventStore) async throws -> [String] {
    try await store.all().map { String($0.stream.dropFirst("follow/a/".count)) }
  }

  @Test("Lines are sorted by time; lines with equal times or without a time keep their order")
  func order() async throws {
    let text =
      Self.line("a", "first", nil) + Self.line("a", "five", 5) + Self.line("a", "after5", nil)
      + Self.line("a", "three", 3) + Self.line("a", "five2", 5) + Self.line("a", "after5-2", nil)
      + Self.line("a", "three2", 3) + Self.line("a", "after3", nil)
    let store = InMemoryLog()
    let (report, error) = try await Self.run(text, into: store)
    #expect(error == nil && report == Import.Report(added: 8))
    #expect(
      try await Self.followees(store) == [
        "first", "three", "three2", "after3", "five", "after5", "five2", "after5-2",
      ])
    #expect(try store.view().verify().head.seq == 8)
    #expect(try await Self.run(text, into: store).report == Import.Report(repeated: 8))
  }

  @Test("With any amount of memory the order is the same, and no temporary file remains")
  func runs() async throws {
    var random = SplitMix64(seed: 11)
    var text = ""
    for number in 0..<400 {
      let second = Int.random(in: 0..<60, using: &random)
      text += Self.line("a", "n\(number)", number % 7 == 3 ? nil : second)
    }
    let whole = InMemoryLog()
    #expect(try await Self.run(text, into: whole).error == nil)
    let expected = try whole.view().allBytes()
    for memory in [1, 3_000, 20_000] {
      let folder = ScratchFolder()
      let store = InMemoryLog()
      let (report, error) = try await Self.run(text, into: store, memory: memory, in: folder)
      #expect(error == nil && report == Import.Report(added: 400))
      #expect(try store.view().allBytes() == expected, "\(memory) bytes")
      #expect(folder.names() == ["in.jsonl"])
    }
    let sorted = String(decoding: expected, as: UTF8.self)
    #expect(
      try await ImportingTests.run(sorted, into: whole).report == Import.Report(repeated: 400))
  }

  @Test("Sorted input gives the same log, with the same ids, with and without sorting")
  func unchanged() async throws {
    let text =
      Self.line("a", "b", nil) + Self.line("a", "c", 1) + Self.line("a", "b", nil)
      + Self.line("a", "c", 1) + Self.line("a", "d", 2)
    let (plain, sorted) = (InMemoryLog(), InMemoryLog())
    #expect(try await ImportingTests.run(text, into: plain).error == nil)
    #expect(try await Self.run(text, into: sorted, memory: 1).error == nil)
    #expect(try plain.view().allBytes() == sorted.view().allBytes())
  }

  @Test("A commit stays in one piece, at the time of its first event")
  func commits() async throws {
    let text =
      Self.line("a", "late", 9) + Self.line("a", "x1", 4, #""batch":"1/3","#)
      + Self.line("a", "x2", 4, #""batch":"2/3","#) + Self.line("a", "x3", 6, #""batch":"3/3","#)
      + Self.line("a", "early", 2) + Self.line("a", "same", 4)
    // The line of second 4 cannot stand after the commit, which ends at second 6, nor within it.
    #expect(try await Self.run(text, into: InMemoryLog(), memory: 1).error != nil)
    let store = InMemoryLog()
    let fits = text.replacing(":06.000Z", with: ":04.000Z")
    #expect(try await Self.run(fits, into: store, memory: 1).error == nil)
    #expect(
      try await Self.followees(store) == ["early", "x1", "x2", "x3", "same", "late"])
    #expect(try store.view().verify().head.seq == 6)
  }

  @Test("A commit whose later events come after the next line's time is refused by line")
  func divided() async throws {
    let text =
      Self.line("a", "x1", 4, #""batch":"1/2","#) + Self.line("a", "x2", 6, #""batch":"2/2","#)
      + Self.line("a", "between", 5)
    let (report, error) = try await Self.run(text, into: InMemoryLog())
    guard case .log(.damaged(let damage)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(report.added == 0 && damage.line == 3)
    guard case .earlier = damage.fault.kind else {
      Issue.record("\(damage.fault)")
      return
    }
    let clamped = try await Self.run(text, into: InMemoryLog(), ImportingTests.clamping())
    #expect(
      clamped.report
        == Import.Report(added: 3, clamped: ImportingTests.clamped(1, line: 3, by: 1_000)))
  }

  @Test("Errors are found before anything is added, and name the input's line and offset")
  func faults() async throws {
    let good = Self.line("a", "b", 9) + Self.line("a", "c", 3)
    for (line, kind) in [
      ("\n", LineFault.Kind.blankLine),
      (Self.line("a", "d", 1, #""seq":9,"#), .partOfLog(expected: 3)),
      (Self.line("a", "d", 1, #""batch":"1/2","#), .brokenBatch),
      (Self.line("a", "d", 1, #""batch":"2/2","#), .brokenBatch),
    ] {
      let store = InMemoryLog()
      let folder = ScratchFolder()
      let (_, error) = try await Self.run(good + line, into: store, memory: 1, in: folder)
      guard case .log(.damaged(let damage)) = error else {
        Issue.record("\(kind): \(String(describing: error))")
        continue
      }
      #expect(damage.fault.kind == kind)
      #expect(damage.line == 3 && damage.offset == good.utf8.count)
      #expect(await store.head() == 0)
      #expect(folder.names() == ["in.jsonl"])
    }
    // The store's own refusal also names the input's line.
    let (_, error) = try await Self.run(
      good + Self.line("a", "b", 1, #""rev":7,"#), into: InMemoryLog(), memory: 1)
    guard case .log(.notImported(_, 3, _)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("faults 7: if there is no room for the sorted runs, the import reports it and adds nothing")
  func full() async throws {
    let store = InMemoryLog()
    let folder = ScratchFolder()
    folder.write(Array((Self.line("a", "b", 2) + Self.line("a", "c", 1)).utf8), to: "in.jsonl")
    var files = FileSystem.posix
    files.write = { (_, _, _, path) throws(FileError) in
      throw FileError(call: "write", path: path, code: 28)
    }
    var job = Import(
      try ForeignLines(path: folder.path + "/in.jsonl"), .init(),
      sorter: LineSorter(folder: folder.path, files: files, memory: 1))
    await #expect(throws: ImportError.self) { try await job.run(into: store) }
    #expect(await store.head() == 0)
    #expect(folder.names() == ["in.jsonl"])
  }

  @Test("An unordered line after the first group keeps the earlier lines, and clamping adds it")
  func farDown() async throws {
    let count = Import.groupSize + 10
    var text = ""
    for number in 0..<count { text += Self.line("a", "n\(number)", number == count - 1 ? 1 : 2) }
    let store = InMemoryLog()
    let (report, error) = try await ImportingTests.run(text, into: store)
    #expect(error?.isOrder == true)
    #expect(report.added == count - 1)
    let rest = try await ImportingTests.run(text, into: store, ImportingTests.clamping())
    #expect(
      rest.report
        == Import.Report(
          added: 1, repeated: count - 1,
          clamped: ImportingTests.clamped(1, line: count, by: 1_000)))
  }
}
