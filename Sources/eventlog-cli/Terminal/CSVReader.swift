/// A reader of comma-separated values as in RFC 4180. It reads a file, a pipe or standard input in
/// constant memory.
///
/// Lines end with `\n` or `\r\n`. A quoted field may contain such line ends; both are read as `\n`.
/// Empty lines and a byte order mark are skipped.
struct CSVReader: ~Copyable {
  private var lines: ForeignLines
  /// The number, from 1, of the line on which the last read record begins.
  private(set) var line = 0

  /// Opens a file; `-` is standard input.
  init(path: String) throws {
    lines = try ForeignLines(path: path)
  }

  /// The input's name in messages.
  var name: String { lines.name }

  /// Returns a failure that names the file and the line of the last read record.
  func fault(_ sentence: String) -> Failure {
    Failure(.data, "\(lines.name), line \(line): \(sentence)")
  }

  /// Returns the fields of the next record; nil at the end.
  /// - Throws: exit 65, with file and line, for invalid CSV or UTF-8, or for a record longer than
  ///   the longest line of a log; exit 74 for read errors.
  mutating func next() throws -> [String]? {
    var record = Record()
    repeat {
      guard let bytes = try nextLine() else {
        if record.isEmpty { return nil }
        throw fault("a quoted field is not closed")
      }
      if record.isEmpty {
        line = lines.number
        if bytes.isEmpty { continue }
      }
      if let sentence = record.add(bytes) { throw fault(sentence) }
    } while !record.isComplete
    var fields: [String] = []
    for bytes in record.fields {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw fault("field \(fields.count + 1) is not UTF-8")
      }
      fields.append(text)
    }
    return fields
  }

  private mutating func nextLine() throws -> ArraySlice<UInt8>? {
    guard let bytes = try lines.next() else { return nil }
    let hasMark = lines.number == 1 && bytes.starts(with: [0xef, 0xbb, 0xbf])
    return hasMark ? bytes.dropFirst(3) : bytes[...]
  }
}

/// A record being assembled from its lines.
private struct Record {
  private(set) var fields: [[UInt8]] = []
  private(set) var isComplete = false
  private var isQuoted = false
  private var size = 0

  var isEmpty: Bool { fields.isEmpty }

  /// Adds a line, without its line end.
  /// - Returns: a description of the problem; nil if the line is valid.
  mutating func add(_ line: ArraySlice<UInt8>) -> String? {
    size += line.count + 1
    if size > LineParser.longestLine {
      return "the record is longer than \(grouped(LineParser.longestLine)) bytes"
    }
    if isQuoted { fields[fields.count - 1].append(UInt8(ascii: "\n")) } else { fields = [[]] }
    var at = line.startIndex
    while at < line.endIndex {
      let byte = line[at]
      at += 1
      let isQuote = byte == UInt8(ascii: "\"")
      let last = fields.count - 1
      if isQuoted {
        guard isQuote else {
          fields[last].append(byte)
          continue
        }
        if at < line.endIndex, line[at] == byte {
          fields[last].append(byte)
          at += 1
          continue
        }
        isQuoted = false
        if at < line.endIndex, line[at] != UInt8(ascii: ",") {
          return "field \(fields.count) has text after its closing quote"
        }
      } else if byte == UInt8(ascii: ",") {
        fields.append([])
        if at < line.endIndex, line[at] == UInt8(ascii: "\"") {
          isQuoted = true
          at += 1
        }
      } else if isQuote {
        guard at == line.startIndex + 1 else {
          return "field \(fields.count) contains a quote, but does not begin with one"
        }
        isQuoted = true
      } else {
        fields[last].append(byte)
      }
    }
    isComplete = !isQuoted
    return nil
  }
}
