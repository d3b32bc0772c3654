import EventLog

/// The choices and spans of a run, in a file that survives the end of the process by a trap or a
/// signal.
struct RunJournal: Sendable {
  private let numbers: MappedNumbers

  fileprivate enum Entry: UInt64 { case choice, begin, end, wandering }
  private static let suffix = ".running"

  /// Creates a journal with a new file in a folder; nil if the system refuses it.
  init?(folder: String) {
    guard let numbers = Self.file(in: folder, name: "run") else { return nil }
    self.numbers = numbers
  }

  /// Creates a file for choices alone, which costs less than a journal.
  /// - Parameter name: the beginning of the file's name.
  /// - Returns: nil if the system refuses it.
  static func file(in folder: String, name: String) -> MappedNumbers? {
    for number in 0..<1_000 {
      let path = "\(folder)/\(name).\(number)\(suffix)"
      if let made = MappedNumbers(path: path) { return made }
    }
    return nil
  }

  /// Returns the choices of the runs during which a process ended, and removes their files.
  static func tapes(in folder: String, name: String) -> [Tape] {
    take(in: folder, name).map(Tape.init)
  }

  /// Returns the run during which a process ended, from the journal in a folder.
  /// - Parameter failure: the cause of the failure.
  static func run(in folder: String, failure: String) -> Shrinker.Run? {
    take(in: folder, "run").first.map { Shrinker.Run($0, failure) }
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
