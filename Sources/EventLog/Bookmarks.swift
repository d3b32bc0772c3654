import Events

/// The names that people gave to revisions of a log, in the file `bookmarks` beside its segments.
///
/// ```swift
/// let bookmarks = Bookmarks(view)!
/// try bookmarks.set("before-the-fix", at: 200)
/// try Revision("before-the-fix")!.resolve(in: view)  // 200
/// ```
/// The file has one line `{"name":…,"seq":…,"sum":…}` for each bookmark, sorted by name. If the log
/// has another checksum at `seq`, the bookmark belongs to another log. Deleting the file loses only
/// the names.
public struct Bookmarks: Sendable {
  private let view: LogView
  private let files: FileSystem
  static let fileName = "bookmarks"
  private var path: String { view.path + "/" + Self.fileName }

  /// A name for a revision.
  public struct Bookmark: Equatable, Sendable {
    /// The bookmark's name.
    public var name: String
    /// The revision: the position of an event, or 0 for the empty log.
    public var seq: UInt64
    /// The chained checksum of the event at `seq`; 0 for revision 0.
    public var sum: UInt64
  }

  /// Creates access to a log's bookmarks; nil if the log is not in a folder.
  public init?(_ view: LogView) {
    guard case .files(let files, _) = view.source else { return nil }
    (self.view, self.files) = (view, files)
  }

  /// Whether a text is a valid name for a bookmark.
  public static func isName(_ text: String) -> Bool { Revision.isBookmarkName(text) }

  /// Returns all bookmarks, sorted by name; none if there is no file.
  /// - Throws: `.file`, and `.notALog` if a line is not a bookmark.
  public func all() throws(LogError) -> [Bookmark] {
    guard let listing = try ifPresent(files.list(view.path)) else { return [] }
    let new = Self.fileName + PendingRewriting.suffix
    let isNew = listing.contains(PendingRewriting.fileName) && listing.contains(new)
    let bookmarks = try Self.read(isNew ? view.path + "/" + new : path, files)
    return bookmarks.sorted { $0.name < $1.name }
  }

  /// Reads the bookmarks in a file; none if there is no file.
  static func read(_ path: String, _ files: FileSystem) throws(LogError) -> [Bookmark] {
    try parse(try ifPresent(files.contents(of: path, limit: 16 << 20)) ?? []) { line in
      .notALog(path: path, reason: "line \(line) is not a bookmark; repair it or delete the file")
    }
  }

  /// Parses the lines of a file.
  /// - Parameter fault: returns the error for a line that is not a bookmark, from its number.
  static func parse(
    _ text: [UInt8], _ fault: (_ line: Int) -> LogError
  ) throws(LogError) -> [Bookmark] {
    var bookmarks: [Bookmark] = []
    for (number, line) in text.split(separator: 0x0a).enumerated() {
      guard let value = try? JSONValue(object: line), let name = value.string("name"),
        let seq: UInt64 = value.number("seq"), let sum = value.sum("sum")
      else { throw fault(number + 1) }
      bookmarks.append(Bookmark(name: name, seq: seq, sum: sum))
    }
    return bookmarks
  }

  /// Returns the position of the bookmark with a name.
  /// - Throws: `.noSuchRevision` if no bookmark has the name, or if the log's event at the
  ///   bookmark's position has another checksum than the bookmark.
  public func position(of name: String) throws(LogError) -> UInt64 {
    let all = try all()
    guard let found = all.first(where: { $0.name == name }) else {
      throw .noSuchRevision(.noSuchBookmark(name, known: all.map(\.name)))
    }
    if found.seq > 0, try view.line(at: found.seq)?.event.sum != found.sum {
      throw .noSuchRevision(.foreignBookmark(name))
    }
    return found.seq
  }

  /// Gives a name to a revision. A bookmark that already has the name moves to the new revision.
  /// - Throws: `.noSuchRevision` if `seq` is beyond the log's end; `.file` if the folder is not
  ///   writable.
  public func set(_ name: String, at seq: UInt64) throws(LogError) {
    let head = try view.head().seq
    if seq > head { throw .noSuchRevision(.beyondHead(asked: seq, head: head)) }
    let sum = seq == 0 ? 0 : try view.line(at: seq)?.event.sum ?? 0
    try write(try all().filter { $0.name != name } + [Bookmark(name: name, seq: seq, sum: sum)])
  }

  /// Removes a bookmark.
  /// - Throws: `.noSuchRevision` if there is no such bookmark.
  public func remove(_ name: String) throws(LogError) {
    let all = try all()
    guard all.contains(where: { $0.name == name }) else {
      throw .noSuchRevision(.noSuchBookmark(name, known: all.map(\.name)))
    }
    try write(all.filter { $0.name != name })
  }

  private func write(_ bookmarks: [Bookmark]) throws(LogError) {
    try io(files.replace(path, in: view.path, Array(Self.text(bookmarks).utf8)))
  }

  static func text(_ bookmarks: [Bookmark]) -> String {
    var out = ByteBuffer()
    for bookmark in bookmarks.sorted(by: { $0.name < $1.name }) {
      let sum = bookmark.sum.padded(to: 16, radix: 16)
      out.append(
        .object([
          .init("name", .string(bookmark.name)), .init("seq", .int(bookmark.seq)),
          .init("sum", .string(sum)),
        ]))
      out.append("\n")
    }
    return out.text
  }
}

extension LogView {
  /// Returns the position of the bookmark with a name.
  /// - Throws: `.noSuchRevision` if no bookmark has the name, or if the log's event at the
  ///   bookmark's position has another checksum than the bookmark.
  public func position(ofBookmark name: String) throws(LogError) -> UInt64 {
    guard let bookmarks = Bookmarks(self) else {
      throw .noSuchRevision(.noSuchBookmark(name, known: []))
    }
    return try bookmarks.position(of: name)
  }
}
