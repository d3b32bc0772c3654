import Events

/// Why the domain refuses a command.
///
/// It holds no references, because otherwise `do { … } catch DomainError.notFriends {}` does not
/// compile: see `StoreFailure`.
public enum DomainError: Error, Equatable, Sendable {
  case unauthorized, notAuthorized
  case profileNotFound, profileExists
  case invalidHandle(HandleProblem)
  case handleAlreadyTaken
  case displayNameTooLong(limit: Int, actual: Int)
  case displayNameRequired
  case bioTooLong(limit: Int, actual: Int)
  case outOfRange, unknownSport
  case invalidImage
  case imageTooLarge(ImageLimit)
  /// A text that is too long, and has no error of its own; a name with a character that no name
  /// may have; a word that is none of those that the rules offer.
  case invalidText(TextLimits.Member, TextProblem)
  case cannotFollowSelf, cannotBlockSelf
  /// A block whose commit leaves a follow, a friendship or a request between the two; no use case
  /// appends one.
  case blockIncomplete
  case cannotFriendSelf, alreadyRequested, alreadyReceived, alreadyFriends
  case noSuchRequest, notFriends
  case workoutNotFound, notVisible
  case invalidWorkout(field: WorkoutField)
  case commentEmpty
  case commentTooLong(limit: Int, actual: Int)
  case commentNotFound
  case unknownReaction
  case groupNotFound, alreadyMember, notMember, ownerCannotLeave
  case nameEmpty
  case nameTooLong(limit: Int, actual: Int)
  case descriptionTooLong(limit: Int, actual: Int)
  case messageEmpty
  case messageTooLong(limit: Int, actual: Int)
  case messageNotFound
  case reasonTooLong(limit: Int, actual: Int)
  case reportNotFound
  case queryTooShort

  /// A member of a workout: `totalTime`, `intervals.meters`, or `workouts[2].date` where several
  /// workouts were given.
  public struct WorkoutField: Equatable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
  {
    public let name: StaticText
    /// Which of several workouts, from 0; nil where one was given.
    public let index: Int?

    public init(_ name: StaticText, ofWorkout index: Int? = nil) {
      self.name = name
      self.index = index
    }

    public init(stringLiteral name: StaticString) { self.init(StaticText(stringLiteral: name)) }

    public var description: String { (index.map { "workouts[\($0)]." } ?? "") + "\(name)" }
  }

  /// What is wrong with a handle; lengths in characters.
  public enum HandleProblem: Equatable, Sendable {
    case tooShort(limit: Int, actual: Int)
    case tooLong(limit: Int, actual: Int)
    case firstCharacter
    /// Anywhere, including at the ends: handles are not trimmed.
    case whiteSpace
    case capital
    case character
  }

  /// The limit that a photo exceeds.
  public enum ImageLimit: Equatable, Sendable {
    case bytes(Int)
    case pixels(Int)
  }

  /// What is wrong with a text; lengths in Characters.
  public enum TextProblem: Equatable, Sendable {
    case tooLong(limit: Int, actual: Int)
    /// U+0000, a character that overrides the direction of text, or a line feed.
    case character
    /// It is none of the words that the rules offer.
    case notOffered
  }
}
