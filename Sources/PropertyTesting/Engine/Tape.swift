/// The choices that a run of a property made: all that a test case is.
///
/// Everything drawn is made of choices, numbers from 0 to a bound, 0 the simplest. Whoever has the
/// tape has the test case again, and whoever makes a smaller tape has a smaller test case, whatever
/// the property draws from it: generators, filters and preconditions look at the same choices anew,
/// so that what they promise stays true while shrinking. The idea is that of Hypothesis
/// (MacIver and Donaldson, Test-Case Reduction via Test-Case Generation, ECOOP 2020).
///
/// As text, `3.0.17`: the choices with points between.
public struct Tape: Hashable, Sendable, CustomStringConvertible {
  public internal(set) var choices: [UInt64]

  init(_ choices: [UInt64]) { self.choices = choices }

  /// The tape that a report or a corpus shows.
  /// - Returns: nil for what is no tape.
  public init?(_ text: some StringProtocol) {
    choices = []
    if text.isEmpty { return }
    for part in text.split(separator: ".", omittingEmptySubsequences: false) {
      guard let choice = UInt64(part), part.utf8.first != UInt8(ascii: "+") else { return nil }
      choices.append(choice)
    }
  }

  public var description: String { choices.map(String.init).joined(separator: ".") }

  /// Without the zeros at the end, which are what a run reads where a tape has ended.
  var trimmed: Tape {
    let last = choices.lastIndex { $0 != 0 }
    return Tape(Array(choices[..<(last.map { $0 + 1 } ?? 0)]))
  }

  /// Whether a tape is simpler than another: shorter, or as long and smaller at the first choice
  /// that differs (shortlex).
  static func < (a: Tape, b: Tape) -> Bool {
    a.choices.count != b.choices.count
      ? a.choices.count < b.choices.count : a.choices.lexicographicallyPrecedes(b.choices)
  }
}

/// A piece of a tape that belongs together: what one `draw` read, an element of an array with the
/// choice that there is one, a step of a machine.
struct Span: Sendable {
  var range: Range<Int>
  /// Of what kind; pieces of the same kind may take each other's place.
  var kind: ObjectIdentifier
  /// Whether it is a round of a repetition, which can go without the others.
  var isRound = false
  /// The span around this one, as a position in the order in which spans begin; -1 for none.
  var parent: Int
}

/// A tape read with a piece of it made simple, however many choices that then takes: from a
/// position on, the rest of a span is zeros, and what comes after it reads on elsewhere.
struct Splice: Sendable {
  var span: Int
  var start: Int
  var resume: Int
}
