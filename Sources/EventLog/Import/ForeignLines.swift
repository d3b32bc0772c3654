import Events

/// A reader of single lines from a file, a pipe or standard input, in bounded memory.
///
/// A line ends with a line feed, or with a carriage return and a line feed. The last line may lack
/// its ending.
public struct ForeignLines: ~Copyable {
  /// The input's name, for messages.
  public let name: String
  /// The number of the last line read, from 1.
  public internal(set) var number = 0
  /// The offset in bytes of the last line read.
  public internal(set) var offset = 0
  /// The input's size in bytes; nil for a pipe or standard input.
  public let size: Int?

  private let file: Int32
  private let files: FileSystem
  private var buffer: [UInt8] = []
  private var piece = [UInt8](repeating: 0, count: 256 << 10)
  private var start = 0
  private var searched = 0
  private var isAtEnd = false
  private var nextOffset = 0
  private var peeked: [UInt8]?

  /// Opens a file or a pipe; `-` is standard input.
  /// - Throws: `.noSuchLog`, `.notALog` for a folder, `.file`.
  public init(path: String, files: FileSystem = .posix) throws(LogError) {
    let isStandardInput = path == "-"
    let (file, size) = isStandardInput ? (0, nil) : try Self.open(path, files)
    (self.files, self.file, self.size) = (files, file, size)
    name = isStandardInput ? "standard input" : path
  }

  private static func open(
    _ path: String, _ files: FileSystem
  ) throws(LogError) -> (file: Int32, size: Int?) {
    let status = try LogView.status(
      path, files, missing: .file(FileError(call: "open", path: path, code: 2)))  // ENOENT
    if status.kind == .directory {
      throw .notALog(path: path, reason: "it is a folder; give a file with one event per line")
    }
    let file = try io(files.open(path, status.kind == .other ? .pipe : .read))
    return (file, status.kind == .file ? status.size : nil)
  }

  deinit {
    if file != 0 { try? files.close(file, name) }
  }

  /// Returns the next line; `next` will return the same line again.
  /// - Throws: as `next`.
  public mutating func peek() throws(LogError) -> [UInt8]? {
    if peeked == nil { peeked = try next() }
    return peeked
  }

  /// Returns the next line without its ending; nil at the end of the input.
  /// - Throws: `.damaged` for a line that is longer than `LineParser.longestLine` or contains a
  ///   carriage return elsewhere; `.file`.
  public mutating func next() throws(LogError) -> [UInt8]? {
    if let line = peeked.take() { return line }
    while true {
      if let end = index(of: 0x0a, in: searched..<buffer.count) {
        let line = start..<end
        start = end + 1
        searched = start
        return try finished(line, length: line.count + 1)
      }
      searched = buffer.count
      if isAtEnd {
        guard start < buffer.count else { return nil }
        let line = start..<buffer.count
        start = buffer.count
        return try finished(line, length: line.count)
      }
      if buffer.count - start > LineParser.longestLine {
        number += 1
        offset = nextOffset
        throw fault(LineFault(.tooLong(limit: LineParser.longestLine)))
      }
      try fill()
    }
  }

  private func index(of byte: UInt8, in range: Range<Int>) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress,
        let found = first(byte, base + range.lowerBound, range.count)
      else { return nil }
      return found - base
    }
  }

  private mutating func finished(_ line: Range<Int>, length: Int) throws(LogError) -> [UInt8] {
    number += 1
    offset = nextOffset
    nextOffset += length
    let endsInReturn = !line.isEmpty && buffer[line.upperBound - 1] == 0x0d
    let text = line.lowerBound..<line.upperBound - (endsInReturn ? 1 : 0)
    if text.count > LineParser.longestLine {
      throw fault(LineFault(.tooLong(limit: LineParser.longestLine)))
    }
    if let place = index(of: 0x0d, in: text) {
      throw fault(LineFault(.carriageReturn, at: place - text.lowerBound))
    }
    return Array(buffer[text])
  }

  private mutating func fill() throws(LogError) {
    if start > 0 {
      buffer.removeFirst(start)
      searched -= start
      start = 0
    }
    let got = try io(files.read(file, &piece, piece.count, nil, name))
    buffer += piece[..<got]
    if got == 0 { isAtEnd = true }
  }

  /// Returns the error for a fault in the last line read.
  public func fault(_ fault: LineFault) -> LogError {
    .damaged(Damage(file: name, line: number, offset: offset, seq: 0, fault: fault))
  }
}
