/// What the texts of an event are of, and who wrote them.
package struct Words {
  package enum Author {
    case user(UserID)
    /// Who made what they are of.
    case maker
    /// Who acted.
    case actor
  }

  package var item: AnyID
  package var author: Author

  init(of item: AnyID, by author: Author) { (self.item, self.author) = (item, author) }
}

/// What a text in an event is, which says what may stand in its place.
package enum TextKind {
  /// Somebody's words, never empty.
  case words
  /// Words that may be empty.
  case maybeEmpty
  /// What others go by too, such as the name of a group.
  case shared
  /// Where something is on the web.
  case address
  /// What tells an item from the others of its owner.
  case key
}

/// Replacements for what events say in words, and for the ids of other events that they name.
package protocol ContentMap {
  mutating func handle(_ text: String) -> String
  mutating func text(_ text: String, _ member: StaticString, _ kind: TextKind) -> String
  /// - Returns: nil for a path that is to be left out.
  mutating func path(_ text: String) -> String?
  /// In degrees.
  mutating func place(
    _ latitude: Double, _ longitude: Double
  ) -> (latitude: Double, longitude: Double)
  mutating func eventID(_ id: EventID) -> EventID
}

extension ContentMap {
  mutating func handle(_ text: String?) -> String? { text.map { handle($0) } }

  mutating func handle(_ patch: Patch<String>) -> Patch<String> {
    if case .set(let text) = patch { .set(handle(text)) } else { patch }
  }

  mutating func text(_ text: String, _ member: StaticString) -> String {
    self.text(text, member, .words)
  }

  mutating func text(
    _ text: String?, _ member: StaticString, _ kind: TextKind = .words
  ) -> String? {
    text.map { self.text($0, member, kind) }
  }

  mutating func text(
    _ patch: Patch<String>, _ member: StaticString, _ kind: TextKind = .words
  ) -> Patch<String> {
    if case .set(let text) = patch { .set(self.text(text, member, kind)) } else { patch }
  }
}

/// The data of an event that says nothing in words.
protocol WordlessData: EventData {}

extension WordlessData {
  var words: Words? { nil }
  mutating func mapContent(_ map: inout some ContentMap) {}
}
