import Events

/// What stands in place of the texts of people who are forgotten.
///
/// The shortest that the domain takes for a text of the kind: a sign. An edit had changed the text
/// before it, so it gets the other of two signs; what was no change before is none afterwards to
/// the rules, which go by the whole history.
struct Blanks {
  private static let signs = ["-", "+"]

  private struct Place: Hashable {
    var stream: String
    var member: String
  }

  /// Which of the signs each text has last got.
  private var last: [Place: Int] = [:]
  /// The numbers in place of the keys of each owner's items.
  private var keys: [String: [String: Int]] = [:]

  /// The stream of the event whose texts are replaced, and whose it is.
  var stream = ""
  var owner = ""

  mutating func text(_ text: String, _ member: String, _ kind: TextKind) -> String {
    switch kind {
    case .shared: return text
    case .maybeEmpty: return ""
    case .key:
      let number = keys[owner]?[text] ?? (keys[owner]?.count ?? 0) + 1
      keys[owner, default: [:]][text] = number
      return "\(number)"
    case .words, .address: return text.isEmpty ? "" : Self.signs[turn(member)]
    }
  }

  /// Takes note of a text that stays: what replaces the next must not say the same.
  mutating func note(_ text: String, _ member: String) {
    let sign = Self.signs.firstIndex(of: text)
    let place = Place(stream: stream, member: member)
    if sign != nil || last[place] != nil { last[place] = sign }
  }

  /// The middle of the Gulf of Guinea, or a degree beside it.
  mutating func place() -> (latitude: Double, longitude: Double) {
    (0, Double(turn("latitude")))
  }

  private mutating func turn(_ member: String) -> Int {
    let place = Place(stream: stream, member: member)
    let sign = last[place].map { 1 - $0 } ?? 0
    last[place] = sign
    return sign
  }
}
