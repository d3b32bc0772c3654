import Events

/// What differs from app to app, as a value: limits, and who sees what.
///
/// ```swift
/// Rules.erg.problem(withHandle: "Alice")  // .capital: none are allowed there
/// ```
/// `init(json:)` reads it from a file.
public struct Rules: Equatable, Sendable {
  public var name: String
  /// Whether a profile must have a handle.
  public var handleRequired = true
  /// Whether a handle may have capital letters.
  public var handleCapitals = true
  /// In bytes of ASCII.
  public var handleLength = 3...30
  public var displayNameRequired = false
  /// The longest text of every member.
  public var textLimits = TextLimits()
  /// How boulders and routes can be graded; any text within its limit if there are none.
  public var boulderGradeScales = ["v", "font", "b", "dankyu"]
  public var routeGradeScales = ["yds", "french", "uiaa", "ewbank", "british"]
  /// How one can react to an item, in the order in which they are offered.
  public var reactions = ReactionKind.allCases
  /// What must be between two users for one to send the other messages.
  public var messages = Messaging.friends
  /// Whose items are in one's feed, beside one's own.
  public var circle = Circle.following
  /// Who sees an item that names no audience.
  public var audience = Audience.followers
  /// The members that an item must have.
  public var itemMembers = ItemMembers.anyOf([.text, .session, .climb, .totalDistance])
  /// What others see of a profile that is not public.
  public var privateProfiles = PrivateProfiles.hidden
  /// Who may search, and list followers, following and friends.
  public var listing = Listing.signedIn
  /// Those that a profile can be given, in the order in which they are listed.
  public var sports = [Sport("climbing"), Sport("bouldering")]
  /// In bytes, after encoding: 5 MiB.
  public var photoLimit = 5 * 1_024 * 1_024

  public init(name: String) { self.name = name }

  /// The default.
  public static let climb: Rules = {
    var rules = Rules(name: "climb")
    rules.messages = .following
    return rules
  }()

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

  /// - Throws: `invalidHandle`, also for none where one is required.
  func checkHandle(_ handle: String?) throws(DomainError) {
    if handle == nil, !handleRequired { return }
    if let problem = problem(withHandle: handle ?? "") { throw .invalidHandle(problem) }
  }

  /// - Throws: `outOfRange` unless latitude is −90…90 and longitude −180…180 degrees, both finite.
  public func checkLocation(latitude: Double, longitude: Double) throws(DomainError) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
      throw .outOfRange
    }
  }

  /// - Throws: `unknownSport` if it is neither one of `sports` nor one of any app: what a log says
  ///   stays valid under the rules of another.
  public func checkSport(_ sport: SportID) throws(DomainError) {
    guard (sports + Sport.all).contains(where: { $0.id == sport.name }) else {
      throw .unknownSport
    }
  }

  /// - Throws: `unknownSport` if it is not one of `sports`, the only ones that can be added.
  public func checkOffered(_ sport: SportID) throws(DomainError) {
    guard sports.contains(where: { $0.id == sport.name }) else { throw .unknownSport }
  }

  /// The metres of a weekly goal: at most 10,000 km, and 0 for none.
  public static let weeklyGoals: ClosedRange<Int64> = 0...10_000_000

  /// The metres of an item, and of an interval.
  public static let meters: ClosedRange<Int64> = 0...10_000_000

  /// The longest address of a photo, in bytes.
  public static let longestURL = 2_048

  /// Checks what an event says about a photo: its address, and its content type and size in bytes
  /// if it names them.
  /// - Throws: `invalidImage` if it is empty, neither JPEG nor PNG, or its address is too long;
  ///   `imageTooLarge`.
  func checkPhoto(_ photo: ProfilePhotoSet) throws(DomainError) {
    let types: [String?] = [nil, "image/jpeg", "image/png"]
    guard types.contains(photo.contentType), photo.bytes ?? 1 > 0, !photo.url.isEmpty,
      photo.url.utf8.count <= Self.longestURL
    else { throw .invalidImage }
    if photo.bytes ?? 0 > photoLimit { throw .imageTooLarge(.bytes(photoLimit)) }
  }

  /// - Throws: `invalidImage` unless the bytes begin as JPEG or PNG do, `imageTooLarge`.
  public func checkPhoto(_ bytes: [UInt8]) throws(DomainError) {
    let isJPEG = bytes.starts(with: [0xff, 0xd8, 0xff])
    let isPNG = bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    guard isJPEG || isPNG else { throw .invalidImage }
    if bytes.count > photoLimit { throw .imageTooLarge(.bytes(photoLimit)) }
  }
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
