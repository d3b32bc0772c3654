import Events

/// The replacements for erased people's texts.
///
/// A text becomes `-` or `+`, the shortest valid texts. The text of an edit becomes the sign that
/// differs from the previous text's sign. For rules that read the whole history, the event then
/// remains an edit.
struct Placeholders {
  private static let signs = ["-", "+"]

  private struct Place: Hashable {
    var stream: String
    var member: String
  }

  /// The index in `signs` of the last sign used for each field of a stream.
  private var last: [Place: Int] = [:]
  /// For each owner, the numbers that replace local ids. A local id (`localID`) identifies an item
  /// among its owner's items.
  private var keys: [String: [String: Int]] = [:]

  /// The stream of the event whose texts are replaced.
  var stream = ""
  /// The id of the owner of the event's item.
  var owner = ""

  mutating func text(_ text: String, _ member: String, _ kind: TextKind) -> String {
    switch kind {
    case .shared, .handle, .path, .plain: return text
    case .maybeEmpty: return ""
    case .key:
      let number = keys[owner]?[text] ?? (keys[owner]?.count ?? 0) + 1
      keys[owner, default: [:]][text] = number
      return "\(number)"
    case .words, .address: return text.isEmpty ? "" : Self.signs[turn(member)]
    }
  }

  /// Records a text that stays, because the next replacement must differ from it.
  mutating func note(_ text: String, _ member: String) {
    let sign = Self.signs.firstIndex(of: text)
    let place = Place(stream: stream, member: member)
    if sign != nil || last[place] != nil { last[place] = sign }
  }

  /// Returns a replacement for a place: a point in the Gulf of Guinea (0°, 0°), or one degree
  /// beside it.
  mutating func place() -> (latitude: Double, longitude: Double) { (0, Double(turn("latitude"))) }

  private mutating func turn(_ member: String) -> Int {
    let place = Place(stream: stream, member: member)
    let sign = last[place].map { 1 - $0 } ?? 0
    last[place] = sign
    return sign
  }
}
