extension Subcommand {
  static let page = Subcommand(
    name: "page", summary: "Write a log as one web page that travels in time",
    arguments: "[A..B]", positionals: 0...1,
    discussion: """
      Writes one HTML file with the log's lines and the core in it: whoever opens it sees any \
      moment of the log, the people, their feeds, what changed, why and through whom. It needs no \
      server and no network. It holds every event up to B, texts and all: give it only to those \
      who may read the log.

      With A..B the timeline begins at A, and the page ends with B. Sealed lines that are damaged \
      become a page too, which names the first one that is wrong and shows what is before it.
      """,
    options: [
      .log, .value("--out", "FILE", "Where to write it; - is standard output."),
      .value("--watch", "PATH", "What the page watches when it is opened: a path or a condition."),
      .value("--at", "R", "The revision that it opens at; the last one if it is not given."),
      .value("--name", "NAME", "What it calls the log; the last part of its path if not given."),
      .rules,
    ],
    examples: [
      "eventlog page --out demo.html": "The demo.",
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
    // If the text is not a path, parses it as a condition and reports that error.
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
    html = try page.html(of: view)
    noteTail(of: view)
  } catch {
    // A page of a damaged file says what is wrong with it.
    let failure = Failure(of: error)
    guard failure.code == .data, invocation.positionals.isEmpty,
      let bytes = try? lines(at: invocation.readPath), isSealed(bytes)
    else { throw failure }
    page.revision = invocation.value("--at").flatMap { UInt64($0) }
    Output.remark("note: \(failure.message); the page says so, and shows what is before it")
    html = page.html(lines: bytes)
  }
  if target == "-" { return Output.data(bytes: html) }
  try writePage(html, to: target)
  Output.remark("\(sanitized(target)): the log as a page; open it in any browser")
}

/// Writes the page of a log beside something that was found in it.
/// - Parameter revision: where it opens.
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

/// The bytes of a lone file, or of the segments of a log, as they are.
private func lines(at path: String) throws(FileError) -> [UInt8] {
  guard let names = try? FileSystem.posix.list(path) else {
    return try FileSystem.posix.contents(of: path)
  }
  var bytes: [UInt8] = []
  // 16 digits, as segments are called.
  for name in names.filter({ $0.hasSuffix(".jsonl") && $0.utf8.count == 22 }).sorted() {
    bytes += try FileSystem.posix.contents(of: "\(path)/\(name)")
  }
  return bytes
}

/// Whether the first line has a sum; the page cannot seal lines.
private func isSealed(_ bytes: [UInt8]) -> Bool {
  let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
  return first.suffix(26).starts(with: ",\"sum\":\"".utf8)
}

/// The last part of a path.
private func name(of path: String) -> String {
  path == "-" ? "standard input" : path.split(separator: "/").last.map(String.init) ?? path
}
