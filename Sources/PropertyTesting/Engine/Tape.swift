/// The choices that a run of a property made, which determine the whole test case.
///
/// Everything drawn is made of choices: numbers from 0, the simplest, to a bound. The tape
/// reproduces the test case, and a smaller tape gives a smaller test case, whatever the property
/// draws: generators, filters and preconditions read the choices anew, so that their guarantees
/// still hold while shrinking. The idea is from Hypothesis (MacIver and Donaldson, Test-Case
/// Reduction via Test-Case Generation, ECOOP 2020).
///
/// As text: the choices with points between them, such as `3.0.17`.
public struct Tape: Hashable, Sendable, CustomStringConvertible {
  public internal(set) var choices: [UInt64]

  init(_ choices: [UInt64]) { self.choices = choices }

  /// Parses a tape from a report or a corpus.
  /// - Returns: nil if the text is not a tape.
  public init?(_ text: some StringProtocol) {
    choices = []
    if text.isEmpty { return }
    for part in text.split(separator: ".", omittingEmptySubsequences: false) {
      guard let choice = UInt64(part), part.utf8.first != UInt8(ascii: "+") else { return nil }
      choices.append(choice)
    }
  }

  public var description: String { choices.map(String.init).joined(separator: ".") }

  /// Without trailing zeros, which a run reads anyway after the end of the tape.
  var trimmed: Tape {
    let last = choices.lastIndex { $0 != 0 }
    return Tape(Array(choices[..<(last.map { $0 + 1 } ?? 0)]))
  }

  /// Whether a tape is simpler than another: shorter, or equally long and smaller at the first
  /// choice that differs (shortlex).
  static func < (a: Tape, b: Tape) -> Bool {
    a.choices.count != b.choices.count
      ? a.choices.count < b.choices.count : a.choices.lexicographicallyPrecedes(b.choices)
  }
}

/// Choices that belong together: what one `draw` read, an array's element with the choice that
/// there is one, or a step of a machine.
struct Span: Sendable {
  var range: Range<Int>
  /// The kind; spans of the same kind may replace each other.
  var kind: ObjectIdentifier
  /// Whether it is a round of a repetition, which can be deleted by itself.
  var isRound = false
  /// The enclosing span, as an index in the order in which spans begin; -1 if there is none.
  var parent: Int
}

/// Reads a tape with the rest of a span made simple, however many choices that takes: zeros from a
/// position to the span's end, after which reading resumes at another position.
struct Splice: Sendable {
  var span: Int
  var start: Int
  var resume: Int
}
