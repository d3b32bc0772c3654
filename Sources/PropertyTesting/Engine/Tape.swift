import Events

/// The choices of one run of a property. They determine the whole test case.
///
/// Every drawn value is made from choices. A choice is a number from 0, the simplest, to a bound. A
/// smaller tape gives a smaller test case. After each change of the tape, generators, filters and
/// preconditions draw the values from it again, so their guarantees still hold. The idea is from
/// Hypothesis (MacIver and Donaldson, Test-Case Reduction via Test-Case Generation, ECOOP 2020).
///
/// As text, a tape is its choices separated by points, such as `3.0.17`.
public struct Tape: Hashable, Sendable, CustomStringConvertible {
  /// The choices in the order in which the run made them.
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

  /// The tape as text, such as `3.0.17`.
  public var description: String { choices.map(String.init).joined(separator: ".") }

  /// The tape without trailing zeros. The run is the same, because a run reads zeros after its
  /// tape.
  var trimmed: Tape {
    let last = choices.lastIndex { $0 != 0 }
    return Tape(Array(choices[..<(last.map { $0 + 1 } ?? 0)]))
  }

  /// Returns whether a tape is simpler than another: shorter, or equally long and smaller at the
  /// first choice that differs (shortlex order).
  static func < (a: Tape, b: Tape) -> Bool {
    a.choices.count != b.choices.count
      ? a.choices.count < b.choices.count : a.choices.lexicographicallyPrecedes(b.choices)
  }
}

/// The choices of one `draw`, of one step of a machine, or of one element of an array. An element's
/// span includes the choice to continue the array.
struct Span: Sendable {
  var range: Range<Int>
  /// The span's kind. Spans of the same kind may replace each other.
  var kind: ObjectIdentifier
  /// Whether the span is a round of a repetition. A round can be deleted alone.
  var isRound = false
  /// The index of the enclosing span, in the order in which spans begin; -1 if no span encloses it.
  var parent: Int
}

/// An instruction for reading a tape: from `start` to the end of a span, every choice is zero or
/// random, however many choices the span then has. After the span, reading continues at `resume`.
struct Splice: Sendable {
  var span: Int
  var start: Int
  var resume: Int
  /// The source of the choices in the span; nil for zeros.
  var random: SplitMix64?
}
