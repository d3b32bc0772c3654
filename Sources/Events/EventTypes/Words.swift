/// The subject and the author of an event's texts.
package struct Words {
  package enum Author {
    case user(UserID)
    /// The user who created the item.
    case maker
    /// The user who performed the event.
    case actor
  }

  /// The item that the texts describe.
  package var item: AnyID
  package var author: Author

  init(of item: AnyID, by author: Author) { (self.item, self.author) = (item, author) }
}

/// The kind of a text in an event, which determines the valid replacements.
package enum TextKind {
  /// A person's words; never empty.
  case words
  /// A person's words; may be empty.
  case maybeEmpty
  /// A text that other people also use, such as a group's name.
  case shared
  /// An address on the web.
  case address
  /// A text that identifies an item among its owner's items.
  case key
}

/// Replaces the words in events, and the ids of other events that they name.
package protocol ContentMap {
  mutating func handle(_ text: String) -> String
  mutating func text(_ text: String, _ member: StaticString, _ kind: TextKind) -> String
  /// Returns the new path, or nil to remove it.
  mutating func path(_ text: String) -> String?
  /// Returns the new place; both values are in degrees.
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

/// The data of an event without texts.
protocol WordlessData: EventData {}

extension WordlessData {
  var words: Words? { nil }
  mutating func mapContent(_ map: inout some ContentMap) {}
}
