import EventLog

/// The choices of a run, in a file that survives the end of the process by a trap or a signal.
struct RunJournal: Sendable {
  private let numbers: MappedNumbers
  /// Whether the journal also has the bounds and the spans of the choices, for shrinking.
  let hasSpans: Bool

  fileprivate enum Entry: UInt64 { case choice, begin, end, wandering }
  private static let suffix = ".running"

  /// Creates a journal with a new file in a folder; nil if the system refuses it.
  /// - Parameter name: the beginning of the file's name.
  init?(in folder: String, name: String, hasSpans: Bool) {
    for number in 0..<1_000 {
      let path = "\(folder)/\(name).\(number)\(Self.suffix)"
      if let numbers = MappedNumbers(path: path) {
        (self.numbers, self.hasSpans) = (numbers, hasSpans)
        return
      }
    }
    return nil
  }

  /// Returns the choices of the runs during which a process ended, and removes their files. Their
  /// journals have no spans.
  static func tapes(in folder: String, name: String) -> [Tape] {
    take(in: folder, name).map(Tape.init)
  }

  /// Returns the run during which a process ended, from a journal with spans.
  /// - Parameter failure: the cause of the failure.
  static func run(in folder: String, name: String, failure: String) -> Shrinker.Run? {
    take(in: folder, name).first.map { Shrinker.Run($0, failure) }
  }

  private static func take(in folder: String, _ name: String) -> [[UInt64]] {
    let names = (try? FileSystem.posix.list(folder)) ?? []
    return names.compactMap { file in
      guard file.hasPrefix(name + "."), file.hasSuffix(suffix),
        let numbers = MappedNumbers.take("\(folder)/\(file)"), !numbers.isEmpty
      else { return nil }
      return numbers
    }
  }

  /// Removes the file.
  func remove() { numbers.remove() }

  /// Removes all entries, before the next run.
  func removeAll() { numbers.removeAll() }

  // Unoptimized builds call this for each choice, so it does little.
  func choose(_ choice: UInt64, _ bound: UInt64) {
    if hasSpans { add(.choice, choice, bound) } else { numbers.append(choice) }
  }
  func begin(_ span: Span) {
    add(.begin, UInt64(UInt(bitPattern: span.kind)), span.isRound ? 1 : 0)
  }
  func end() { add(.end, 0, 0) }
  func wander() { if hasSpans { add(.wandering, 0, 0) } }

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
    var kinds: [UInt64: RunJournal.Kind] = [:]
    for start in stride(from: 0, to: numbers.count - 2, by: 3) {
      switch RunJournal.Entry(rawValue: numbers[start]) {
      case .choice:
        tape.choices.append(numbers[start + 1])
        bounds.append(numbers[start + 2])
      case .begin:
        let kind = kinds[numbers[start + 1]] ?? RunJournal.Kind()
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
