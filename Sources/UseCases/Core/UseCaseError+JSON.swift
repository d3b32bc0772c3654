import Aggregates
import Events

// The error of a use case in JSON, as a server sends it and a client reads it:
// `{"error":"bioTooLong","message":…,"details":{"limit":280,"actual":300}}`.

extension UseCaseError {
  /// The values in the error, as a JSON object; nil for an error that has only a code.
  public var details: JSONValue? {
    switch self {
    case .refused(let error): error.details
    case .invalidInput(let error):
      .object(["field": .string(error.field), "problem": .string(error.problem)])
    case .profileUpdateFailed(let url, let error):
      .object([
        "url": .string(url), "error": .string(error.code), "details": error.details ?? .null,
      ])
    case .uploadFailed, .storageFailed, .log, .unreachable, .sessionEnded, .serverError,
      .incompatible, .cancelled, .offline, .upgradeRequired:
      JSONValue?.none
    }
  }

  /// Reads an error that a server sent; nil for a code that this version does not know.
  public init?(code: String, message: String, details: JSONValue?) {
    func text(_ name: String) -> String? {
      if case .string(let text)? = details?[name] { text } else { nil }
    }
    switch code {
    case "invalidInput":
      self = .invalidInput(InputError(text("field") ?? "input", text("problem") ?? message))
    case "uploadFailed": self = .uploadFailed(reason: message)
    case "storageFailed": self = .storageFailed(reason: message)
    case "profileUpdateFailed":
      guard let url = text("url"), let inner = text("error"),
        let error = UseCaseError(code: inner, message: inner, details: details?["details"])
      else { return nil }
      self = .profileUpdateFailed(url: url, error)
    case "tokenExpired": self = .refused(.unauthorized)
    default:
      guard let error = DomainError(code: code, details: details) else { return nil }
      self = .refused(error)
    }
  }
}

extension DomainError {
  fileprivate var details: JSONValue? {
    switch self {
    case .displayNameTooLong(let limit, let actual), .bioTooLong(let limit, let actual),
      .commentTooLong(let limit, let actual), .nameTooLong(let limit, let actual),
      .descriptionTooLong(let limit, let actual), .messageTooLong(let limit, let actual),
      .reasonTooLong(let limit, let actual):
      .object(["limit": .int(limit), "actual": .int(actual)])
    case .invalidHandle(let problem):
      switch problem {
      case .tooShort(let limit, let actual):
        .object(["problem": .string("tooShort"), "limit": .int(limit), "actual": .int(actual)])
      case .tooLong(let limit, let actual):
        .object(["problem": .string("tooLong"), "limit": .int(limit), "actual": .int(actual)])
      case .firstCharacter: .object(["problem": .string("firstCharacter")])
      case .whiteSpace: .object(["problem": .string("whiteSpace")])
      case .capital: .object(["problem": .string("capital")])
      case .character: .object(["problem": .string("character")])
      }
    case .imageTooLarge(.bytes(let count)): .object(["bytes": .int(count)])
    case .imageTooLarge(.pixels(let count)): .object(["pixels": .int(count)])
    case .invalidText(let field, let problem):
      switch problem {
      case .tooLong(let limit, let actual):
        .object([
          "field": .string(field.rawValue), "problem": .string("tooLong"), "limit": .int(limit),
          "actual": .int(actual),
        ])
      case .character:
        .object(["field": .string(field.rawValue), "problem": .string("character")])
      case .notOffered:
        .object(["field": .string(field.rawValue), "problem": .string("notOffered")])
      }
    case .invalidWorkout(let field):
      .object([
        "field": .string("\(field.name)"), "index": field.index.map { .int($0) } ?? .null,
      ])
    default: JSONValue?.none
    }
  }

  fileprivate init?(code: String, details: JSONValue?) {
    if let plain = Self.plain.first(where: { $0.code == code }) {
      self = plain
      return
    }
    func text(_ name: String) -> String? {
      if case .string(let text)? = details?[name] { text } else { nil }
    }
    func number(_ name: String) -> Int? {
      if case .number(let text)? = details?[name] { Int(text) } else { nil }
    }
    let lengths = number("limit").flatMap { limit in number("actual").map { (limit, $0) } }
    switch (code, lengths) {
    case ("displayNameTooLong", let (limit, actual)?):
      self = .displayNameTooLong(limit: limit, actual: actual)
    case ("bioTooLong", let (limit, actual)?): self = .bioTooLong(limit: limit, actual: actual)
    case ("commentTooLong", let (limit, actual)?):
      self = .commentTooLong(limit: limit, actual: actual)
    case ("nameTooLong", let (limit, actual)?): self = .nameTooLong(limit: limit, actual: actual)
    case ("descriptionTooLong", let (limit, actual)?):
      self = .descriptionTooLong(limit: limit, actual: actual)
    case ("messageTooLong", let (limit, actual)?):
      self = .messageTooLong(limit: limit, actual: actual)
    case ("reasonTooLong", let (limit, actual)?):
      self = .reasonTooLong(limit: limit, actual: actual)
    case ("invalidHandle", _):
      guard let problem = HandleProblem(text("problem"), lengths) else { return nil }
      self = .invalidHandle(problem)
    case ("imageTooLarge", _):
      guard
        let limit = number("bytes").map(ImageLimit.bytes) ?? number("pixels").map(ImageLimit.pixels)
      else { return nil }
      self = .imageTooLarge(limit)
    case ("invalidText", _):
      guard let field = text("field").flatMap(TextLimits.Member.init),
        let problem = TextProblem(text("problem"), lengths)
      else { return nil }
      self = .invalidText(field, problem)
    case ("invalidWorkout", _):
      guard let name = text("field"),
        let known = WorkoutField.names.first(where: { "\($0)" == name })
      else { return nil }
      self = .invalidWorkout(field: WorkoutField(known, ofWorkout: number("index")))
    default: return nil
    }
  }

  /// The errors without values.
  private static let plain: [DomainError] = [
    .unauthorized, .notAuthorized, .profileNotFound, .profileExists, .handleAlreadyTaken,
    .displayNameRequired, .outOfRange, .unknownSport, .invalidImage, .cannotFollowSelf,
    .cannotBlockSelf, .blockIncomplete, .cannotFriendSelf, .alreadyRequested, .alreadyReceived,
    .alreadyFriends, .noSuchRequest, .notFriends, .workoutNotFound, .notVisible, .commentEmpty,
    .commentNotFound, .unknownReaction, .groupNotFound, .alreadyMember, .notMember,
    .ownerCannotLeave, .nameEmpty, .messageEmpty, .messageNotFound, .reportNotFound,
    .queryTooShort,
  ]
}

extension DomainError.HandleProblem {
  fileprivate init?(_ word: String?, _ lengths: (Int, Int)?) {
    switch (word, lengths) {
    case ("tooShort", let (limit, actual)?): self = .tooShort(limit: limit, actual: actual)
    case ("tooLong", let (limit, actual)?): self = .tooLong(limit: limit, actual: actual)
    case ("firstCharacter", _): self = .firstCharacter
    case ("whiteSpace", _): self = .whiteSpace
    case ("capital", _): self = .capital
    case ("character", _): self = .character
    default: return nil
    }
  }
}

extension DomainError.TextProblem {
  fileprivate init?(_ word: String?, _ lengths: (Int, Int)?) {
    switch (word, lengths) {
    case ("tooLong", let (limit, actual)?): self = .tooLong(limit: limit, actual: actual)
    case ("character", _): self = .character
    case ("notOffered", _): self = .notOffered
    default: return nil
    }
  }
}
