import EventLog
import Events
import Foundation
import TimeMachine

/// The file with the saved tapes on which a test once failed, one tape per line. The file is in the
/// nearest folder `Corpus` above the test's file.
struct Corpus {
  /// The name of the file with the tapes, made from the names of the source file and the test.
  let name: String
  /// The path of the folder `Corpus`; nil if there is none.
  private let folder: URL?
  private var file: URL? { folder?.appending(path: "\(name).tapes") }
  /// The folder of the package with the test; nil if there is none.
  private let package: URL?

  /// - Parameter path: the test's source file.
  init(besides path: String, test: String) {
    let source = URL(filePath: path)
    let function = test.prefix { $0 != "(" }.map {
      $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-"
    }
    name = source.deletingPathExtension().lastPathComponent + "." + String(function)
    func isThere(_ name: String, in folder: URL) -> Bool {
      FileManager.default.fileExists(atPath: folder.appending(path: name).path)
    }
    var (folder, corpus) = (source.deletingLastPathComponent(), URL?.none)
    while folder.path.count > 1 {
      if corpus == nil, isThere("Corpus", in: folder) { corpus = folder.appending(path: "Corpus") }
      if isThere("Package.swift", in: folder) { break }
      folder.deleteLastPathComponent()
    }
    package = folder.path.count > 1 ? folder : nil
    self.folder = corpus
  }

  /// Reads the seed from the file `seed` in the folder `Corpus`.
  /// - Returns: nil if there is no such file, or the file is empty.
  /// - Throws: `CheckError.noNumber` if the text is not a number, `.unreadable`.
  func seed() throws(CheckError) -> UInt64? {
    guard let file = folder?.appending(path: "seed") else { return nil }
    let text = try text(file).trimmingCharacters(in: .whitespacesAndNewlines)
    if text.isEmpty { return nil }
    guard let seed = UInt64(text) else { throw .noNumber(text, variable: file.path) }
    return seed
  }

  /// Reads the tapes from the file. Text after a `#` is a comment.
  /// - Throws: `CheckError.noTape` for a line that is not a tape; `.unreadable` for an existing
  ///   file that cannot be read.
  func tapes() throws(CheckError) -> [Tape] { try tapes(file) }

  /// Reads the tapes that once reached new ground, from the file with the extension `ground`.
  /// - Throws: the errors of `tapes()`.
  func grounds() throws(CheckError) -> [Tape] { try tapes(groundFile) }

  private var groundFile: URL? { folder?.appending(path: "\(name).ground") }

  /// Writes the tapes that reached new ground. Does nothing without a folder `Corpus` or without
  /// write permission.
  func keep(grounds: [Tape]) {
    guard let groundFile else { return }
    let lines = grounds.map { $0.description + "\n" }
    try? lines.joined().write(to: groundFile, atomically: true, encoding: .utf8)
  }

  /// Returns the file and line of a saved tape; nil if the file does not have it.
  func place(of tape: Tape) -> String? {
    guard let file, let found = try? lines(file).first(where: { $0.tape == tape }) else {
      return nil
    }
    return "\(file.path):\(found.line)"
  }

  private func tapes(_ file: URL?) throws(CheckError) -> [Tape] {
    guard let file else { return [] }
    return try lines(file).map(\.tape)
  }

  private func lines(_ file: URL) throws(CheckError) -> [(line: Int, tape: Tape)] {
    var tapes: [(line: Int, tape: Tape)] = []
    let lines = try text(file).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (number, line) in lines.enumerated() {
      let line = line.prefix { $0 != "#" }.trimmingCharacters(in: .whitespaces)
      if line.isEmpty { continue }
      guard let tape = Tape(line) else {
        throw .noTape(line, place: "\(file.path):\(number + 1)")
      }
      tapes.append((number + 1, tape))
    }
    return tapes
  }

  private func text(_ file: URL) throws(CheckError) -> String {
    if !FileManager.default.fileExists(atPath: file.path) { return "" }
    guard let text = try? String(contentsOf: file, encoding: .utf8) else {
      throw .unreadable(path: file.path)
    }
    return text
  }

  /// Appends a tape to the file. Returns the file's path; nil without a folder or write permission.
  func add(_ tape: Tape) -> String? {
    guard let file, var text = try? text(file) else { return nil }
    if let last = text.last, !last.isNewline { text += "\n" }
    let line = tape.description.isEmpty ? "0" : tape.description
    do {
      try (text + line + "\n").write(to: file, atomically: true, encoding: .utf8)
      return file.path
    } catch {
      return nil
    }
  }

  /// Writes a counterexample's events as a log to the folder for counterexamples. Returns the log's
  /// path; nil if that fails.
  /// - Parameter suffix: the end of the file's name, before its extension.
  func keep(log: String, _ suffix: String) -> String? {
    guard let path = results?.appending(path: "\(name)\(suffix).jsonl"),
      (try? log.write(to: path, atomically: true, encoding: .utf8)) != nil
    else { return nil }
    return path.path
  }

  /// The folder for counterexamples: in the package's build folder, or a temporary one if that is
  /// not writable; nil if neither is. It exists.
  private var results: URL? {
    lasting ?? Self.counterexamples(in: FileManager.default.temporaryDirectory)
  }

  /// The folder for what one process of the test leaves to the next one, in the package's build
  /// folder; nil if that is not writable. A temporary folder could have the files of another
  /// package's test with the same name.
  var lasting: URL? {
    package.flatMap { Self.counterexamples(in: $0.appending(path: ".build")) }
  }

  private static func counterexamples(in folder: URL) -> URL? {
    let folder = folder.appending(path: "counterexamples")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return FileManager.default.isWritableFile(atPath: folder.path) ? folder : nil
  }

  /// Writes a page of the time machine with the log at a path, into the log's folder. Writes the
  /// marks beside the log. Returns the page's path; nil if it cannot write the page.
  /// - Parameter marks: comments on events, which the page's timeline and `eventlog log` show.
  func keep(pageOf log: String, _ marks: Marks) -> String? {
    var page = LogPage(name: "\(name).jsonl")
    for (seq, text) in marks.sorted {
      page.bookmarks.append(LogPage.Bookmark(name: text, seq: seq))
    }
    guard let view = try? LogView.unsealed(path: log) else { return nil }
    try? marks.write(besides: view)
    guard let html = try? page.html(of: view) else { return nil }
    let path = log.replacing(/\.jsonl$/, with: "") + ".html"
    return (try? Data(html).write(to: URL(filePath: path))) == nil ? nil : path
  }
}
