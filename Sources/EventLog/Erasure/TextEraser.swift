import Events

/// The replacement of an event's texts.
struct TextEraser: ContentMap {
  var placeholders: Placeholders
  let words: WordSearch
  let handles: [String: String]
  let ids: [EventID: EventID]
  let changesMentions: Bool
  /// Whether an erased person wrote the texts.
  var isPersons = false
  /// Whether the texts are erased.
  var isForgotten = false

  private(set) var isChanged = false
  private(set) var isReferring = false
  /// The ids of other events that the event refers to.
  private(set) var references: [EventID] = []
  /// The members whose texts mention one of the people.
  private(set) var members: [String] = []

  mutating func handle(_ text: String) -> String {
    guard isPersons, let new = handles[text] else { return text }
    isChanged = true
    return new
  }

  mutating func text(_ text: String, _ member: StaticString, _ kind: TextKind) -> String {
    if isForgotten, kind != .shared, kind != .key || isPersons {
      let new = placeholders.text(text, "\(member)", kind)
      if new != text { isChanged = true }
      return new
    }
    if kind == .key { return text }
    placeholders.note(text, "\(member)")
    guard let new = words.replaced(text) else { return text }
    members.append("\(member)")
    if !changesMentions || kind == .address { return text }
    isChanged = true
    return new
  }

  mutating func path(_ text: String) -> String? {
    // If only an item's texts are erased, its photo stays in storage and keeps its path.
    if !isPersons { return text }
    isChanged = true
    return nil
  }

  mutating func place(
    _ latitude: Double, _ longitude: Double
  ) -> (latitude: Double, longitude: Double) {
    if !isForgotten { return (latitude, longitude) }
    isChanged = true
    return placeholders.place()
  }

  mutating func eventID(_ id: EventID) -> EventID {
    references.append(id)
    guard let new = ids[id] else { return id }
    isReferring = true
    return new
  }
}
