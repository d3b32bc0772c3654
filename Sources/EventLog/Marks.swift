import Events

/// Remarks on events, in a file beside their log. For example, they name the parts of a
/// counterexample that do not matter.
///
/// The marks of `bug.jsonl` are in `bug.jsonl.marks`. The file has the format of `Bookmarks`: one
/// line for each mark, with the mark's text as its name. Deleting the file loses only the marks.
package struct Marks: Sendable {
  /// The file could not be used: the reason, as a sentence without a point.
  package struct Fault: Error, CustomStringConvertible {
    package var description: String
  }

  /// The texts of the marks, by the position of their event.
  package private(set) var texts: [UInt64: String] = [:]

  /// The marks in the order of their events.
  package var sorted: [(seq: UInt64, text: String)] {
    texts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Creates marks from their texts, by the position of their event.
  package init(_ texts: [UInt64: String] = [:]) { self.texts = texts }

  /// Reads the marks of a log; none if there is no file.
  /// - Throws: `Fault` if the file cannot be read, if a line is not a mark, or if the log's event
  ///   at a mark's position has another checksum than the mark.
  package init(of view: LogView, files: FileSystem = .posix) throws(Fault) {
    let path = Self.path(of: view)
    do throws(LogError) {
      guard let bytes = try ifPresent(files.contents(of: path, limit: 16 << 20)) else { return }
      let head = try view.head().seq
      let marks = try Bookmarks.parse(bytes) { line in
        .notALog(path: path, reason: "\(path): line \(line) is not a mark")
      }
      for mark in marks {
        guard (1...max(head, 1)).contains(mark.seq),
          try view.line(at: mark.seq)?.event.sum == mark.sum
        else {
          throw .notALog(path: path, reason: "\(path): event \(mark.seq) is another event now")
        }
        texts[mark.seq] = mark.name
      }
    } catch {
      if case .notALog(_, let reason) = error { throw Fault(description: reason) }
      throw Fault(description: "\(error)")
    }
  }

  /// Writes the marks into the file beside a log. If there are none, removes the file.
  /// - Throws: `.file` if the file cannot be written; errors from reading the log.
  package func write(besides view: LogView, files: FileSystem = .posix) throws(LogError) {
    let path = Self.path(of: view)
    if texts.isEmpty {
      try ifPresent(files.remove(path))
      return
    }
    var marks: [Bookmarks.Bookmark] = []
    for (seq, text) in sorted {
      marks.append(.init(name: text, seq: seq, sum: try view.line(at: seq)?.event.sum ?? 0))
    }
    try io(files.replace(path, in: parentDirectory(path), Array(Bookmarks.text(marks).utf8)))
  }

  private static func path(of view: LogView) -> String { view.path + ".marks" }
}
