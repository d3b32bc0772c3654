import Events

/// Replaces what an event says in words.
struct Contents: ContentMap {
  var blanks: Blanks
  let words: WordSearch
  let handles: [String: String]
  let ids: [EventID: EventID]
  let changesMentions: Bool
  /// Whether the words are those of a person who is forgotten, and whether they go.
  var isPersons = false
  var isForgotten = false

  private(set) var isChanged = false
  private(set) var isReferring = false
  /// The members that mention somebody.
  private(set) var members: [String] = []

  mutating func handle(_ text: String) -> String {
    guard isPersons, let new = handles[text] else { return text }
    isChanged = true
    return new
  }

  mutating func text(_ text: String, _ member: StaticString, _ kind: TextKind) -> String {
    if isForgotten, kind != .shared, kind != .key || isPersons {
      let new = blanks.text(text, "\(member)", kind)
      if new != text { isChanged = true }
      return new
    }
    if kind == .key { return text }
    blanks.note(text, "\(member)")
    guard let new = words.replaced(text) else { return text }
    members.append("\(member)")
    if !changesMentions || kind == .address { return text }
    isChanged = true
    return new
  }

  mutating func path(_ text: String) -> String? {
    // Of an item whose texts alone go, the photo stays in storage, and must be found there.
    if !isPersons { return text }
    isChanged = true
    return nil
  }

  mutating func place(
    _ latitude: Double, _ longitude: Double
  ) -> (latitude: Double, longitude: Double) {
    if !isForgotten { return (latitude, longitude) }
    isChanged = true
    return blanks.place()
  }

  mutating func eventID(_ id: EventID) -> EventID {
    guard let new = ids[id] else { return id }
    isReferring = true
    return new
  }
}

extension Rewriter.Line {
  /// The ids of other events that it names.
  var references: [EventID] {
    var found = References(found: recorded.cause.map { [$0] } ?? [])
    var copy = event
    copy?.mapContent(&found)
    return found.found
  }

  private struct References: ContentMap {
    var found: [EventID]

    mutating func eventID(_ id: EventID) -> EventID {
      found.append(id)
      return id
    }
    func handle(_ text: String) -> String { text }
    func text(_ text: String, _ member: StaticString, _ kind: TextKind) -> String { text }
    func path(_ text: String) -> String? { text }
    func place(
      _ latitude: Double, _ longitude: Double
    ) -> (latitude: Double, longitude: Double) { (latitude, longitude) }
  }
}
