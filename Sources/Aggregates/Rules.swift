import Events

/// The rules that differ from app to app, such as limits and visibility.
///
/// ```swift
/// Rules.erg.problem(withHandle: "Alice")  // .capital, because erg allows no capitals
/// ```
/// `init(json:)` reads rules from a file.
public struct Rules: Equatable, Sendable {
  /// The name of the rules.
  public var name: String
  /// The edition of the checks that are the same for all apps: 1 to `latestEdition`.
  ///
  /// From edition 2 on, freed handles rest, and each text must show something. A log keeps the
  /// edition that it records, so that its earlier events stay allowed.
  public var edition = Rules.latestEdition
  /// Whether a profile must have a handle.
  public var handleRequired = true
  /// Whether a handle may have capital letters.
  public var handleCapitals = true
  /// The number of days for which only its last owner can take a freed handle: 0 to 366.
  /// Edition 1 ignores it.
  public var handleRestDays = 30
  /// The allowed lengths of a handle, in bytes of ASCII.
  public var handleLength = 3...30
  /// Whether a profile's display name is required; a new profile may omit it.
  public var displayNameRequired = false
  /// The longest allowed text of each text field.
  public var textLimits = TextLimits()
  /// The scales for boulder grades; if empty, any text within its limit is allowed.
  public var boulderGradeScales = ["v", "font", "b", "dankyu"]
  /// The scales for route grades; if empty, any text within its limit is allowed.
  public var routeGradeScales = ["yds", "french", "uiaa", "ewbank", "british"]
  /// The reactions that the app offers, in this order.
  public var reactions = ReactionKind.allCases
  /// The relationship that allows two users to send each other messages.
  public var messages = Messaging.friends
  /// The users whose workouts a user's feed shows, in addition to that user's own workouts.
  public var circle = Circle.following
  /// The default audience, for workouts that are shared without one.
  public var audience = Audience.followers
  /// The fields that a workout must have.
  public var itemMembers = ItemMembers.anyOf([.text, .session, .climb, .totalDistance])
  /// The part of a private profile that users other than friends can see.
  public var privateProfiles = PrivateProfiles.hidden
  /// The callers who may search, and list a user's followers, followees and friends.
  public var listing = Listing.signedIn
  /// The sports that users can add to their profile, in the order in which they are listed.
  public var sports = [Sport("climbing"), Sport("bouldering")]
  /// The largest encoded photo in bytes: 5 MiB.
  public var photoLimit = 5 * 1_024 * 1_024

  /// Creates rules with the default values of the properties.
  public init(name: String) { self.name = name }

  /// The preset `climb`, which is the default.
  public static let climb: Rules = {
    var rules = Rules(name: "climb")
    rules.messages = .following
    return rules
  }()

  /// The preset `erg`: handles in lower case; a workout needs a type, times and a distance.
  public static let erg: Rules = {
    var rules = Rules(name: "erg")
    rules.handleCapitals = false
    rules.handleLength = 3...20
    rules.circle = .friends
    rules.audience = .friends
    rules.itemMembers = .allOf([.workoutType, .totalTime, .totalDistance, .averageSplit])
    rules.privateProfiles = .limited
    rules.sports = [Sport("rowing"), Sport("cycling"), Sport("running")]
    return rules
  }()

  /// The preset `ride`: optional handles, required display names, all sports.
  public static let ride: Rules = {
    var rules = Rules(name: "ride")
    rules.displayNameLimit = 40
    rules.displayNameRequired = true
    rules.bioLimit = 1_000
    rules.handleRequired = false
    rules.circle = .friends
    rules.audience = .friends
    rules.itemMembers = .anyOf([.text, .session, .totalDistance])
    rules.sports = Sport.all
    return rules
  }()

  /// All preset rules.
  public static let presets = [climb, erg, ride]

  /// The latest edition of the rules that this version knows.
  public static let latestEdition = 2

  /// Returns the rules with another edition.
  public func of(edition: Int) -> Rules {
    var rules = self
    rules.edition = edition
    return rules
  }

  /// The time for which a freed handle rests, in milliseconds.
  var handleRest: Int64 { edition < 2 ? 0 : Int64(handleRestDays) * 86_400_000 }

  /// Returns the reason why a handle is not valid; nil if it is valid. Handles are not trimmed, so
  /// a handle with white space is not valid.
  public func problem(withHandle handle: String) -> DomainError.HandleProblem? {
    let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    func isLetter(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || handleCapitals && capitals.contains(byte)
    }
    for byte in handle.utf8 {
      let isAllowed =
        isLetter(byte) || byte == UInt8(ascii: "_")
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      if isAllowed { continue }
      if handle.contains(where: { $0.isWhitespace }) { return .whiteSpace }
      return capitals.contains(byte) ? .capital : .character
    }
    if let first = handle.utf8.first, !isLetter(first) { return .firstCharacter }
    let count = handle.utf8.count
    if count < handleLength.lowerBound {
      return .tooShort(limit: handleLength.lowerBound, actual: count)
    }
    let limit = handleLength.upperBound
    return count > limit ? .tooLong(limit: limit, actual: count) : nil
  }

  /// Throws `invalidHandle` if the handle is not valid, or is nil but required.
  func checkHandle(_ handle: String?) throws(DomainError) {
    if handle == nil, !handleRequired { return }
    if let problem = problem(withHandle: handle ?? "") { throw .invalidHandle(problem) }
  }

  /// Throws `outOfRange` unless latitude is −90…90 and longitude −180…180 degrees, both finite.
  public func checkLocation(latitude: Double, longitude: Double) throws(DomainError) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
      throw .outOfRange
    }
  }

  /// Throws `unknownSport` if a sport is in neither `sports` nor `Sport.all`. The check includes
  /// `Sport.all`, so that a log stays valid under another app's rules.
  public func checkSport(_ sport: SportID) throws(DomainError) {
    guard (sports + Sport.all).contains(where: { $0.id == sport.name }) else {
      throw .unknownSport
    }
  }

  /// Throws `unknownSport` if a sport is not in `sports`. Users can add only those.
  public func checkOffered(_ sport: SportID) throws(DomainError) {
    guard sports.contains(where: { $0.id == sport.name }) else { throw .unknownSport }
  }

  /// The allowed weekly goals in metres: up to 10,000 km; 0 means none.
  public static let weeklyGoals: ClosedRange<Int64> = 0...10_000_000

  /// The allowed distances of a workout and of an interval, in metres.
  public static let meters: ClosedRange<Int64> = 0...10_000_000

  /// The longest web address of a photo, in bytes.
  public static let longestURL = 2_048

  /// Checks a photo's address, and its content type and size if the event contains them.
  /// - Throws: `invalidImage` if the photo is empty or neither JPEG nor PNG, or if its address is
  ///   empty or too long; `imageTooLarge`.
  func checkPhoto(_ photo: ProfilePhotoSet) throws(DomainError) {
    let types: [String?] = [nil, "image/jpeg", "image/png"]
    guard types.contains(photo.contentType), photo.bytes ?? 1 > 0, !photo.url.isEmpty,
      photo.url.utf8.count <= Self.longestURL
    else { throw .invalidImage }
    if photo.bytes ?? 0 > photoLimit { throw .imageTooLarge(.bytes(photoLimit)) }
  }

  /// Throws `invalidImage` unless the bytes begin like a JPEG or PNG file. Throws `imageTooLarge`
  /// if the image exceeds a limit.
  public func checkPhoto(_ bytes: [UInt8]) throws(DomainError) {
    let isJPEG = bytes.starts(with: [0xff, 0xd8, 0xff])
    let isPNG = bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    guard isJPEG || isPNG else { throw .invalidImage }
    if bytes.count > photoLimit { throw .imageTooLarge(.bytes(photoLimit)) }
  }
}

/// Whether two texts are equal as bytes; `==` of `String` also equates composed and decomposed
/// letters.
func same(_ a: String?, _ b: String?) -> Bool {
  switch (a, b) {
  case (nil, nil): true
  case (let a?, let b?): a.utf8.elementsEqual(b.utf8)
  default: false
  }
}
