import Events

extension DomainError: CustomStringConvertible {
  /// The error's code for programs, such as `notFriends`.
  public var code: String { texts.code }

  /// The error's message for people.
  public var description: String { texts.sentence }

  private var texts: (code: String, sentence: String) {
    switch self {
    case .unauthorized: ("unauthorized", "the acting user is missing")
    case .notAuthorized: ("notAuthorized", "only its owner, an admin or a service may do this")
    case .profileNotFound: ("profileNotFound", "there is no such profile")
    case .profileExists: ("profileExists", "this user has, or had, a profile")
    case .invalidHandle(let problem): ("invalidHandle", "the handle is not valid: \(problem)")
    case .handleAlreadyTaken: ("handleAlreadyTaken", "the handle is taken")
    case .displayNameTooLong(let limit, let actual):
      ("displayNameTooLong", "the display name has \(actual) characters, \(limit) are allowed")
    case .displayNameRequired: ("displayNameRequired", "a display name is required")
    case .bioTooLong(let limit, let actual):
      ("bioTooLong", "the bio has \(actual) characters, \(limit) are allowed")
    case .outOfRange:
      (
        "outOfRange",
        "latitude is -90 to 90, longitude -180 to 180, a weekly goal 0 to 10,000,000 metres"
      )
    case .unknownSport: ("unknownSport", "there is no such sport")
    case .invalidImage: ("invalidImage", "a photo is a JPEG or PNG image")
    case .imageTooLarge(let limit): ("imageTooLarge", "the photo has more than \(limit)")
    case .invalidText(let member, let problem): ("invalidText", "\(member.rawValue): \(problem)")
    case .cannotFollowSelf: ("cannotFollowSelf", "nobody follows themselves")
    case .cannotBlockSelf: ("cannotBlockSelf", "nobody blocks themselves")
    case .blockIncomplete:
      (
        "blockIncomplete",
        "a block must end follows, friendship and requests between the two in the same commit"
      )
    case .cannotFriendSelf: ("cannotFriendSelf", "nobody befriends themselves")
    case .alreadyRequested: ("alreadyRequested", "the request has been sent already")
    case .alreadyReceived:
      ("alreadyReceived", "they have asked already: accept their request instead")
    case .alreadyFriends: ("alreadyFriends", "they are friends already")
    case .noSuchRequest: ("noSuchRequest", "there is no such request or invitation")
    case .notFriends: ("notFriends", "they are not friends")
    case .workoutNotFound: ("workoutNotFound", "there is no such workout")
    case .notVisible: ("notVisible", "the caller may not see this, or write to this user")
    case .invalidWorkout(let field):
      ("invalidWorkout", "the workout's \(field) is missing or not valid")
    case .commentEmpty: ("commentEmpty", "a comment has at least one character")
    case .commentTooLong(let limit, let actual):
      ("commentTooLong", "the comment has \(actual) characters, \(limit) are allowed")
    case .commentNotFound: ("commentNotFound", "there is no such comment")
    case .unknownReaction: ("unknownReaction", "there is no such reaction")
    case .groupNotFound: ("groupNotFound", "there is no such group")
    case .alreadyMember: ("alreadyMember", "the user is a member already")
    case .notMember: ("notMember", "the user is not a member")
    case .ownerCannotLeave: ("ownerCannotLeave", "the owner can leave only after a transfer")
    case .nameEmpty: ("nameEmpty", "the name is empty")
    case .nameTooLong(let limit, let actual):
      ("nameTooLong", "the name has \(actual) characters, \(limit) are allowed")
    case .descriptionTooLong(let limit, let actual):
      ("descriptionTooLong", "the description has \(actual) characters, \(limit) are allowed")
    case .messageEmpty: ("messageEmpty", "the message is empty")
    case .messageTooLong(let limit, let actual):
      ("messageTooLong", "the message has \(actual) characters, \(limit) are allowed")
    case .messageNotFound: ("messageNotFound", "there is no such message")
    case .reasonTooLong(let limit, let actual):
      ("reasonTooLong", "the reason has \(actual) characters, \(limit) are allowed")
    case .reportNotFound: ("reportNotFound", "there is no such report")
    case .queryTooShort: ("queryTooShort", "a query has at least two characters")
    }
  }

  /// The message that fits all errors with this code. It has no lengths and no field names.
  public var summary: String {
    switch self {
    case .invalidHandle: "the handle is not valid"
    case .displayNameTooLong: "the display name has too many characters"
    case .bioTooLong: "the bio has too many characters"
    case .invalidWorkout: "a member of the workout is not valid"
    case .commentTooLong: "the comment has too many characters"
    case .imageTooLarge: "the photo is too large"
    case .invalidText: "a text is too long, or not one that is allowed"
    default: description
    }
  }
}

extension DomainError.ImageLimit: CustomStringConvertible {
  public var description: String {
    switch self {
    case .bytes(let count):
      count % 1_048_576 == 0 ? "\(count / 1_048_576) MiB" : "\(grouped(count)) bytes"
    case .pixels(let count): "\(grouped(count)) pixels"
    }
  }
}

/// Returns a number with separators: `100,000,000`.
private func grouped(_ number: Int) -> String {
  number < 1_000
    ? "\(number)" : grouped(number / 1_000) + "," + (number % 1_000).padded(to: 3)
}

extension DomainError.TextProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooLong(let limit, let actual): "it has \(actual) characters, \(limit) are allowed"
    case .character:
      "it has a line feed, U+0000 or a character that changes the direction of text"
    case .notOffered: "the rules do not offer this value"
    }
  }
}

extension DomainError.HandleProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooShort(let limit, let actual): "it has \(actual) characters, the minimum is \(limit)"
    case .tooLong(let limit, let actual): "it has \(actual) characters, \(limit) are allowed"
    case .firstCharacter: "it has to begin with a letter"
    case .whiteSpace: "there is white space in it"
    case .capital: "there are capital letters in it"
    case .character: "only letters a to z, digits and _ are allowed in it"
    }
  }
}
