import Events

/// The limits that differ from app to app, as a value.
///
/// ```swift
/// Rules.erg.problem(withHandle: "Alice")  // .capital: none are allowed there
/// ```
public struct Rules: Equatable, Sendable {
  public var name: String
  /// Whether a handle may have capital letters.
  public var handleCapitals = true
  /// In bytes of ASCII.
  public var handleLength = 3...30
  /// In Characters (grapheme clusters), as all lengths of text.
  public var displayNameLimit = 50
  public var displayNameRequired = false
  public var bioLimit = 280
  public var commentLimit = 1_000
  /// The ids of the sports, in the order in which they are listed.
  public var sports = [
    "ski", "snowboard", "freestyle", "freeride", "touring", "cross-country", "telemark",
    "climbing", "bouldering", "rowing", "cycling", "running",
  ]
  /// In bytes, after encoding: 5 MiB.
  public var photoLimit = 5 * 1_024 * 1_024

  public init(name: String) { self.name = name }

  /// The default.
  public static let climb = Rules(name: "climb")

  public static let erg: Rules = {
    var rules = Rules(name: "erg")
    rules.handleCapitals = false
    rules.handleLength = 3...20
    return rules
  }()

  public static let ride: Rules = {
    var rules = Rules(name: "ride")
    rules.displayNameLimit = 40
    rules.displayNameRequired = true
    rules.bioLimit = 1_000
    return rules
  }()

  public static let presets = [climb, erg, ride]

  /// What is wrong with a handle, or nil. It is not trimmed: white space makes it invalid.
  public func problem(withHandle handle: String) -> DomainError.HandleProblem? {
    let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    func isLetter(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || handleCapitals && capitals.contains(byte)
    }
    if handle.contains(where: { $0.isWhitespace }) { return .whiteSpace }
    for byte in handle.utf8 {
      let isAllowed =
        isLetter(byte) || byte == UInt8(ascii: "_")
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      if !isAllowed { return capitals.contains(byte) ? .capital : .character }
    }
    if let first = handle.utf8.first, !isLetter(first) { return .firstCharacter }
    let count = handle.utf8.count
    if count < handleLength.lowerBound {
      return .tooShort(limit: handleLength.lowerBound, actual: count)
    }
    let limit = handleLength.upperBound
    return count > limit ? .tooLong(limit: limit, actual: count) : nil
  }

  /// The display name as it is stored: trimmed; nil if that leaves nothing.
  func displayName(_ text: String?) throws(DomainError) -> String? {
    let name = text.map(trimmed)
    guard let name, !name.isEmpty else {
      if displayNameRequired { throw .displayNameRequired }
      return nil
    }
    if name.count > displayNameLimit {
      throw .displayNameTooLong(limit: displayNameLimit, actual: name.count)
    }
    return name
  }

  func bio(_ text: String) throws(DomainError) -> String {
    let bio = trimmed(text)
    if bio.count > bioLimit { throw .bioTooLong(limit: bioLimit, actual: bio.count) }
    return bio
  }

  func comment(_ text: String) throws(DomainError) -> String {
    let comment = trimmed(text)
    if comment.isEmpty { throw .commentEmpty }
    if comment.count > commentLimit {
      throw .commentTooLong(limit: commentLimit, actual: comment.count)
    }
    return comment
  }

  /// - Throws: `outOfRange` unless latitude is −90…90 and longitude −180…180 degrees, both finite.
  public func checkLocation(latitude: Double, longitude: Double) throws(DomainError) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
      throw .outOfRange
    }
  }

  /// - Throws: `unknownSport` if it is not in `sports`.
  public func checkSport(_ sport: SportID) throws(DomainError) {
    guard sports.contains(sport.name) else { throw .unknownSport }
  }

  /// Checks what an event says about a photo: its content type, and its size in bytes.
  /// - Throws: `invalidImage` if it is empty or neither JPEG nor PNG, `imageTooLarge`.
  func checkPhoto(_ photo: ProfilePhotoSet) throws(DomainError) {
    let isImage = photo.contentType == "image/jpeg" || photo.contentType == "image/png"
    guard isImage, photo.bytes > 0 else { throw .invalidImage }
    if photo.bytes > photoLimit { throw .imageTooLarge }
  }

  /// - Throws: `invalidImage` unless the bytes begin as JPEG or PNG do, `imageTooLarge`.
  public func checkPhoto(_ bytes: [UInt8]) throws(DomainError) {
    let isJPEG = bytes.starts(with: [0xff, 0xd8, 0xff])
    let isPNG = bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    guard isJPEG || isPNG else { throw .invalidImage }
    if bytes.count > photoLimit { throw .imageTooLarge }
  }
}

/// The text without leading and trailing white space and newlines.
public func trimmed(_ text: String) -> String {
  guard let first = text.firstIndex(where: { !$0.isWhitespace }),
    let last = text.lastIndex(where: { !$0.isWhitespace })
  else { return "" }
  return String(text[first...last])
}

/// Whether two texts are equal as bytes: `==` on String also holds between composed and decomposed
/// letters.
func same(_ a: String?, _ b: String?) -> Bool {
  switch (a, b) {
  case (nil, nil): true
  case (let a?, let b?): a.utf8.elementsEqual(b.utf8)
  default: false
  }
}
