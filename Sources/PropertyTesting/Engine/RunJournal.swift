import EventLog

/// The files with the choices of the present run. They survive the end of the process by a trap or
/// a signal.
enum RunJournal {
  typealias File = MappedNumbers
  private static let suffix = ".running"

  /// Creates a new file in a folder; returns nil if the system refuses it.
  /// - Parameter name: the beginning of the file's name.
  static func begin(in folder: String, name: String) -> File? {
    for number in 0..<1_000 {
      if let file = File(path: "\(folder)/\(name).\(number)\(suffix)") {
        return file
      }
    }
    return nil
  }

  /// Returns the choices of the runs during which a process ended, and removes their files. Their
  /// journals have no spans.
  static func tapes(in folder: String, name: String) -> [Tape] {
    take(in: folder, name).map(Tape.init)
  }

  /// Returns the run during which a process ended, from a `SpanJournal`.
  /// - Parameter failure: the cause of the failure.
  static func run(in folder: String, name: String, failure: String) -> Shrinker.Run? {
    take(in: folder, name).first.map { Shrinker.Run($0, failure) }
  }

  private static func take(in folder: String, _ name: String) -> [[UInt64]] {
    let names = (try? FileSystem.posix.list(folder)) ?? []
    return names.compactMap { file in
      guard file.hasPrefix(name + "."), file.hasSuffix(suffix),
        let numbers = File.take("\(folder)/\(file)"), !numbers.isEmpty
      else { return nil }
      return numbers
    }
  }
}

/// The choices of a run with their bounds and spans, for shrinking.
struct SpanJournal: Sendable {
  /// The file, with three numbers for each entry.
  let numbers: RunJournal.File

  fileprivate enum Entry: UInt64 { case choice, begin, end, wandering }

  func choose(_ choice: UInt64, _ bound: UInt64) { add(.choice, choice, bound) }
  func begin(_ span: Span) {
    add(.begin, UInt64(UInt(bitPattern: span.kind)), span.isRound ? 1 : 0)
  }
  func end() { add(.end, 0, 0) }
  func wander() { add(.wandering, 0, 0) }

  private func add(_ entry: Entry, _ one: UInt64, _ two: UInt64) {
    for number in [entry.rawValue, one, two] { numbers.append(number) }
  }

  /// An object whose identity stands for a kind of spans in another process.
  fileprivate final class Kind {}
}

extension Shrinker.Run {
  /// Creates a run from the numbers of its journal. Spans that were open when the process ended
  /// end with the last choice.
  fileprivate init(_ numbers: [UInt64], _ failure: String) {
    self.init(Trial(), failure)
    var open: [Int] = []
    var kinds: [UInt64: SpanJournal.Kind] = [:]
    for start in stride(from: 0, to: numbers.count - 2, by: 3) {
      switch SpanJournal.Entry(rawValue: numbers[start]) {
      case .choice:
        tape.choices.append(numbers[start + 1])
        bounds.append(numbers[start + 2])
      case .begin:
        let kind = kinds[numbers[start + 1]] ?? SpanJournal.Kind()
        kinds[numbers[start + 1]] = kind
        let count = tape.choices.count
        spans.append(
          Span(
            range: count..<count, kind: ObjectIdentifier(kind), isRound: numbers[start + 2] == 1,
            parent: open.last ?? -1))
        open.append(spans.count - 1)
      case .end: if let span = open.popLast() { close(span) }
      case .wandering: isDetermined = false
      case nil: break
      }
    }
    for span in open { close(span) }
  }

  private mutating func close(_ span: Int) {
    spans[span].range = spans[span].range.lowerBound..<tape.choices.count
  }
}
