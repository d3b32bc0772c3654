import Events

/// The longest allowed text of each text field, in Characters (grapheme clusters).
///
/// A text also counts as at least one Character for each 16 of its Unicode scalars. Otherwise a
/// single letter with a million accents would be a short text.
///
/// ```swift
/// var limits = TextLimits()
/// limits[.homeGym]        // 100
/// limits[.homeGym] = 40
/// ```
public struct TextLimits: Equatable, Sendable {
  /// A field of an event with a text by a person or an app. The raw value is its name in a rules
  /// file.
  public enum Member: String, CaseIterable, Sendable {
    /// Fields of a profile.
    case displayName, bio, homeGym, homeZIP, favoriteStyle, boulderGradeScale, routeGradeScale
    /// `locationName`: the name of the place where a user is based. `product`, `transaction`:
    /// fields of a subscription.
    case locationName, product, transaction
    /// Fields of a workout.
    case localID, workoutType, intensityZone, text, session
    /// The climb in a workout, or a completed climb that a user logged.
    case climb
    /// A comment's text, a group's name and description, a message's text, a report's reason.
    case comment, groupName, groupDescription, message, reason

    /// Whether the field is a name, which needs a visible character and forbids some characters.
    var isName: Bool {
      switch self {
      case .displayName, .homeGym, .locationName, .groupName: true
      default: false
      }
    }

    fileprivate var usualLimit: Int {
      switch self {
      case .displayName: 50
      case .bio, .groupDescription: 280
      case .homeZIP: 32
      case .homeGym, .favoriteStyle, .boulderGradeScale, .routeGradeScale, .locationName,
        .workoutType, .intensityZone, .groupName:
        100
      case .product, .transaction, .localID, .session, .climb: 200
      case .comment, .reason: 1_000
      case .message: 2_000
      case .text: 5_000
      }
    }
  }

  private var limits = Member.allCases.map { $0.usualLimit }

  /// Creates the default limits.
  public init() {}

  /// The longest allowed text of a field, in Characters.
  public subscript(member: Member) -> Int {
    get { limits[Self.place(member)] }
    set { limits[Self.place(member)] = newValue }
  }

  private static func place(_ member: Member) -> Int {
    Member.allCases.firstIndex(of: member) ?? 0
  }
}

extension Rules {
  /// The longest display name, in Characters.
  public var displayNameLimit: Int {
    get { textLimits[.displayName] }
    set { textLimits[.displayName] = newValue }
  }
  /// The longest bio, in Characters.
  public var bioLimit: Int {
    get { textLimits[.bio] }
    set { textLimits[.bio] = newValue }
  }
  /// The longest comment, in Characters.
  public var commentLimit: Int {
    get { textLimits[.comment] }
    set { textLimits[.comment] = newValue }
  }

  /// Whether a text can be a name: it has a visible character and none that names must not have.
  public static func isName(_ text: String) -> Bool { showsSomething(text) && !isMisleading(text) }

  /// Whether a text has a visible character. Not visible are white space, control characters,
  /// Unicode's default ignorable code points (which include letters without width and fillers of
  /// Hangul), anchors of annotations, and two blanks that are none of these.
  public static func showsSomething(_ text: String) -> Bool {
    text.unicodeScalars.contains { scalar in
      // U+2800 is an empty Braille pattern, and U+1D159 a note without head.
      let isBlank = [0x2800, 0x1d159].contains(scalar.value) || (0xfff9...0xfffb ~= scalar.value)
      let properties = scalar.properties
      return !isBlank && !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
        && properties.generalCategory != .control
    }
  }

  /// Whether a text counts as empty. In edition 1 only names had to show something, and a note
  /// without head was enough.
  private func isEmpty(_ text: String, _ member: TextLimits.Member) -> Bool {
    if text.isEmpty || Self.showsSomething(text) { return text.isEmpty }
    return edition > 1 || member.isName && !text.unicodeScalars.contains("\u{1d159}")
  }

  /// Whether a text has U+0000, a line feed, or a character that overrides the direction of text.
  static func isMisleading(_ text: String) -> Bool {
    text.unicodeScalars.contains { scalar in
      switch scalar.value {
      case 0, 0x0a...0x0d, 0x85, 0x2028, 0x2029, 0x202a...0x202e, 0x2066...0x2069: true
      default: false
      }
    }
  }

  /// Returns the length of a text if it exceeds the limit; otherwise nil.
  private func excess(_ text: String, _ member: TextLimits.Member) -> Int? {
    // A text never has more Characters than bytes.
    if text.utf8.count <= textLimits[member] { return nil }
    let count = max(text.count, (text.unicodeScalars.count + 15) / 16)
    return count > textLimits[member] ? count : nil
  }

  /// Throws the field's error if the text is too long.
  func checkLength(_ text: String?, _ member: TextLimits.Member) throws(DomainError) {
    guard let text, let actual = excess(text, member) else { return }
    let limit = textLimits[member]
    switch member {
    case .displayName: throw .displayNameTooLong(limit: limit, actual: actual)
    case .bio: throw .bioTooLong(limit: limit, actual: actual)
    case .comment: throw .commentTooLong(limit: limit, actual: actual)
    case .groupName, .locationName: throw .nameTooLong(limit: limit, actual: actual)
    case .groupDescription: throw .descriptionTooLong(limit: limit, actual: actual)
    case .message: throw .messageTooLong(limit: limit, actual: actual)
    case .reason: throw .reasonTooLong(limit: limit, actual: actual)
    case .localID: throw .invalidWorkout(field: "localID")
    case .workoutType: throw .invalidWorkout(field: "workoutType")
    case .intensityZone: throw .invalidWorkout(field: "intensityZone")
    case .text: throw .invalidWorkout(field: "text")
    case .session: throw .invalidWorkout(field: "session")
    case .climb, .homeGym, .homeZIP, .favoriteStyle, .boulderGradeScale, .routeGradeScale,
      .product, .transaction:
      throw .invalidText(member, .tooLong(limit: limit, actual: actual))
    }
  }

  /// Returns the trimmed text to store; nil if it is empty or shows nothing.
  /// - Throws: The error for a text that is too long; `invalidText`.
  func stored(_ text: String?, _ member: TextLimits.Member) throws(DomainError) -> String? {
    let text = text.map(trimmed) ?? ""
    if isEmpty(text, member) { return nil }
    if member.isName, Self.isMisleading(text) { throw .invalidText(member, .character) }
    try checkLength(text, member)
    switch member {
    case .boulderGradeScale: return try offered(text, boulderGradeScales, member)
    case .routeGradeScale: return try offered(text, routeGradeScales, member)
    default: return text
    }
  }

  /// The texts that an erasure writes in place of a person's texts.
  private static let blanks = ["-", "+"]

  /// Returns the offered word that equals the text, ignoring case. Returns the text unchanged if
  /// the rules offer no words, or if the text comes from an erasure.
  private func offered(
    _ text: String, _ words: [String], _ member: TextLimits.Member
  ) throws(DomainError) -> String {
    if words.isEmpty || Self.blanks.contains(text) { return text }
    let lower = text.lowercased()
    guard let word = words.first(where: { $0.lowercased() == lower }) else {
      throw .invalidText(member, .notOffered)
    }
    return word
  }

  /// Returns the display name to store; nil if it has no visible character.
  func displayName(_ text: String?) throws(DomainError) -> String? {
    let name = try stored(text, .displayName)
    if name == nil, displayNameRequired { throw .displayNameRequired }
    return name
  }

  func comment(_ text: String) throws(DomainError) -> String {
    guard let comment = try stored(text, .comment) else { throw .commentEmpty }
    return comment
  }

  func groupName(_ text: String) throws(DomainError) -> String {
    guard let name = try stored(text, .groupName) else { throw .nameEmpty }
    return name
  }

  func message(_ text: String) throws(DomainError) -> String {
    guard let message = try stored(text, .message) else { throw .messageEmpty }
    return message
  }

  /// Returns the reason of a report to store; it may be empty.
  func reason(_ text: String) throws(DomainError) -> String { try stored(text, .reason) ?? "" }
}

/// Returns the text without leading and trailing white space and newlines.
public func trimmed(_ text: String) -> String {
  // Most texts begin and end with a visible ASCII character. Comparing Characters would take ten
  // times as long.
  let visible: ClosedRange<UInt8> = 0x21...0x7e
  if let first = text.utf8.first, visible.contains(first), let last = text.utf8.last,
    visible.contains(last)
  {
    return text
  }
  guard let first = text.firstIndex(where: { !$0.isWhitespace }),
    let last = text.lastIndex(where: { !$0.isWhitespace })
  else { return "" }
  return String(text[first...last])
}
