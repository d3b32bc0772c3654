extension Subcommand {
  static let page = Subcommand(
    name: "page", summary: "Write a log as one web page that shows it at any revision",
    arguments: "[A..B]", positionals: 0...1,
    discussion: """
      Writes one HTML file that contains the log's lines and the core. It shows the log at any \
      revision: the people, their feeds, what changed, why and by whom. It needs no server and no \
      network. It contains every event up to B with all texts: give it only to people who may read \
      the log.

      With A..B the timeline begins at A, and the page ends with B. A log whose lines are damaged \
      becomes a page too; the page names the first wrong line and shows the events before it.
      """,
    options: [
      .log, .value("--out", "FILE", "The file to write; - is standard output."),
      .value("--watch", "PATH", "The path or condition that the page watches when it is opened."),
      .value("--at", "R", "The revision at which the page opens; the last one if not given."),
      .value(
        "--name", "NAME", "The log's name on the page; the last part of its path if not given."),
      .rules,
    ],
    examples: [
      "eventlog page --out demo.html": "Write the demo as a page.",
      "eventlog page ..178 --watch followers/lena.count --out bug.html --log my.log":
        "A bug report: the log up to event 178, and the number that is wrong.",
    ],
    run: { try runPage($0) })
}

private func runPage(_ invocation: Invocation) throws {
  guard let target = invocation.value("--out"), !target.isEmpty else {
    throw Failure.usage("say where to write the page: --out FILE.html")
  }
  var page = LogPage(name: invocation.value("--name") ?? name(of: invocation.readPath))
  page.rules = try invocation.rules().json.text
  if let watched = invocation.value("--watch") {
    // If the text is not a path, parses it as a condition, whose error is reported.
    if (try? StatePath(watched)) == nil { _ = try invocation.expression(watched) }
    page.watched = watched
  }
  let html: [UInt8]
  do {
    let view = try invocation.openLog()
    let (after, until) = try invocation.range(in: view)
    if after > until { throw Failure.usage("the range is empty: \(after) is after \(until)") }
    (page.from, page.until) = (after, until)
    page.revision = try invocation.position("--at", in: view)
    if let revision = page.revision, revision > until {
      throw Failure.usage("--at \(revision) is after \(until)")
    }
    for mark in try Bookmarks(view)?.all() ?? [] where mark.seq <= until {
      page.bookmarks.append(LogPage.Bookmark(name: mark.name, seq: mark.seq))
    }
    for (seq, text) in readMarks(of: view).sorted where seq <= until {
      page.bookmarks.append(LogPage.Bookmark(name: text, seq: seq))
    }
    html = try page.html(of: view)
    noteTail(of: view)
  } catch {
    // The page for a damaged file shows the error.
    let failure = Failure(of: error)
    guard failure.code == .data, invocation.positionals.isEmpty,
      let bytes = try? lines(at: invocation.readPath), isSealed(bytes)
    else { throw failure }
    page.revision = invocation.value("--at").flatMap { UInt64($0) }
    Output.remark("note: \(failure.message); the page reports this, and shows the events before it")
    html = page.html(lines: bytes)
  }
  if target == "-" { return Output.data(bytes: html) }
  try writePage(html, to: target)
  Output.remark("\(sanitized(target)): the log as a page; open it in any browser")
}

/// Writes a page of the time machine that shows a log. The commands `check` and `shrink` call it.
/// - Parameter revision: the revision that the page shows first.
func writePage(
  of view: LogView, until: UInt64, at revision: UInt64, to target: String, _ invocation: Invocation
) throws {
  var page = LogPage(name: name(of: view.path))
  page.rules = try invocation.rules().json.text
  (page.until, page.revision) = (until, revision)
  let html = try page.html(of: view)
  try writePage(html, to: target)
  Output.remark("\(sanitized(target)): the log as a page, at event \(revision)")
}

private func writePage(_ html: [UInt8], to path: String) throws(Failure) {
  do throws(FileError) {
    try FileSystem.posix.replace(path, in: parentDirectory(path), html)
  } catch {
    throw Failure(.cannotCreate, "\(error)")
  }
}

/// Returns the bytes of a single file, or of all segments of a log, without checking them.
private func lines(at path: String) throws(FileError) -> [UInt8] {
  guard let names = try? FileSystem.posix.list(path) else {
    return try FileSystem.posix.contents(of: path)
  }
  var bytes: [UInt8] = []
  // A segment's name has 16 digits before `.jsonl`.
  for name in names.filter({ $0.hasSuffix(".jsonl") && $0.utf8.count == 22 }).sorted() {
    bytes += try FileSystem.posix.contents(of: "\(path)/\(name)")
  }
  return bytes
}

/// Whether the first line of a log has a checksum. The page cannot add missing checksums.
private func isSealed(_ bytes: [UInt8]) -> Bool {
  let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
  return first.suffix(26).starts(with: ",\"sum\":\"".utf8)
}

private func name(of path: String) -> String {
  path == "-" ? "standard input" : path.split(separator: "/").last.map(String.init) ?? path
}
