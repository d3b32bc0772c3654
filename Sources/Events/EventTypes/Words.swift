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
  /// A user's handle.
  case handle
  /// A URL.
  case address
  /// The path of a stored photo.
  case path
  /// A text that identifies an item among its owner's items, such as a workout's `localID`.
  case key
  /// A text that says nothing about a person, such as a product's identifier or a duration.
  case plain
}

/// An operation that replaces the texts and places in events, and the ids of other events that
/// these events name.
package protocol ContentMap {
  /// Returns a text's replacement; nil removes the text, if its field is optional. Is not called
  /// with plain texts.
  mutating func text(_ text: String, _ member: StaticString, _ kind: TextKind) -> String?
  /// Returns the latitude and longitude that replace those of a place, in degrees.
  mutating func place(
    _ latitude: Double, _ longitude: Double
  ) -> (latitude: Double, longitude: Double)
  mutating func eventID(_ id: EventID) -> EventID
}

/// The data of an event type that has no texts.
protocol WordlessData: EventData {}

extension WordlessData {
  var words: Words? { nil }
}
