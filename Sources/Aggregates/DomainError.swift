import Events

/// The reason why the domain refuses a command.
///
/// No case holds a reference, because then `do { … } catch DomainError.notFriends {}` would not
/// compile: see `StoreFailure`.
public enum DomainError: Error, Equatable, Sendable {
  /// `unauthorized`: there is no actor. `notAuthorized`: the actor may not do this.
  case unauthorized, notAuthorized
  /// `profileNotFound`: no such profile. `profileExists`: the user has, or had, a profile.
  case profileNotFound, profileExists
  /// The handle is not valid.
  case invalidHandle(HandleProblem)
  /// Another user has the handle.
  case handleAlreadyTaken
  /// The display name has more characters than the limit.
  case displayNameTooLong(limit: Int, actual: Int)
  /// The rules require a display name.
  case displayNameRequired
  /// The bio has more characters than the limit.
  case bioTooLong(limit: Int, actual: Int)
  /// `outOfRange`: a latitude, a longitude or a weekly goal is outside its range. `unknownSport`:
  /// the rules have no such sport.
  case outOfRange, unknownSport
  /// The photo is not a JPEG or PNG image, or its address is not valid.
  case invalidImage
  /// The photo exceeds a limit.
  case imageTooLarge(ImageLimit)
  /// The given field's text is too long, or contains a character that names must not have. Or it is
  /// not one of the words that the rules offer.
  case invalidText(TextLimits.Member, TextProblem)
  /// The user tried to follow or block themselves.
  case cannotFollowSelf, cannotBlockSelf
  /// After the block's commit, a follow, a friendship or a friend request still connects the two
  /// users. No use case appends such a block.
  case blockIncomplete
  /// A friend request is to oneself, or was already sent, received or accepted.
  case cannotFriendSelf, alreadyRequested, alreadyReceived, alreadyFriends
  /// `noSuchRequest`: there is no such request or invitation. `notFriends`: the users are not
  /// friends.
  case noSuchRequest, notFriends
  /// `workoutNotFound`: no such workout. `notVisible`: the actor may not see or do this.
  case workoutNotFound, notVisible
  /// A field of the workout is missing or not valid.
  case invalidWorkout(field: WorkoutField)
  /// The comment has no text.
  case commentEmpty
  /// The comment has more characters than the limit.
  case commentTooLong(limit: Int, actual: Int)
  /// The comment does not exist, or the actor cannot see it.
  case commentNotFound
  /// The rules do not offer this reaction.
  case unknownReaction
  /// `groupNotFound`: the group does not exist, or the actor cannot see it. The other three cases:
  /// the user's membership does not allow the command.
  case groupNotFound, alreadyMember, notMember, ownerCannotLeave
  /// The group's name is empty.
  case nameEmpty
  /// The name of a group or place has more characters than the limit.
  case nameTooLong(limit: Int, actual: Int)
  /// The group's description has more characters than the limit.
  case descriptionTooLong(limit: Int, actual: Int)
  /// The message has no text.
  case messageEmpty
  /// The message has more characters than the limit.
  case messageTooLong(limit: Int, actual: Int)
  /// The message does not exist, or the actor did not send or receive it.
  case messageNotFound
  /// The report's reason has more characters than the limit.
  case reasonTooLong(limit: Int, actual: Int)
  /// The report does not exist.
  case reportNotFound
  /// The search text has fewer than two characters.
  case queryTooShort

  /// The name of a workout's field: `totalTime`, `intervals.meters`, or `workouts[2].date` if the
  /// command has several workouts.
  public struct WorkoutField: Equatable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
  {
    /// The field's name, without the workout's index.
    public let name: StaticText
    /// The workout's index in a command with several workouts, from 0; nil if the command has one.
    public let index: Int?

    /// All names of workout fields. A client uses them to parse an error from a server.
    public static let names: [StaticText] = [
      "workout", "date", "localID", "workoutType", "totalTime", "totalDistance", "averageSplit",
      "intensityZone", "text", "session", "climb", "image", "ocrConfidence", "intervals.time",
      "intervals.meters", "intervals.splitPer500m", "intervals.strokeRate", "intervals.heartRate",
      "intervals.timeConfidence", "intervals.metersConfidence", "intervals.splitConfidence",
      "intervals.rateConfidence", "intervals.heartRateConfidence",
    ]

    /// Creates a field.
    public init(_ name: StaticText, ofWorkout index: Int? = nil) {
      (self.name, self.index) = (name, index)
    }

    public init(stringLiteral name: StaticString) { self.init(StaticText(stringLiteral: name)) }

    public var description: String { (index.map { "workouts[\($0)]." } ?? "") + "\(name)" }
  }

  /// The reason why a handle is not valid; lengths are in characters.
  public enum HandleProblem: Equatable, Sendable {
    /// The handle has fewer characters than the limit.
    case tooShort(limit: Int, actual: Int)
    /// The handle has more characters than the limit.
    case tooLong(limit: Int, actual: Int)
    /// The handle does not begin with a letter.
    case firstCharacter
    /// The handle contains white space; handles are not trimmed.
    case whiteSpace
    /// The handle contains a capital letter, which the rules do not allow.
    case capital
    /// The handle contains a character other than a letter, a digit or `_`.
    case character
  }

  /// The limit that a photo exceeds.
  public enum ImageLimit: Equatable, Sendable {
    /// The largest size in bytes.
    case bytes(Int)
    /// The largest number of pixels.
    case pixels(Int)
  }

  /// The reason why a text is not valid; lengths are in Characters.
  public enum TextProblem: Equatable, Sendable {
    /// The text has more characters than the limit.
    case tooLong(limit: Int, actual: Int)
    /// The text contains U+0000, a line feed, or a character that overrides the direction of text.
    case character
    /// The text is not one of the words that the rules offer.
    case notOffered
  }
}
