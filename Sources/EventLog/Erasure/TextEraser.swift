import Events

/// A replacer of the texts in one event.
struct TextEraser: ContentMap {
  var placeholders: Placeholders
  let words: WordSearch
  let handles: [String: String]
  let ids: [EventID: EventID]
  let changesMentions: Bool
  /// Whether an erased person wrote the texts.
  var isPersons = false
  /// Whether the event's texts are erased, because of their author or their item.
  var isForgotten = false

  private(set) var isChanged = false
  private(set) var isReferring = false
  /// The ids of other events to which the event refers.
  private(set) var references: [EventID] = []
  /// The JSON fields whose texts mention one of the erased people.
  private(set) var members: [String] = []

  mutating func text(_ text: String, _ member: StaticString, _ kind: TextKind) -> String? {
    switch kind {
    case .handle:
      guard isPersons, let new = handles[text] else { return text }
      isChanged = true
      return new
    case .path:
      // If the texts of an item are erased but not its author, its photo stays in storage and keeps
      // its path.
      if !isPersons { return text }
      isChanged = true
      return nil
    case .words, .maybeEmpty, .shared, .address, .key, .plain: break
    }
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
