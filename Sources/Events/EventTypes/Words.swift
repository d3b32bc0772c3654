/// The subject and the author of the texts in an event's data.
package struct Words {
  package enum Author {
    case user(UserID)
    /// The user who created the item that contains the texts, such as a comment's author.
    case maker
    /// The actor of the event that contains the texts.
    case actor
  }

  /// The item to which the texts belong, such as a profile or a comment.
  package var item: AnyID
  package var author: Author

  init(of item: AnyID, by author: Author) { (self.item, self.author) = (item, author) }
}

/// The kind of a text in an event. The kind determines which replacements of the text are valid.
package enum TextKind {
  /// A text that a person wrote; it is never empty.
  case words
  /// A text that a person wrote; it may be empty.
  case maybeEmpty
  /// A text that other people also use, such as a group's name.
  case shared
  /// A URL.
  case address
  /// A text that identifies an item among its owner's items, such as a workout's `localID`.
  case key
}

/// An operation that replaces the texts in events, and the ids of other events that these events
/// name.
package protocol ContentMap {
  mutating func handle(_ text: String) -> String
  mutating func text(_ text: String, _ member: StaticString, _ kind: TextKind) -> String
  /// Returns the path that replaces a photo's path, or nil to remove it.
  mutating func path(_ text: String) -> String?
  /// Returns the latitude and longitude that replace those of a place, in degrees.
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

/// The data of an event type that has no texts.
protocol WordlessData: EventData {}

extension WordlessData {
  var words: Words? { nil }
  mutating func mapContent(_ map: inout some ContentMap) {}
}
